/* SPDX-License-Identifier: MIT
 *
 * A job in its process: what it announces, its limits, and the result that it leaves in the shared memory. Invariant:
 * sizes that come with a message are checked before any byte is read.
 */
#include "compiler/serve/job.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/api/result.h"
#include "compiler/api/wire.h"
#include "compiler/front_end/opencl_job.h"
#include "compiler/spirv.h"
#include "util/array.h"

/* ---- Kinds ---- */

static int helper_job(const void *data, size_t size, struct compiler_result *result)
{
   struct agx_program *program = compiler_helper_program();

   (void)data, (void)size;
   return compiler_result_init(result) < 0 || program == NULL ? -ENOMEM : compiler_result_add(result, program);
}

compiler_job *compiler_job_of(uint32_t kind, compiler_job *const more[COMPILER_KINDS])
{
   static compiler_job *const jobs[COMPILER_KINDS] = {
       [COMPILER_OPENCL] = compiler_opencl_job,
       [COMPILER_SPIRV] = compiler_spirv_job,
       [COMPILER_KERNEL] = compiler_kernel_job,
       [COMPILER_HELPER] = helper_job,
   };

   return kind >= COMPILER_KINDS ? NULL : jobs[kind] != NULL || more == NULL ? jobs[kind] : more[kind];
}

/* ---- A job's process ---- */

static void set_limit(__rlimit_resource_t resource, rlim_t value)
{
   struct rlimit limit;

   if (getrlimit(resource, &limit) == 0) {
      limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
      (void)setrlimit(resource, &limit);
   }
}

/* RLIMIT_DATA counts what a process can write to privately, so neither the files of LLVM's libraries nor shared
 * memory. The address sanitizer's shadow would count: no limit there. */
static void set_limits(const struct compiler_limits *limits)
{
   const struct rlimit none = {0, 0};

   (void)setrlimit(RLIMIT_CORE, &none);
   if (limits->memory_mib != 0 && !COMPILER_HAS_ADDRESS_SANITIZER) {
      set_limit(RLIMIT_DATA, (rlim_t)limits->memory_mib << 20);
   }
   if (limits->seconds > 0) {
      set_limit(RLIMIT_CPU, (rlim_t)ceil(limits->seconds));
   }
}

static bool redirect_output(int output)
{
   const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

   return nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
          dup2(output, STDERR_FILENO) >= 0;
}

static bool write_all(int fd, const uint8_t *bytes, size_t size, size_t offset)
{
   while (size > 0) {
      const ssize_t n = pwrite(fd, bytes, size, (off_t)offset);
      if (n <= 0) {
         return false;
      }
      bytes += n;
      offset += (size_t)n;
      size -= (size_t)n;
   }
   return true;
}

/* clang and Mesa use an allocation that failed as if it had not. What they then do is a crash, but the cause is the
 * limit of memory: the call before it left ENOMEM. The handler is gone when it runs (SA_RESETHAND). */
static void note_no_memory(int signal)
{
   if (errno == ENOMEM) {
      compiler_stage_no_memory();
   }
   raise(signal);
}

/* clang overflows its stack on deeply nested source. The address sanitizer has handlers of its own. */
static void watch_crashes(void)
{
   static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTRAP};
   static char stack[65536];
   const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
   struct sigaction action = {.sa_handler = note_no_memory, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK | SA_NODEFER};

   if (COMPILER_HAS_ADDRESS_SANITIZER || sigaltstack(&alternate, NULL) < 0) {
      return;
   }
   sigemptyset(&action.sa_mask);
   for (size_t i = 0; i < ARRAY_COUNT(signals); i++) {
      (void)sigaction(signals[i], &action, NULL);
   }
}

/* The shared memory of a job; NULL: its size is not what the message says. */
static struct compiler_shared *map_request(const struct compiler_message *message, int memory)
{
   struct stat file;

   if (fstat(memory, &file) < 0 || file.st_size < 0 || (uint64_t)file.st_size < sizeof(struct compiler_shared) ||
       (uint64_t)file.st_size - sizeof(struct compiler_shared) != message->size) {
      return NULL;
   }
   void *shared = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
   return shared != MAP_FAILED ? shared : NULL;
}

/* Runs the job and leaves its result behind the request. False: there is no whole result. */
static bool run_job(const struct compiler_message *message, int memory, compiler_job *job,
                    struct compiler_shared *shared)
{
   const size_t start = sizeof(*shared) + message->size;
   struct compiler_writer writer = {0};
   struct compiler_result result = {0};

   if (compiler_cache_is_on() != message->cache) {
      compiler_cache_set(message->cache);
   }
   compiler_set_second_try(message->second_try);
   compiler_stage_set(&shared->progress);
   const int ret = job(shared + 1, message->size, &result);
   compiler_stage(COMPILER_STAGE_DONE);
   compiler_write_result(&writer, ret, &result);
   compiler_result_finish(&result);
   fflush(NULL);
   shared->progress.no_memory = writer.failed;
   const bool written = !writer.failed && write_all(memory, writer.bytes, writer.size, start);
   if (written) {
      shared->result_size = writer.size;
   }
   compiler_writer_finish(&writer);
   return written;
}

static compiler_job *job_of(const struct compiler_message *message, compiler_job *const more[COMPILER_KINDS])
{
   return message->kind == COMPILER_POINTER ? message->run : compiler_job_of(message->kind, more);
}

static void begin(pid_t parent)
{
   prctl(PR_SET_PDEATHSIG, SIGKILL);
   if (getppid() != parent) {
      _exit(1);
   }
   compiler_set_in_process(true); /* what the job itself compiles */
}

void compiler_job_live(const struct compiler_message *message, const int fds[COMPILER_FDS], pid_t parent,
                       compiler_job *const more[COMPILER_KINDS])
{
   struct compiler_shared *shared = map_request(message, fds[COMPILER_FD_MEMORY]);
   compiler_job *job = job_of(message, more);

   begin(parent);
   if (shared == NULL || job == NULL || !redirect_output(fds[COMPILER_FD_OUTPUT])) {
      _exit(1);
   }
   set_limits(&message->limits);
   compiler_stage_set(&shared->progress);
   watch_crashes();
   /* No exit handlers: they are the caller's, and LLVM's destructors take longer than the kernel. */
   _exit(run_job(message, fds[COMPILER_FD_MEMORY], job, shared) ? 0 : 1);
}

/* ---- A session ---- */

/* The limit of processor time counts from here. */
static void limit_job(const struct compiler_limits *limits)
{
   struct rusage usage;

   if (limits->seconds > 0 && getrusage(RUSAGE_SELF, &usage) == 0) {
      set_limit(RLIMIT_CPU,
                (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1 + (rlim_t)ceil(limits->seconds));
   }
}

static void run_in_session(const struct compiler_message *message, const int fds[COMPILER_FDS],
                           compiler_job *const more[COMPILER_KINDS])
{
   struct compiler_shared *shared = map_request(message, fds[COMPILER_FD_MEMORY]);
   compiler_job *job = job_of(message, more);
   struct compiler_ending ending = {0};

   if (shared == NULL || job == NULL || !redirect_output(fds[COMPILER_FD_OUTPUT])) {
      _exit(1);
   }
   limit_job(&message->limits);
   (void)run_job(message, fds[COMPILER_FD_MEMORY], job, shared);
   compiler_stage_set(NULL);
   munmap(shared, sizeof(*shared) + message->size);
   compiler_reply(fds[COMPILER_FD_REPLY], &ending);
   close(fds[COMPILER_FD_MEMORY]);
   close(fds[COMPILER_FD_OUTPUT]);
}

void compiler_session_live(const int fds[COMPILER_FDS], pid_t parent, compiler_job *const more[COMPILER_KINDS])
{
   const int socket = fds[COMPILER_FD_MEMORY];
   struct compiler_message message;
   int received, job_fds[COMPILER_FDS];

   begin(parent);
   set_limits(&(struct compiler_limits){0});
   watch_crashes();
   while ((received = compiler_receive(socket, &message, job_fds)) >= 0) {
      if (received > 0) {
         run_in_session(&message, job_fds, more);
      }
   }
   _exit(0);
}
