/* SPDX-License-Identifier: MIT
 *
 * Repeats and shrinks crashes of the compiler. Invariant: nothing is compiled in this process.
 */
#include "fuzz/crash.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/report.h"
#include "fuzz/shrink.h"
#include "agx_runner/terminal/cpu_alarm.h"
#include "fuzz/nir/watch/heap.h"
#include "compiler/stage.h"

#define COMPILE_SECONDS 20
/* Of processor time: the front end starts again in each process, so the search for a smaller kernel has an end. */
#define KERNEL_SECONDS 30
#define KNOWN_SECONDS 3 /* of one that is known as it is */

/* Exactly one of both is not NULL. */
static void compile(const struct crash_search *search, const struct fuzz_program *program, struct ocl_program *kernel)
{
   struct compiler_result result = {0};
   struct ocl_outputs *outputs;

   cpu_alarm(COMPILE_SECONDS);
   compiler_set_in_process(true);
   (void)freopen("/dev/null", "w", stderr);
   fuzz_crash_watch(search->where);
   compiler_stage_set(search->stage);
   (void)fuzz_heap_guard();
   if (program != NULL) {
      (void)fuzz_compile(program, &search->options, NULL, &result);
      return;
   }
   outputs = calloc(1, sizeof(*outputs));
   /* The kernel's text depends on the guards, which the evaluator sets. */
   if (outputs != NULL && ocl_evaluate(kernel, outputs)) {
      (void)attempt_compile_kernel(kernel, &search->options, &result);
   }
}

/* Processor time of the children that have ended: what else the machine does changes no finding. */
static double children_seconds(void)
{
   struct rusage usage = {0};

   (void)getrusage(RUSAGE_CHILDREN, &usage);
   return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
          (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static bool crashes(struct crash_search *search, const struct fuzz_program *program, struct ocl_program *kernel)
{
   char place[sizeof(((struct fuzz_report *)NULL)->crashed)];
   int status = 0;

   if (search->end > 0 && children_seconds() > search->end) {
      return false;
   }
   search->where->count = 0;
   const pid_t pid = fork();
   if (pid == 0) {
      compile(search, program, kernel);
      _exit(0);
   }
   while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
   }
   if (pid < 0 || !WIFSIGNALED(status)) {
      return false;
   }
   search->signal = WTERMSIG(status);
   (void)fuzz_crash_place(search->where, place, sizeof(place));
   return (search->place == NULL || strcmp(search->place, place) == 0) &&
          (search->site == 0 || search->site == fuzz_crash_site(search->where));
}

static bool program_crashes(const struct fuzz_program *program, void *data)
{
   return crashes(data, program, NULL);
}

static bool kernel_crashes(struct ocl_program *kernel, void *data)
{
   return crashes(data, NULL, kernel);
}

bool crash_again(struct crash_search *search, struct fuzz_report *report)
{
   const bool again =
       report->opencl ? kernel_crashes(&report->kernel, search) : program_crashes(&report->program, search);

   if (again) {
      (void)fuzz_crash_place(search->where, report->crashed, sizeof(report->crashed));
      report->stage = search->stage != NULL ? search->stage->stage : report->stage;
   }
   return again;
}

void crash_shrink(struct crash_search *search, struct fuzz_report *report)
{
   search->place = report->crashed;
   search->site = fuzz_crash_site(search->where);
   if (report->opencl) {
      search->end = children_seconds() + (search->seconds > 0 ? search->seconds : KERNEL_SECONDS);
      ocl_shrink(&report->kernel, OCL_OUTPUTS, 0, kernel_crashes, search);
      search->end = 0;
   } else {
      fuzz_shrink(&report->program, NULL, program_crashes, search);
   }
   search->place = NULL;
   search->site = 0;
}

bool crash_is_cured(struct crash_search *search, struct fuzz_report *report)
{
   compiler_set_second_try(true);
   const bool cured =
       !(report->opencl ? kernel_crashes(&report->kernel, search) : program_crashes(&report->program, search));
   compiler_set_second_try(false);
   return cured;
}

/* "Segmentation fault in the compiler (PASS)". */
static void describe_crash(const struct fuzz_report *report, int signal, const char *how, char *what, size_t size)
{
   const bool outside = report->stage == COMPILER_STAGE_DONE;
   const bool named = report->crashed[0] != '\0';

   snprintf(what, size, "%s%s%s%s%s%s", strsignal(signal), outside ? "" : " in the compiler", named ? " (" : "",
            report->crashed, named ? ")" : "", how);
}

static const char *how_cured(struct crash_search *search, struct fuzz_report *report)
{
   return crash_is_cured(search, report) ? FINDING_NOT_WITH_PHIS : "";
}

void crash_look_into(struct crash_search *search, struct finding *finding, const struct findings *findings,
                     const struct fuzz_settings *settings, struct fuzz_report *report, int signal)
{
   char place[sizeof(report->crashed)], what[160];
   const char *how = ", not reproduced by compiling alone";

   memcpy(place, report->crashed, sizeof(place));
   report->verdict = VERDICT_BROKEN;
   search->place = place[0] != '\0' ? place : NULL;
   if (report->stage != COMPILER_STAGE_DONE && crash_again(search, report)) {
      describe_crash(report, signal, how_cured(search, report), what, sizeof(what));
      search->seconds = findings_know_crash(findings, report, what) ? KNOWN_SECONDS : KERNEL_SECONDS;
      (void)crash_again(search, report); /* where it crashes */
      crash_shrink(search, report);
      how = how_cured(search, report);
   }
   search->place = NULL;
   describe_crash(report, signal, how, what, sizeof(what));
   finding_look_into(finding, findings, settings, report, what);
}

bool crash_try(struct findings *findings, const struct fuzz_settings *settings, const struct compiler_options *options,
               struct fuzz_report *report)
{
   struct {
      struct fuzz_crash where;
      struct compiler_progress stage;
   } *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   struct crash_search search = {.options = *options};
   struct finding *finding = malloc(sizeof(*finding));

   if (shared == MAP_FAILED || finding == NULL) {
      free(finding);
      return false;
   }
   search.where = &shared->where;
   search.stage = &shared->stage;
   const bool again = crash_again(&search, report);
   if (again) {
      crash_look_into(&search, finding, findings, settings, report, search.signal);
      if (findings_take(findings, finding)) {
         fuzz_report_finding(stderr, finding);
      }
   }
   free(finding);
   munmap(shared, sizeof(*shared));
   return again;
}
