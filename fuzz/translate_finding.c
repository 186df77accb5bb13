/* SPDX-License-Identifier: MIT
 *
 * Tries a finding in NIR again in OpenCL C. Invariant: a kernel that is reported fails as the program does: a wrong
 * answer or a report for which the same is blamed, or a crash in the same pass.
 */
#include "fuzz/translate_finding.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

#include "fuzz/backend_blame.h"
#include "fuzz/translate/translate.h"
#include "util/clock.h"
#include "agx_runner/terminal/progress.h"
#include "fuzz/nir/watch/heap.h"
#include "compiler/api/stage.h"

#define CPU_SECONDS 30 /* of processor time: what all tries of a finding may take */

#define WAYS 32 /* and fewer */

/* In memory that is shared with the process that tries. */
struct translation {
   struct translated translated;
   struct translated_kernel kernel; /* the one that is tried */
   struct attempt_result result;
   unsigned way;
   uint64_t tried[WAYS]; /* hashes of the kernels' texts */
   struct fuzz_crash crash;
   struct compiler_progress stage;
   bool trying; /* a crash is the kernel's */
   bool done;
};

struct tries {
   const struct fuzz_settings *settings;
   const struct finding *finding;
   struct translation *translation;
   struct bench_device bench;
};

/* Whether an earlier way gave the same kernel, which is frequent. */
static bool was_tried(struct translation *translation)
{
   size_t size = 0;
   char *text = ocl_text(&translation->kernel.program, &size);
   const uint64_t hash = XXH3_64bits(text, size);

   free(text);
   for (unsigned i = 0; i < translation->way; i++) {
      if (translation->tried[i] == hash) {
         return true;
      }
   }
   translation->tried[translation->way] = hash;
   return false;
}

struct kernel_trials {
   const struct fuzz_settings *settings;
   struct fuzz_report *report;
};

/* Runs a trial in a process of its own, because the compiler may crash with other registers. */
static enum verdict try_again(const struct backend_trial *trial, void *data)
{
   const struct kernel_trials *trials = data;

   return findings_trial(trials->settings, trials->report, trial);
}

/* Blames a kernel's wrong answer on the first pass of NIR that makes it, or on the first optimization of the backend
 * whose absence cures it. */
static void blame(struct tries *tries, struct ocl_program *kernel, char blamed[FINDING_BLAMED])
{
   struct fuzz_report *report = calloc(1, sizeof(*report));
   struct fuzz_blame nir;
   char verdict[112];

   attempt_blame_kernel(kernel, &tries->bench.options, &nir);
   if (report == NULL || !nir.done) {
      snprintf(blamed, FINDING_BLAMED, "not blamed: the compiler did not finish");
   } else if (!finding_blame_nir(&nir, blamed, verdict, sizeof(verdict))) {
      const struct kernel_trials trials = {tries->settings, report};
      bool phis;
      report->language = LANGUAGE_OPENCL;
      report->kernel = *kernel;
      const unsigned pass = backend_blame(try_again, (void *)&trials, &phis);
      finding_blame_backend(pass, &nir, phis, blamed);
   }
   free(report);
}

static bool is_wanted(const struct finding *finding, enum verdict verdict)
{
   return (finding->kind == FINDING_WRONG && verdict == VERDICT_DIFFERENT) ||
          (finding->kind == FINDING_CHECKED && verdict == VERDICT_CHECKED) ||
          (finding->kind == FINDING_UNHANDLED && verdict == VERDICT_UNHANDLED);
}

/* Notes that a kernel fails in another way. The first, simplest one counts. */
static void fails_otherwise(struct translated *translated, const char *how)
{
   if (translated->state != TRANSLATED_OTHERWISE) {
      translated->state = TRANSLATED_OTHERWISE;
      snprintf(translated->why, sizeof(translated->why), "%s", how);
   }
}

/* Tries one kernel. True: no other need be tried. */
static bool try_kernel(struct tries *tries)
{
   const struct finding *finding = tries->finding;
   struct translated *translated = &tries->translation->translated;
   struct attempt_result *result = &tries->translation->result;
   char blamed[FINDING_BLAMED] = "";

   tries->translation->trying = true;
   attempt_kernel(&tries->bench, &tries->translation->kernel.program, result);
   tries->translation->trying = false;
   if (!is_wanted(finding, result->verdict)) {
      const bool refused = result->verdict == VERDICT_REFUSED || result->verdict == VERDICT_UNSUPPORTED;
      if (refused && translated->state != TRANSLATED_OTHERWISE) {
         translated->state = TRANSLATED_IMPOSSIBLE;
         snprintf(translated->why, sizeof(translated->why), "the compiler refuses it: %.100s", result->why);
      } else if (result->verdict == VERDICT_ALIKE && translated->state != TRANSLATED_OTHERWISE) {
         translated->state = TRANSLATED_RIGHT;
      }
      return false;
   }
   if (finding->kind == FINDING_WRONG) {
      blame(tries, &tries->translation->kernel.program, blamed);
   } else if (finding->kind == FINDING_CHECKED) {
      finding_blame_report(result->why, blamed);
   } else {
      snprintf(blamed, sizeof(blamed), "%.120s", result->why);
   }
   if (strcmp(blamed, finding->blamed) == 0) {
      translated->state = TRANSLATED_FAILS;
      tries->translation->kernel.expected = result->expected;
      translated->difference = result->difference;
      return true;
   }
   fails_otherwise(translated, blamed);
   return false;
}

/* All ways from translation->way on. */
static void try_ways(struct tries *tries)
{
   struct translation *translation = tries->translation;
   const struct fuzz_report *report = &tries->finding->report;
   const struct fuzz_outputs *expected =
       tries->finding->kind == FINDING_WRONG ? &tries->finding->expected.program : NULL;
   const uint32_t lane = tries->finding->kind == FINDING_WRONG ? report->difference.lane : 0;
   struct translate_way way;
   char why[TRANSLATE_WHY];

   for (; translation->way < WAYS && translate_way(translation->way, &way); translation->way++) {
      if (!translate_program(&report->program, lane % FUZZ_LANES, expected, &way, &translation->kernel.program, why)) {
         if (translation->translated.state == TRANSLATED_NOT_TRIED) {
            translation->translated.state = TRANSLATED_IMPOSSIBLE;
            snprintf(translation->translated.why, sizeof(translation->translated.why), "%s", why);
         }
      } else if (!was_tried(translation) && try_kernel(tries)) {
         return;
      }
   }
}

static void run(void *data)
{
   struct tries *tries = data;
   const struct fuzz_settings *settings = tries->settings;
   char why[256];

   compiler_set_in_process(true);
   fuzz_crash_watch(&tries->translation->crash);
   compiler_stage_set(&tries->translation->stage);
   if (tries->finding->kind == FINDING_CRASH) {
      (void)fuzz_heap_guard();
   }
   if (bench_device_open(&tries->bench, settings->device, NULL, why, sizeof(why)) == 0) {
      (void)bench_device_listen(&tries->bench);
      try_ways(tries);
   }
   tries->translation->done = true;
}

/* Handles a crash of the process that tries. Returns whether the program crashes in the same place. */
static bool blame_crash(const struct finding *finding, struct translation *translation, int signal)
{
   struct translated *translated = &translation->translated;
   char place[sizeof(finding->report.crashed)], how[FINDING_BLAMED];

   (void)fuzz_crash_place(&translation->crash, place, sizeof(place));
   if (finding->kind == FINDING_CRASH && place[0] != '\0' && strcmp(place, finding->report.crashed) == 0) {
      translated->state = TRANSLATED_FAILS;
      return true;
   }
   snprintf(how, sizeof(how), "%.40s in %.60s", strsignal(signal), place[0] != '\0' ? place : "the compiler");
   fails_otherwise(translated, how);
   return false;
}

static void take_kernel(struct finding *finding, const struct translated_kernel *kernel)
{
   struct translated *translated = &finding->translated;

   if (translated->state == TRANSLATED_FAILS && (translated->kernel = malloc(sizeof(*kernel))) != NULL) {
      *translated->kernel = *kernel;
   } else if (translated->state == TRANSLATED_FAILS) {
      translated->state = TRANSLATED_LATE;
      snprintf(translated->why, sizeof(translated->why), "out of memory");
   }
}

void translate_finding(struct finding *finding, const struct fuzz_settings *settings,
                       const volatile sig_atomic_t *interrupted)
{
   struct translation *translation =
       mmap(NULL, sizeof(*translation), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   struct tries *tries = calloc(1, sizeof(*tries));
   const struct call_limits limits = {.work = CPU_SECONDS, .idle = fuzz_limits(settings).idle, .cancel = interrupted};
   bool more = translation != MAP_FAILED && tries != NULL;
   char how[96] = "out of memory";

   compiler_prepare();
   while (more && !translation->done && translation->way < WAYS) {
      *tries = (struct tries){.settings = settings, .finding = finding, .translation = translation};
      const struct call_fate fate = call_run(run, tries, &limits);
      /* A crash while it is blamed, or a limit, ends it. */
      more = fate.end == CALL_CRASHED && translation->trying && !blame_crash(finding, translation, fate.number);
      call_describe(&fate, &limits, how, sizeof(how));
      translation->trying = false;
      translation->way += more ? 1 : 0;
   }
   if (translation != MAP_FAILED) {
      finding->translated = translation->translated;
      take_kernel(finding, &translation->kernel);
      /* Not all ways were tried. */
      if (!translation->done &&
          (finding->translated.state == TRANSLATED_RIGHT || finding->translated.state == TRANSLATED_NOT_TRIED)) {
         finding->translated.state = TRANSLATED_LATE;
         snprintf(finding->translated.why, sizeof(finding->translated.why), "%s", how);
      }
      munmap(translation, sizeof(*translation));
   }
   free(tries);
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
         finding->translated.state = TRANSLATED_LATE;
         snprintf(finding->translated.why, sizeof(finding->translated.why), "no time was left");
      } else {
         translate_finding(finding, settings, interrupted);
      }
   }
   progress_finish(&progress);
}
