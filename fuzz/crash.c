/* SPDX-License-Identifier: MIT
 *
 * Repeats and shrinks crashes of the compiler. Invariant: nothing is compiled in this process.
 */
#include "fuzz/crash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "fuzz/report.h"
#include "fuzz/nir/watch/heap.h"
#include "compiler/api/stage.h"

#define COMPILE_SECONDS 20 /* processor time of one compilation, if --test-timeout is not less */
#define HANG_SECONDS 2     /* the same while a hang is shrunk: other programs take milliseconds */
/* Most processor time of the search for a smaller kernel: each try starts the front end again. */
#define KERNEL_SECONDS 30
#define KNOWN_SECONDS 3 /* the same for a crash that --known lists */

struct compilation {
   const struct crash_search *search;
   void *program;
};

static void compile(void *data)
{
   const struct compilation *compilation = data;
   const struct crash_search *search = compilation->search;
   struct compiler_result result = {0};

   compiler_set_in_process(true);
   (void)freopen("/dev/null", "w", stderr);
   fuzz_crash_watch(search->where);
   compiler_stage_set(search->stage);
   (void)fuzz_heap_guard();
   (void)search->language->compile(compilation->program, &search->options, &result);
}

double crash_children_seconds(void)
{
   struct rusage usage = {0};

   (void)getrusage(RUSAGE_CHILDREN, &usage);
   return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
          (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static struct call_limits limits_of(const struct crash_search *search, double most)
{
   struct call_limits limits = search->limits;

   limits.work = limits.work > 0 && limits.work < most ? limits.work : most;
   return limits;
}

static bool crashes(void *program, void *data)
{
   struct crash_search *search = data;
   const struct call_limits limits = limits_of(search, search->hangs ? HANG_SECONDS : COMPILE_SECONDS);
   char place[sizeof(((struct fuzz_report *)NULL)->crashed)];

   if (search->end > 0 && crash_children_seconds() > search->end) {
      return false;
   }
   search->where->count = 0;
   const struct call_fate fate = call_run(compile, &(struct compilation){search, program}, &limits);
   if (fate.end != CALL_CRASHED && fate.end != CALL_LATE) {
      return false;
   }
   search->fate = fate;
   (void)fuzz_crash_place(search->where, place, sizeof(place));
   return (search->place == NULL || strcmp(search->place, place) == 0) &&
          (search->site == 0 || search->site == fuzz_crash_site(search->where)) &&
          (!search->hangs || fate.end == CALL_LATE);
}

static bool report_crashes(struct crash_search *search, struct fuzz_report *report)
{
   search->language = fuzz_language(report);
   return crashes(&report->program, search);
}

bool crash_again(struct crash_search *search, struct fuzz_report *report)
{
   const bool again = report_crashes(search, report);

   if (again) {
      (void)fuzz_crash_place(search->where, report->crashed, sizeof(report->crashed));
      report->stage = search->stage != NULL ? search->stage->stage : report->stage;
   }
   return again;
}

void crash_shrink(struct crash_search *search, struct fuzz_report *report)
{
   search->language = fuzz_language(report);
   search->place = report->crashed;
   search->hangs = search->fate.end == CALL_LATE;
   /* A hang is stopped at another instruction each time. */
   search->site = search->hangs ? 0 : fuzz_crash_site(search->where);
   if (search->language->slow || search->hangs) {
      search->end = crash_children_seconds() + (search->seconds > 0 ? search->seconds : KERNEL_SECONDS);
   }
   search->language->shrink(&report->program, NULL, crashes, search);
   search->end = 0;
   search->hangs = false;
   search->place = NULL;
   search->site = 0;
}

bool crash_is_cured(struct crash_search *search, struct fuzz_report *report)
{
   compiler_set_second_try(true);
   const bool cured = !report_crashes(search, report);
   compiler_set_second_try(false);
   return cured;
}

/* Returns what was working on the program when its process ended. */
static const char *who_had(const struct fuzz_report *report)
{
   static const char *const who[] = {[PHASE_OPEN] = "opening of the device",
                                     [PHASE_GENERATE] = "generator",
                                     [PHASE_TRIED] = "worker, between two programs",
                                     [PHASE_SHRINK] = "shrinker",
                                     [PHASE_DONE] = "worker, at its end"};

   if (report->phase != PHASE_ATTEMPT && report->phase != PHASE_COMPILE) {
      return who[report->phase];
   }
   return report->stage == COMPILER_STAGE_START  ? "oracle"
          : report->stage == COMPILER_STAGE_DONE ? "device"
                                                 : "compiler";
}

/* "Segmentation fault in the compiler (PASS)", "compiler hang in PASS", "killed by SIGKILL in the compiler". */
static void describe_crash(const struct fuzz_report *report, const char *how, char *what, size_t size)
{
   const char *who = who_had(report);
   const bool outside = report->stage == COMPILER_STAGE_DONE, compiler = strcmp(who, "compiler") == 0;
   const bool named = report->crashed[0] != '\0';
   const char *place = !compiler ? "" : named ? report->crashed : compiler_stage_name(report->stage);
   char end[64];

   switch (report->fate.end) {
   case CALL_CRASHED:
      snprintf(what, size, "%s%s%s%s%s%s", strsignal(report->fate.number), outside ? "" : " in the compiler",
               named ? " (" : "", report->crashed, named ? ")" : "", how);
      break;
   case CALL_LATE:
      snprintf(what, size, "%s hang%s%s%s", who, place[0] != '\0' ? " in " : "", place, how);
      break;
   case CALL_IDLE:
      snprintf(what, size, "stopped or asleep in the %s%s%s%s", who, place[0] != '\0' ? " (" : "", place,
               place[0] != '\0' ? ")" : "");
      break;
   default:
      call_describe(&report->fate, &(struct call_limits){0}, end, sizeof(end));
      snprintf(what, size, "%s in the %s%s%s%s", end, who, place[0] != '\0' ? " (" : "", place,
               place[0] != '\0' ? ")" : "");
   }
}

static const char *how_cured(struct crash_search *search, struct fuzz_report *report)
{
   return search->fate.end == CALL_CRASHED && crash_is_cured(search, report) ? FINDING_NOT_WITH_PHIS : "";
}

/* Whether compiling the program again may show the same. A kill from outside does not repeat itself. */
static bool may_happen_again(const struct fuzz_report *report)
{
   const bool compiles = report->phase == PHASE_ATTEMPT || report->phase == PHASE_COMPILE;

   return compiles && report->stage != COMPILER_STAGE_DONE &&
          (report->fate.end == CALL_CRASHED ||
           (report->fate.end == CALL_LATE && report->stage != COMPILER_STAGE_START));
}

void crash_look_into(struct crash_search *search, struct finding *finding, const struct findings *findings,
                     const struct fuzz_settings *settings, struct fuzz_report *report)
{
   const bool again = may_happen_again(report);
   const char *how = again || report->fate.end == CALL_CRASHED ? ", not reproduced by compiling alone" : "";
   char place[sizeof(report->crashed)], what[160];

   memcpy(place, report->crashed, sizeof(place));
   if (report->fate.end == CALL_LATE || report->fate.end == CALL_IDLE) {
      call_describe(&report->fate, &search->limits, report->why, sizeof(report->why));
   }
   report->verdict = VERDICT_BROKEN;
   search->place = place[0] != '\0' ? place : NULL;
   if (again && crash_again(search, report)) {
      report->fate = search->fate;
      describe_crash(report, how_cured(search, report), what, sizeof(what));
      search->seconds = findings_know_crash(findings, report, what) ? KNOWN_SECONDS : KERNEL_SECONDS;
      (void)crash_again(search, report); /* where it crashes */
      crash_shrink(search, report);
      how = how_cured(search, report);
   }
   search->place = NULL;
   describe_crash(report, how, what, sizeof(what));
   finding_look_into(finding, findings, settings, report, what);
}

bool crash_try(struct findings *findings, const struct fuzz_settings *settings, const struct compiler_options *options,
               struct fuzz_report *report)
{
   struct {
      struct fuzz_crash where;
      struct compiler_progress stage;
   } *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   struct crash_search search = {.options = *options, .limits = fuzz_limits(settings)};
   struct finding *finding = malloc(sizeof(*finding));

   if (shared == MAP_FAILED || finding == NULL) {
      free(finding);
      return false;
   }
   search.where = &shared->where;
   search.stage = &shared->stage;
   const bool again = crash_again(&search, report);
   if (again) {
      report->fate = search.fate;
      report->phase = PHASE_ATTEMPT;
   }
   crash_look_into(&search, finding, findings, settings, report);
   if (findings_take(findings, finding)) {
      fuzz_report_finding(stderr, finding);
   }
   free(finding);
   munmap(shared, sizeof(*shared));
   return again;
}
