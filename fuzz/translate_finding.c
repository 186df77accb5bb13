/* SPDX-License-Identifier: MIT
 *
 * Tries a finding in NIR again in OpenCL C. Invariants: a kernel that is reported fails as the program does: a wrong
 * answer or a report for which the same is blamed, or a crash in the same pass; each try is a process of its own.
 */
#include "fuzz/translate_finding.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "fuzz/crash.h"
#include "fuzz/translate/translate.h"
#include "util/clock.h"
#include "agx_runner/terminal/progress.h"

#define CPU_SECONDS 60 /* of processor time: what all tries of a finding may take */
#define WAYS 32        /* and fewer */

struct tries {
   const struct fuzz_settings *settings;
   struct finding *finding;
   struct finding *kernel; /* what a way gives */
   unsigned way;
   uint64_t tried[WAYS]; /* hashes of the kernels' texts */
};

static void set_state(struct translated *translated, enum translated_state state, const char *why)
{
   translated->state = state;
   snprintf(translated->why, sizeof(translated->why), "%s", why);
}

/* Not all ways were tried. */
static void set_late(struct translated *translated, const char *why)
{
   if (translated->state == TRANSLATED_RIGHT || translated->state == TRANSLATED_NOT_TRIED) {
      set_state(translated, TRANSLATED_LATE, why);
   }
}

/* Whether an earlier way gave the same kernel, which is frequent. */
static bool was_tried(struct tries *tries)
{
   size_t size = 0;
   char *text = ocl_text(&tries->kernel->report.kernel, &size);
   const uint64_t hash = XXH3_64bits(text, size);

   free(text);
   for (unsigned i = 0; i < tries->way; i++) {
      if (tries->tried[i] == hash) {
         return true;
      }
   }
   tries->tried[tries->way] = hash;
   return false;
}

/* Whether a kernel that fails does so as the program does. Names who is to blame for it. */
static bool fails_alike(const struct tries *tries, bool ended)
{
   const struct finding *finding = tries->finding;
   struct finding *kernel = tries->kernel;
   const struct fuzz_report *report = &kernel->report;

   if (!ended) {
      snprintf(kernel->blamed, sizeof(kernel->blamed), "%.40s in %.60s", strsignal(report->fate.number),
               report->crashed[0] != '\0' ? report->crashed : "the compiler");
      return finding->kind == FINDING_CRASH && report->crashed[0] != '\0' &&
             strcmp(report->crashed, finding->report.crashed) == 0;
   }
   if (finding->kind == FINDING_WRONG) {
      finding_blame_answer(kernel, tries->settings);
   } else if (finding->kind == FINDING_CHECKED) {
      finding_blame_report(report->why, kernel->blamed);
   } else {
      snprintf(kernel->blamed, sizeof(kernel->blamed), "%.120s", report->why);
   }
   return strcmp(kernel->blamed, finding->blamed) == 0;
}

static void take_kernel(struct translated *translated, const struct fuzz_report *report)
{
   translated->kernel = calloc(1, sizeof(*translated->kernel));
   if (translated->kernel == NULL) {
      set_state(translated, TRANSLATED_LATE, "out of memory");
      return;
   }
   translated->state = TRANSLATED_FAILS;
   translated->difference = report->difference;
   translated->kernel->program = report->kernel;
   (void)ocl_evaluate(&translated->kernel->program, &translated->kernel->expected.kernel);
}

/* Tries one kernel. True: no other need be tried. */
static bool try_kernel(struct tries *tries)
{
   struct translated *translated = &tries->finding->translated;
   struct finding *kernel = tries->kernel;
   struct fuzz_report *report = &kernel->report;
   const bool otherwise = translated->state == TRANSLATED_OTHERWISE;
   const struct call_limits limits = fuzz_limits(tries->settings);
   struct compiler_options options;
   const char *how = findings_try(tries->settings, report, tries->finding->kind == FINDING_CRASH, &options);
   const bool ended = report->fate.end == CALL_DONE, refused = report->verdict == VERDICT_REFUSED;
   char why[160];

   kernel->kind = finding_kind_of(report);
   if (how == findings_no_device || (!ended && report->fate.end != CALL_CRASHED)) {
      call_describe(&report->fate, &limits, why, sizeof(why));
      set_late(translated, ended ? how : why);
      return true;
   }
   if (!ended || kernel->kind == tries->finding->kind) {
      if (fails_alike(tries, ended)) {
         take_kernel(translated, report);
         return true;
      }
      if (!otherwise) { /* the first, simplest one counts */
         set_state(translated, TRANSLATED_OTHERWISE, kernel->blamed);
      }
   } else if (!otherwise && (refused || report->verdict == VERDICT_UNSUPPORTED)) {
      snprintf(why, sizeof(why), "the compiler refuses it: %.100s", report->why);
      set_state(translated, TRANSLATED_IMPOSSIBLE, why);
   } else if (!otherwise && report->verdict == VERDICT_ALIKE) {
      translated->state = TRANSLATED_RIGHT;
   }
   return false;
}

/* All ways, until a kernel fails as the program does. */
static void try_ways(struct tries *tries, const volatile sig_atomic_t *interrupted)
{
   const struct finding *finding = tries->finding;
   struct translated *translated = &tries->finding->translated;
   const bool wrong = finding->kind == FINDING_WRONG;
   const double end = crash_children_seconds() + CPU_SECONDS;
   struct translate_way way;
   char why[TRANSLATE_WHY];

   for (; tries->way < WAYS && translate_way(tries->way, &way); tries->way++) {
      if (*interrupted || crash_children_seconds() > end) {
         set_late(translated, "no time was left");
         return;
      }
      memset(tries->kernel, 0, sizeof(*tries->kernel));
      tries->kernel->report.language = LANGUAGE_OPENCL;
      if (!translate_program(&finding->report.program, wrong ? finding->report.difference.lane % FUZZ_LANES : 0,
                             wrong ? &finding->expected.program : NULL, &way, &tries->kernel->report.kernel, why)) {
         if (translated->state == TRANSLATED_NOT_TRIED) {
            set_state(translated, TRANSLATED_IMPOSSIBLE, why);
         }
      } else if (!was_tried(tries) && try_kernel(tries)) {
         return;
      }
   }
}

/* Fills in finding->translated. */
static void translate_finding(struct finding *finding, const struct fuzz_settings *settings,
                              const volatile sig_atomic_t *interrupted)
{
   struct tries tries = {.settings = settings, .finding = finding, .kernel = malloc(sizeof(*tries.kernel))};

   if (tries.kernel == NULL) {
      set_late(&finding->translated, "out of memory");
      return;
   }
   compiler_prepare();
   try_ways(&tries, interrupted);
   free(tries.kernel);
}

static bool is_wanted_in_opencl(const struct finding *finding)
{
   return !finding->known && fuzz_language(&finding->report)->translated &&
          (finding->kind == FINDING_WRONG || finding->kind == FINDING_CRASH || finding->kind == FINDING_CHECKED ||
           finding->kind == FINDING_UNHANDLED);
}

void translate_findings(struct findings *findings, const struct fuzz_settings *settings,
                        const volatile sig_atomic_t *interrupted)
{
   const double end = util_clock_seconds() + settings->seconds / 2;
   struct progress progress;
   size_t wanted = 0;

   if (settings->against != NULL) {
      return;
   }
   for (size_t i = 0; i < findings->count; i++) {
      wanted += is_wanted_in_opencl(findings->items[i]);
   }
   progress_start(&progress, wanted);
   for (size_t i = 0; i < findings->count; i++) {
      struct finding *finding = findings->items[i];
      if (!is_wanted_in_opencl(finding)) {
         continue;
      }
      progress_step(&progress, "the findings in OpenCL C");
      if (*interrupted || (settings->seconds > 0 && util_clock_seconds() > end)) {
         set_late(&finding->translated, "no time was left");
      } else {
         translate_finding(finding, settings, interrupted);
      }
   }
   progress_finish(&progress);
}
