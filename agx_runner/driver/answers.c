/* SPDX-License-Identifier: MIT
 *
 * Compares answers of two drivers. All kernels of a file are launched by one host, and one by one only where something
 * went wrong, since starting a driver costs more than a launch. Files are spread over a process for each core.
 * Invariant: both sides get the same bytes.
 */
#include "agx_runner/driver/answers.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/driver/generated.h"
#include "agx_runner/driver/kernel.h"
#include "agx_runner/driver/source.h"
#include "agx_runner/terminal/runner.h"
#include "process/child/interrupt.h"

/* Launches end, and do not depend on the order of threadgroups. */
#define ANSWER_DEVICE "virtual:m1,timing=off,order=fixed,budget=4000000"
#define WORKERS_MAX 16u
#define NEAR 1e-5 /* floats that are as far apart differ in rounding alone */

/* What one driver has made of a file. */
struct side {
   struct driver_source source;
   struct driver_answer answer;
   struct driver_kernels kernels;
   bool clean; /* no refusal and no fault: all that was launched counts */
};

static void finish_launches(struct side *side)
{
   driver_kernels_finish(&side->kernels);
   driver_answer_finish(&side->answer);
}

/* Launches the kernel, or all for which arguments can be generated; `only` NULL: all. Facts alone: kernels NULL. */
static bool launch(struct side *side, const struct driver_kernels *kernels, const struct driver_kernel *only)
{
   struct driver_request request;
   side->clean = false;
   bool good = driver_source_request(&side->source, NULL, &request) == EXIT_OK;
   for (size_t i = 0; good && kernels != NULL && i < kernels->count; i++) {
      const struct driver_kernel *kernel = &kernels->list[i];
      if (only == NULL || only == kernel) {
         good = !generated_can(kernel) || generated_write(kernel, side->source.api == MESA_VULKAN, request.file);
      }
   }
   good =
       good && driver_host_run(&side->source.mesa, side->source.api, ANSWER_DEVICE, &request, &side->answer) == EXIT_OK;
   driver_request_finish(&request);
   good = good && driver_kernels_read(&side->answer.records, &side->kernels);
   const struct device_report *report = &side->answer.report;
   side->clean = good && side->kernels.refusal == NULL && report->faults == 0 && report->soft_faults == 0;
   return good;
}

/* ---- Answers ---- */

static bool is_near(const uint8_t *a, const uint8_t *b)
{
   float one, other;
   memcpy(&one, a, sizeof(one));
   memcpy(&other, b, sizeof(other));
   return (isnan(one) && isnan(other)) ||
          (fabsf(one) > 1e-18f && fabsf(one) < 1e18f && (double)fabsf(one - other) <= NEAR * (double)fabsf(one));
}

/* Whether the words are floats, as far as the parameter's type says. A shader's buffers have no type here. */
static bool may_be_floats(const struct driver_parameter *parameter, bool shader)
{
   return shader || strncmp(parameter->facts->type, "float", 5) == 0;
}

/* Writes where two buffers differ by more than a rounding. */
static bool differ(const struct driver_parameter *a, const struct driver_parameter *b, bool shader, char *text,
                   size_t size)
{
   const bool floats = may_be_floats(a, shader);
   if (a->after.size != b->after.size) {
      snprintf(text, size, "argument %s: %zu and %zu bytes", a->facts->name, a->after.size, b->after.size);
      return true;
   }
   for (size_t at = 0; at + 4 <= a->after.size; at += 4) {
      const uint8_t *one = a->after.bytes + at, *other = b->after.bytes + at;
      if (memcmp(one, other, 4) != 0 && !(floats && is_near(one, other))) {
         uint32_t words[2];
         float numbers[2];
         memcpy(&words[0], one, 4);
         memcpy(&words[1], other, 4);
         memcpy(numbers, words, sizeof(numbers));
         snprintf(text, size,
                  "argument %.31s, word %zu: 0x%08" PRIx32 " before, 0x%08" PRIx32 " now (as floats %g, %g)",
                  a->facts->name, at / 4, words[0], words[1], (double)numbers[0], (double)numbers[1]);
         return true;
      }
   }
   return false;
}

static bool answers_differ(const struct driver_kernel *a, const struct driver_kernel *b, bool shader, char *text,
                           size_t size)
{
   if (a->facts->parameters != b->facts->parameters) {
      snprintf(text, size, "%u and %u arguments", a->facts->parameters, b->facts->parameters);
      return true;
   }
   for (uint32_t i = 0; i < a->facts->parameters; i++) {
      if (a->parameters[i].after.bytes != NULL && b->parameters[i].after.bytes != NULL &&
          differ(&a->parameters[i], &b->parameters[i], shader, text, size)) {
         return true;
      }
   }
   return false;
}

static const struct driver_kernel *find(const struct driver_kernels *kernels, const char *name)
{
   for (size_t i = 0; i < kernels->count; i++) {
      if (strcmp(kernels->list[i].facts->name, name) == 0) {
         return &kernels->list[i];
      }
   }
   return NULL;
}

/* ---- Results ---- */

/* The result of that kernel of that file: names end in the kernel's. */
static struct result *result_of(struct result_run *run, const char *file, const char *kernel)
{
   for (size_t i = 0; i < run->count; i++) {
      const char *slash = strrchr(run->results[i].name, '/');
      if (run->results[i].file != NULL && strcmp(run->results[i].file, file) == 0 && slash != NULL &&
          strcmp(slash + 1, kernel) == 0) {
         return &run->results[i];
      }
   }
   return NULL;
}

static void judge(struct result_run runs[2], const char *file, const char *name, const struct side sides[2])
{
   const struct driver_kernel *a = find(&sides[0].kernels, name), *b = find(&sides[1].kernels, name);
   struct result *before = result_of(&runs[0], file, name), *now = result_of(&runs[1], file, name);
   char text[200] = "";
   const bool ran[] = {sides[0].clean && a != NULL && a->launched != NULL,
                       sides[1].clean && b != NULL && b->launched != NULL};
   if (before == NULL || now == NULL || !ran[0]) {
      return; /* without an answer there is nothing to compare with */
   }
   const bool wrong = !ran[1] || answers_differ(a, b, sides[0].source.api == MESA_VULKAN, text, sizeof(text));
   before->check = RESULT_CHECK_PASS;
   now->check = wrong ? RESULT_CHECK_FAIL : RESULT_CHECK_PASS;
   if (wrong) {
      snprintf(now->reason, sizeof(now->reason), "%s",
               ran[1] ? text : "it faults on the device, or is not launched, where the Mesa before runs it");
   }
}

/* ---- Files ---- */

/* Each kernel in a process of its own, on both sides. */
static void compare_singly(const char *file, const struct driver_kernels *facts, struct side sides[2],
                           struct result_run runs[2])
{
   for (size_t i = 0; i < facts->count && !interrupt_requested(); i++) {
      const struct driver_kernel *kernel = &facts->list[i];
      if (generated_can(kernel)) {
         for (unsigned k = 0; k < 2; k++) {
            finish_launches(&sides[k]);
            (void)launch(&sides[k], facts, kernel);
         }
         judge(runs, file, kernel->facts->name, sides);
      }
   }
}

static void compare_file(const char *file, const char *const mesas[2], const char *build_options,
                         struct result_run runs[2])
{
   const struct program_settings settings[2] = {{.mesa = mesas[0]}, {.mesa = mesas[1]}};
   struct side sides[2] = {0}, asked = {0};
   bool good = true;
   for (unsigned k = 0; k < 2; k++) {
      good &= driver_source_read(&sides[k].source, file, &settings[k], build_options) == EXIT_OK;
   }
   asked.source = sides[0].source;
   good = good && launch(&asked, NULL, NULL) && asked.kernels.refusal == NULL;
   for (unsigned k = 0; good && k < 2; k++) {
      (void)launch(&sides[k], &asked.kernels, NULL);
   }
   if (good && sides[0].clean && sides[1].clean) {
      for (size_t i = 0; i < asked.kernels.count; i++) {
         judge(runs, file, asked.kernels.list[i].facts->name, sides);
      }
   } else if (good) {
      compare_singly(file, &asked.kernels, sides, runs);
   }
   finish_launches(&asked);
   for (unsigned k = 0; k < 2; k++) {
      finish_launches(&sides[k]);
      driver_source_finish(&sides[k].source);
   }
}

/* ---- Workers ---- */

/* What the workers have found, in memory that they share. Each result is written by the worker of its file alone. */
struct found {
   atomic_size_t next; /* file */
   struct verdict {
      enum result_check check;
      char reason[sizeof(((struct result *)0)->reason)];
   } list[];
};

struct files {
   const char **list;
   size_t count;
};

/* The results of a file stand together. */
static bool list_files(const struct result_run *run, struct files *files)
{
   files->list = calloc(run->count + 1, sizeof(*files->list));
   for (size_t i = 0; files->list != NULL && i < run->count; i++) {
      const char *file = run->results[i].file;
      if (file != NULL && (files->count == 0 || strcmp(files->list[files->count - 1], file) != 0)) {
         files->list[files->count++] = file;
      }
   }
   return files->list != NULL;
}

/* Copies between the results of a file and what is shared: the first run's stand before the second's. */
static void share(struct found *found, struct result_run runs[2], const char *file, bool from_results)
{
   for (unsigned k = 0; k < 2; k++) {
      for (size_t i = 0; i < runs[k].count; i++) {
         struct result *result = &runs[k].results[i];
         struct verdict *verdict = &found->list[(k == 0 ? 0 : runs[0].count) + i];
         if (result->file == NULL || strcmp(result->file, file) != 0) {
            continue;
         }
         if (from_results) {
            verdict->check = result->check;
            memcpy(verdict->reason, result->reason, sizeof(verdict->reason));
         } else {
            result->check = verdict->check;
            memcpy(result->reason, verdict->reason, sizeof(verdict->reason));
         }
      }
   }
}

static void work(struct found *found, const struct files *files, const char *const mesas[2], const char *build_options,
                 struct result_run runs[2])
{
   for (size_t i = 0; !interrupt_requested() && (i = atomic_fetch_add(&found->next, 1)) < files->count;) {
      compare_file(files->list[i], mesas, build_options, runs);
      share(found, runs, files->list[i], true);
   }
}

/* Waits for the workers. Returns whether all have ended well. */
static bool await(const pid_t *workers, size_t count)
{
   bool good = true;
   for (size_t i = 0; i < count; i++) {
      int status = 0;
      while (waitpid(workers[i], &status, 0) < 0 && errno == EINTR) {
      }
      good &= WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK;
   }
   return good;
}

static bool run_workers(struct found *found, const struct files *files, const char *const mesas[2],
                        const char *build_options, struct result_run runs[2])
{
   const pid_t parent = getpid();
   pid_t workers[WORKERS_MAX];
   size_t count = 0;
   cpu_set_t cores;
   const size_t wanted = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? (size_t)CPU_COUNT(&cores) : 1;
   fflush(stdout);
   while (count < wanted && count < WORKERS_MAX && count < files->count) {
      const pid_t pid = fork();
      if (pid == 0) {
         prctl(PR_SET_PDEATHSIG, SIGTERM);
         if (getppid() == parent) {
            work(found, files, mesas, build_options, runs);
         }
         _exit(EXIT_OK);
      }
      if (pid < 0) {
         break;
      }
      workers[count++] = pid;
   }
   if (count == 0) {
      work(found, files, mesas, build_options, runs);
   }
   return await(workers, count);
}

int driver_answers_compare(const char *const mesas[2], const char *build_options, struct result_run runs[2])
{
   const size_t size = sizeof(struct found) + (runs[0].count + runs[1].count) * sizeof(struct verdict);
   struct files files = {.count = 0};
   struct found *found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   if (found == MAP_FAILED || !list_files(&runs[0], &files)) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; i < files.count; i++) {
      share(found, runs, files.list[i], true);
   }
   int code = run_workers(found, &files, mesas, build_options, runs)
                  ? EXIT_OK
                  : complain(EXIT_FAILED, "a process that compared answers has ended early");
   for (size_t i = 0; i < files.count; i++) {
      share(found, runs, files.list[i], false);
   }
   if (interrupt_requested()) {
      code = complain(EXIT_ABORTED, "interrupted while answers were compared");
   }
   munmap(found, size);
   free(files.list);
   return code;
}
