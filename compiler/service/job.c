/* SPDX-License-Identifier: MIT
 *
 * One job's process: limits, the compilation, the result. Whatever happens to it, the shared memory holds either a
 * whole result or none.
 */
#include "compiler/service/server.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compiler/service/wire.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef HAS_ADDRESS_SANITIZER
#define HAS_ADDRESS_SANITIZER 0
#endif

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
   if (limits->memory_mib != 0 && !HAS_ADDRESS_SANITIZER) {
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

void compiler_job_live(const struct compiler_message *message, const int fds[COMPILER_FDS], pid_t parent)
{
   const size_t start = sizeof(struct compiler_shared) + message->size;
   struct compiler_shared *shared = mmap(NULL, start, PROT_READ | PROT_WRITE, MAP_SHARED, fds[COMPILER_FD_MEMORY], 0);
   struct compiler_writer writer = {0};
   struct compiler_result result = {0};

   prctl(PR_SET_PDEATHSIG, SIGKILL);
   if (getppid() != parent) {
      _exit(1);
   }
   compiler_set_in_process(true); /* what the job itself compiles */
   if (shared == MAP_FAILED || !redirect_output(fds[COMPILER_FD_OUTPUT])) {
      _exit(1);
   }
   set_limits(&message->limits);
   compiler_stage_set(&shared->progress);
   const int ret = message->run(shared + 1, message->size, &result);
   compiler_stage(COMPILER_STAGE_DONE);
   compiler_write_result(&writer, ret, &result);
   fflush(NULL);
   if (writer.failed || !write_all(fds[COMPILER_FD_MEMORY], writer.bytes, writer.size, start)) {
      _exit(1);
   }
   shared->result_size = writer.size;
   /* No exit handlers: they are the caller's, and LLVM's destructors take longer than the kernel. */
   _exit(0);
}
