/* SPDX-License-Identifier: MIT
 *
 * The compile service: however a compilation ends, the caller goes on and learns what happened. With the argument
 * "cost" it prints what a compilation costs with and without a process of its own.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compiler/api/result.h"
#include "compiler/serve/job.h"
#include "compiler/api/service.h"
#include "tests/compiler/programs.h"

static const struct compiler_options options;

/* ---- Jobs that end in every way ---- */

static int job_aborts(const void *data, size_t size, struct compiler_result *result)
{
   (void)data, (void)size, (void)result;
   compiler_stage(COMPILER_STAGE_TRANSLATOR);
   compiler_stage_kernel("victim");
   fprintf(stderr, "first line\nlast words\n");
   abort();
}

static int job_spins(const void *data, size_t size, struct compiler_result *result)
{
   (void)data, (void)size, (void)result;
   compiler_stage(COMPILER_STAGE_CLANG);
   for (volatile unsigned i = 0; i < 1; i *= 2) {
   }
   return 0;
}

static int job_sleeps(const void *data, size_t size, struct compiler_result *result)
{
   (void)data, (void)size, (void)result;
   sleep(100);
   return 0;
}

static int job_exits(const void *data, size_t size, struct compiler_result *result)
{
   (void)data, (void)size, (void)result;
   exit(3);
}

/* Touches one GiB, in pieces. */
static int job_allocates(const void *data, size_t size, struct compiler_result *result)
{
   (void)data, (void)size;
   for (unsigned i = 0; i < 256; i++) {
      char *bytes = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (bytes == MAP_FAILED) {
         abort();
      }
      memset(bytes, 1, 4 << 20);
   }
   return compiler_result_init(result);
}

/* Allocates one MiB in pieces of all small sizes, and puts the page faults into the log. */
static int job_counts_faults(const void *data, size_t size, struct compiler_result *result)
{
   struct rusage before, after;

   (void)data, (void)size;
   if (compiler_result_init(result) < 0 || getrusage(RUSAGE_SELF, &before) < 0) {
      return -ENOMEM;
   }
   for (size_t bytes = 8; bytes <= 1016; bytes += 16) {
      for (unsigned i = 0; i < 32; i++) {
         volatile char *piece = malloc(bytes);
         if (piece == NULL) {
            return -ENOMEM;
         }
         piece[0] = 1;
      }
   }
   (void)getrusage(RUSAGE_SELF, &after);
   compiler_log(result, "%ld", after.ru_minflt - before.ru_minflt);
   return 0;
}

/* Returns the request's number in the log. */
static int job_answers(const void *data, size_t size, struct compiler_result *result)
{
   int number;

   if (compiler_result_init(result) < 0 || size != sizeof(number)) {
      return -ENOMEM;
   }
   memcpy(&number, data, sizeof(number));
   compiler_log(result, "answer %d", number);
   return -EINVAL;
}

/* Which process it runs in. */
static int job_tells_process(const void *data, size_t size, struct compiler_result *result)
{
   (void)data, (void)size;
   if (compiler_result_init(result) < 0) {
      return -ENOMEM;
   }
   compiler_log(result, "process %d", (int)getpid());
   return -EINVAL;
}

/* The server is this process's parent. */
static int job_kills_server(const void *data, size_t size, struct compiler_result *result)
{
   (void)data, (void)size, (void)result;
   kill(getppid(), SIGKILL);
   sleep(100); /* it dies with the server */
   return 0;
}

static struct compiler_result run(compiler_job *job, bool served, int expected)
{
   const struct compiler_request request = {.run = job, .data = "", .size = 0, .name = "test.cl", .libclc = served};
   struct compiler_result result;

   CHECK_EQUAL(compiler_service_run(&request, &result), expected);
   return result;
}

/* A served job's memory is new: one MiB costs little more than a MiB's page faults (it was 544 of them, not 256, where
 * the job filled the holes that the loading of libclc left). The address sanitizer has a malloc() of its own. */
static void test_new_memory(void)
{
   struct compiler_result result = run(job_counts_faults, true, 0);

   CHECK(strtol(result.log, NULL, 10) < (3 << 19) / sysconf(_SC_PAGESIZE));
   compiler_result_finish(&result);
}

static void test_endings(bool served)
{
   struct compiler_result result = run(job_aborts, served, -EFAULT);
   CHECK(result.crash.crashed && !result.crash.late);
   CHECK_EQUAL(result.crash.signal, SIGABRT);
   CHECK(strcmp(result.crash.kernel, "victim") == 0);
   CHECK_CONTAINS(result.crash.stage, "translator");
   CHECK_CONTAINS(result.log, "test.cl: kernel victim: error: the compiler crashed in the SPIR-V translator");
   CHECK_CONTAINS(result.log, "killed by signal 6");
   CHECK_CONTAINS(result.log, "last words");
   compiler_result_finish(&result);

   result = run(job_exits, served, -EFAULT);
   CHECK_CONTAINS(result.log, "exited with status 3");
   compiler_result_finish(&result);

   compiler_set_limits(&(struct compiler_limits){.seconds = 1, .memory_mib = 256});
   result = run(job_spins, served, -EFAULT);
   CHECK(result.crash.late);
   CHECK_CONTAINS(result.log,
                  "the compiler reached the limit of time, 1 s of processor time, in clang: --compile-timeout sets it");
   compiler_result_finish(&result);
   compiler_set_limits(&(struct compiler_limits){.seconds = 60, .memory_mib = 256}); /* pages may cost 20 us each */
   result = run(job_allocates, served, -EFAULT);
   CHECK_CONTAINS(result.log, "the compiler reached the limit of memory, 256 MiB, in ");
   compiler_result_finish(&result);

   /* Ten times the limit is what it may take on the clock. */
   if (served) {
      const time_t start = time(NULL);

      compiler_set_limits(&(struct compiler_limits){.seconds = 0.05});
      result = run(job_sleeps, served, -EFAULT);
      CHECK(result.crash.late);
      CHECK(time(NULL) - start < 60);
      compiler_result_finish(&result);
   }
   compiler_set_limits(&(struct compiler_limits){0});
   result = run(job_allocates, served, 0);
   CHECK(!result.crash.crashed);
   compiler_result_finish(&result);
   compiler_set_limits(&(struct compiler_limits){.seconds = COMPILER_SECONDS, .memory_mib = COMPILER_MEMORY_MIB});
}

static void test_server_dies(void)
{
   struct compiler_result result = run(job_kills_server, true, -EFAULT);
   CHECK_CONTAINS(result.log, "no process to compile it in");
   compiler_result_finish(&result);
   result = run(job_aborts, true, -EFAULT); /* by a new server */
   CHECK(result.crash.crashed);
   compiler_result_finish(&result);
}

/* Jobs of a session: what crashes ends the session and says where; the next job has another one. */
static void test_session(void)
{
   const pid_t pid = fork();
   int status;

   if (pid == 0) {
      const unsigned before = check_failures;
      struct compiler_result first, crashed, second;

      compiler_set_session();
      first = run(job_tells_process, true, -EINVAL);
      second = run(job_tells_process, true, -EINVAL);
      CHECK(strcmp(first.log, second.log) == 0); /* one process */
      compiler_result_finish(&second);
      crashed = run(job_aborts, true, -EFAULT);
      CHECK_EQUAL(crashed.crash.signal, SIGABRT);
      CHECK_CONTAINS(crashed.log, "the compiler crashed in the SPIR-V translator");
      CHECK(strcmp(crashed.crash.kernel, "victim") == 0);
      second = run(job_tells_process, true, -EINVAL);
      CHECK(strcmp(first.log, second.log) != 0); /* another one */
      compiler_set_limits(&(struct compiler_limits){.seconds = 1});
      compiler_result_finish(&crashed);
      crashed = run(job_spins, true, -EFAULT);
      CHECK(crashed.crash.late);
      compiler_result_finish(&first);
      compiler_result_finish(&crashed);
      compiler_result_finish(&second);
      _exit(check_failures != before);
   }
   CHECK_EQUAL(waitpid(pid, &status, 0), pid);
   CHECK_EQUAL(status, 0);
}

/* Processes that share the server get their own answers. */
static void test_several_callers(void)
{
   enum { CALLERS = 4, JOBS = 25 };
   pid_t pids[CALLERS];

   CHECK_EQUAL(compiler_start(), 0);
   for (int c = 0; c < CALLERS; c++) {
      pids[c] = fork();
      if (pids[c] == 0) {
         for (int i = 0; i < JOBS; i++) {
            const int number = c * JOBS + i;
            const struct compiler_request request = {
                .run = job_answers, .data = &number, .size = sizeof(number), .name = "n", .libclc = true};
            struct compiler_result result;
            char expected[32];

            snprintf(expected, sizeof(expected), "answer %d", number);
            if (compiler_service_run(&request, &result) != -EINVAL || strcmp(result.log, expected) != 0) {
               _exit(1);
            }
            compiler_result_finish(&result);
         }
         _exit(0);
      }
   }
   for (int c = 0; c < CALLERS; c++) {
      int status;
      CHECK_EQUAL(waitpid(pids[c], &status, 0), pids[c]);
      CHECK_EQUAL(status, 0);
   }
}

static const char kernels[] =
    "kernel void a(global float *o, float x, local float *l) { size_t i = get_global_id(0); l[i] = x;\n"
    " barrier(CLK_LOCAL_MEM_FENCE); o[i] = sin(l[i ^ 1]); }\n"
    "kernel void b(global double *o) { o[0] = o[1] * 2; }\n"
    "constant int t[] = {1, 2, 3, 5};\n"
    "kernel void c(global int *o) { o[get_global_id(0)] = t[o[0] & 3]; }\n";

/* What comes through the process is what compiling here gives. */
static void test_same_result(void)
{
   const struct compiler_options fp64 = {.arguments = "-DN=1"};
   struct compiler_result here, there;

   compiler_set_in_process(true);
   const int expected = compiler_opencl("k.cl", kernels, strlen(kernels), &fp64, &here);
   compiler_set_in_process(false);
   CHECK_EQUAL(compiler_opencl("k.cl", kernels, strlen(kernels), &fp64, &there), expected);
   CHECK(strcmp(here.log, there.log) == 0);
   CHECK(memcmp(&here.why, &there.why, sizeof(here.why)) == 0);
   CHECK_EQUAL(here.count, there.count);
   CHECK_EQUAL(here.refused_count, there.refused_count);
   for (size_t i = 0; i < here.count && i < there.count; i++) {
      CHECK(strcmp(here.programs[i]->name, there.programs[i]->name) == 0);
      CHECK_EQUAL(agx_program_hash(here.programs[i]), agx_program_hash(there.programs[i]));
      CHECK_EQUAL(here.programs[i]->argument_count, there.programs[i]->argument_count);
      CHECK(here.programs[i]->argument_count == 0 ||
            memcmp(here.programs[i]->arguments, there.programs[i]->arguments,
                   here.programs[i]->argument_count * sizeof(struct agx_argument)) == 0);
   }
   for (size_t i = 0; i < here.refused_count && i < there.refused_count; i++) {
      CHECK(strcmp(here.refused[i].kernel, there.refused[i].kernel) == 0);
      CHECK(strcmp(here.refused[i].reason, there.refused[i].reason) == 0);
   }
   check_programs(&there);
   compiler_result_finish(&here);
   compiler_result_finish(&there);
}

/* A kernel of many statements takes more than one MiB, whatever memory is free before it. */
static void test_small_limit(void)
{
   static const char head[] = "kernel void k(global int *o) {\n", statement[] = "o[0] = o[1] * o[2] + o[3];\n";
   static char source[sizeof(head) + 20000 * (sizeof(statement) - 1) + 2];
   struct compiler_result result;
   size_t used = 0;

   used += (size_t)sprintf(source, "%s", head);
   while (used + sizeof(statement) + 1 < sizeof(source)) {
      used += (size_t)sprintf(source + used, "%s", statement);
   }
   strcpy(source + used, "}");
   compiler_set_limits(&(struct compiler_limits){.seconds = COMPILER_SECONDS, .memory_mib = 1});
   CHECK_EQUAL(compiler_opencl("k.cl", source, strlen(source), &options, &result), -EFAULT);
   CHECK(result.crash.crashed);
   CHECK_CONTAINS(result.log, "the compiler reached the limit of memory, 1 MiB, in ");
   compiler_result_finish(&result);
   compiler_set_limits(&(struct compiler_limits){.seconds = COMPILER_SECONDS, .memory_mib = COMPILER_MEMORY_MIB});
}

/* ---- What it costs ---- */

static double now(void)
{
   struct timespec time;

   clock_gettime(CLOCK_MONOTONIC, &time);
   return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double time_compilations(bool in_process)
{
   enum { COUNT = 50 };
   static const char source[] = "kernel void k(global int *o) { o[get_global_id(0)] += 3; }";
   double start = 0;

   compiler_set_in_process(in_process);
   for (int i = -1; i < COUNT; i++) { /* the first one loads libclc */
      struct compiler_result result;

      (void)compiler_opencl("k.cl", source, strlen(source), &options, &result);
      compiler_result_finish(&result);
      start = i < 0 ? now() : start;
   }
   return (now() - start) / COUNT * 1e3;
}

int main(int argc, char **argv)
{
   if (argc == 2 && strcmp(argv[1], "cost") == 0) {
      printf("a short OpenCL kernel: %.1f ms in a process of its own, ", time_compilations(false));
      printf("%.1f ms in this process\n", time_compilations(true));
      return 0;
   }
   if (!COMPILER_HAS_ADDRESS_SANITIZER) {
      test_new_memory();
      test_small_limit();
   }
   test_endings(true);
   test_endings(false);
   test_server_dies();
   test_session();
   test_several_callers();
   test_same_result();
   return check_result();
}
