/* SPDX-License-Identifier: MIT
 *
 * A worker: generates, attempts, shrinks. Invariant: which programs it takes depends on its number and the number of
 * jobs only, and what a program is depends on seed and index only.
 */
#include "fuzz/worker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "agx_runner/terminal/runner.h"
#include "fuzz/attempt/refusal.h"
#include "fuzz/nir/generate/generate.h"
#include "fuzz/nir/watch/heap.h"
#include "process/child/child.h"
#include "util/random.h"

#define SMALL_EVERY 16     /* programs, behind which small ones are compiled */
#define SMALL_PROGRAMS 256 /* of them: they take about half as long as the programs between */

struct worker_state {
   const struct fuzz_settings *settings;
   struct fuzz_shared *shared;
   struct fuzz_progress *progress;
   struct bench_device bench;
   enum verdict wanted;
   char wanted_kind[FUZZ_KIND]; /* of VERDICT_REFUSED: of the front end's message */
   struct attempt_result result;
   struct fuzz_crash_record *record; /* what it has to lose is there */
   struct fuzz_report *report;       /* record->report */
   uint32_t number;
   int orders, reports;
   bool sent; /* the runner may still read record->shrunk */
};

/* Begins a step, which has the limits of one try. */
static void begin_step(struct worker_state *state)
{
   state->progress->steps++;
   call_limit_work(fuzz_limits(state->settings).work);
}

/* A kernel in OpenCL C takes about ten times as long as a program in NIR: one in 16 is one. */
static bool is_opencl(const struct fuzz_settings *settings, uint64_t index)
{
   return settings->language == FUZZ_OPENCL || (settings->language == FUZZ_ALL && index % 16 == 15);
}

uint64_t fuzz_seed_of(const struct fuzz_settings *settings, uint64_t index)
{
   return (settings->seed * 0x9e3779b97f4a7c15u) ^ (index * 0xd1342543de82ef95u + 1);
}

void fuzz_program_of(const struct fuzz_settings *settings, uint64_t index, struct fuzz_report *report)
{
   report->language = is_opencl(settings, index) ? LANGUAGE_OPENCL : LANGUAGE_NIR;
   fuzz_language(report)->generate(&report->program, settings, index, fuzz_seed_of(settings, index));
}

uint64_t fuzz_report_hash(const struct fuzz_report *report)
{
   return XXH3_64bits(&report->program, fuzz_language(report)->bytes);
}

static bool has_crashed(const struct fuzz_crash_record *record)
{
   const uint64_t hash = record->crashers != 0 ? fuzz_report_hash(&record->tried) : 0;

   for (uint32_t i = 0; i < record->crashers; i++) {
      if (record->crasher[i] == hash) {
         return true;
      }
   }
   return false;
}

static void begin_try(struct worker_state *state)
{
   begin_step(state);
   state->progress->trying = true;
}

static void end_try(struct worker_state *state)
{
   begin_step(state); /* the shrinker's, which makes the next program */
   state->progress->trying = false;
}

static bool is_kind(const char *message, const char *wanted)
{
   char kind[FUZZ_KIND];

   refusal_kind(message, kind, sizeof(kind));
   return strcmp(kind, wanted) == 0;
}

static bool fails(void *program, void *data)
{
   struct worker_state *state = data;
   const struct language *language = fuzz_language(state->report);

   memcpy(&state->record->tried.program, program, language->bytes);
   if (has_crashed(state->record)) {
      return false;
   }
   begin_try(state);
   language->attempt(&state->bench, program, &state->result);
   end_try(state);
   return state->result.verdict == state->wanted &&
          (state->wanted != VERDICT_REFUSED || is_kind(state->result.why, state->wanted_kind));
}

/* Whether all wrong outputs hold shapes found before. The first that does not becomes the difference: else faults that
 * many programs show would hide the others. */
static bool known_shape(struct worker_state *state)
{
   const struct language *language = fuzz_language(state->report);
   struct attempt_result *result = &state->result;
   const uint32_t count = __atomic_load_n(&state->shared->shape_count, __ATOMIC_ACQUIRE);

   return language->next_difference != NULL && state->wanted == VERDICT_DIFFERENT &&
          !language->next_difference(&state->report->program, result, result->difference.output, state->shared->shapes,
                                     count, &result->difference);
}

static void lock(const struct worker_state *state)
{
   uint32_t nobody = 0;

   while (!__atomic_compare_exchange_n(&state->shared->lock, &nobody, state->number + 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED)) {
      nobody = 0;
      usleep(100);
   }
}

void fuzz_worker_unlock(struct fuzz_shared *shared, uint32_t number)
{
   uint32_t holder = number + 1;

   (void)__atomic_compare_exchange_n(&shared->lock, &holder, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

static void share_shape(const struct worker_state *state, const struct fuzz_program *program)
{
   struct fuzz_shared *shared = state->shared;

   lock(state);
   if (shared->shape_count < FUZZ_SHAPES) {
      shared->shapes[shared->shape_count] = *program;
      __atomic_fetch_add(&shared->shape_count, 1, __ATOMIC_RELEASE);
   }
   fuzz_worker_unlock(shared, state->number);
}

/* Whether the front end has refused a kernel with such a message before. From now on it has. */
static bool known_refusal(const struct worker_state *state, const char *kind)
{
   struct fuzz_shared *shared = state->shared;
   bool known = false;

   lock(state);
   for (uint32_t i = 0; i < shared->refusal_count; i++) {
      known |= strcmp(shared->refusals[i], kind) == 0;
   }
   if (!known && shared->refusal_count < FUZZ_REFUSALS) {
      snprintf(shared->refusals[shared->refusal_count++], FUZZ_KIND, "%s", kind);
   }
   fuzz_worker_unlock(shared, state->number);
   return known;
}

/* Waits until the runner has looked into the last report. Its order is a line: what is left of it would pass for the
 * next order. Returns false if the runner is gone. */
static bool wait_for_order(struct worker_state *state)
{
   for (char c = '\0'; c != '\n';) {
      const ssize_t got = read(state->orders, &c, 1);
      if (got == 0 || (got < 0 && errno != EINTR)) {
         return false;
      }
   }
   return true;
}

/* Hands the report over. Returns false if the runner is gone. */
static bool send_report(struct worker_state *state)
{
   call_limit_work(0);
   state->progress->waiting = true;
   if (state->sent && !wait_for_order(state)) {
      return false;
   }
   state->record->shrunk = *state->report;
   state->sent = true;
   child_report(state->reports, "failed %" PRIu64, state->report->index);
   state->progress->phase = PHASE_TRIED;
   begin_step(state);
   state->progress->waiting = false;
   return true;
}

static bool shrink_report(struct worker_state *state)
{
   struct fuzz_report *report = state->report;
   const struct fuzz_difference difference = state->result.difference;

   fuzz_language(report)->shrink(&report->program, state->wanted == VERDICT_DIFFERENT ? &difference : NULL, fails,
                                 state);
   if (!fails(&report->program, state)) {
      return false;
   }
   report->difference = state->result.difference;
   memcpy(report->why, state->result.why, sizeof(report->why));
   if (fuzz_language(report)->next_difference != NULL) {
      share_shape(state, &report->program);
   }
   return true;
}

/* Counts a program that failed once and not again. One that crashed has its finding already. */
static bool count_unstable(struct worker_state *state)
{
   if (!has_crashed(state->record)) {
      state->progress->counts.unstable++;
      state->progress->unstable_index = state->report->index;
      snprintf(state->progress->unstable_why, sizeof(state->progress->unstable_why), "%.150s", state->report->why);
   }
   state->progress->phase = PHASE_TRIED;
   return true;
}

/* Shrinks and sends a program that fails. */
static bool shrink(struct worker_state *state)
{
   struct fuzz_report *report = state->report;

   report->verdict = state->wanted;
   report->difference = state->result.difference;
   snprintf(report->why, sizeof(report->why), "%s",
            state->wanted == VERDICT_DIFFERENT ? "a wrong answer" : state->result.why);
   state->record->tried = *report;
   state->progress->phase = PHASE_SHRINK;
   const bool again = shrink_report(state);
   return again ? send_report(state) : count_unstable(state);
}

/* Sets how a smaller program must fail. */
static void want(struct worker_state *state, enum verdict verdict, const char *why)
{
   state->wanted = verdict;
   refusal_kind(why, state->wanted_kind, sizeof(state->wanted_kind));
}

/* Whether the program is like others that were shrunk. One in 8 that hold a known shape is shrunk all the same. */
static bool like_others(struct worker_state *state)
{
   if (state->wanted == VERDICT_REFUSED) {
      return known_refusal(state, state->wanted_kind);
   }
   return known_shape(state) && state->report->index * 0x9e3779b97f4a7c15u >> 61 != 0;
}

/* Shrinks and sends a program that fails, unless it is like an earlier one. Returns false if the runner is gone. */
static bool look_into(struct worker_state *state)
{
   state->progress->counts.different++;
   want(state, state->result.verdict, state->result.why);
   if (like_others(state)) {
      state->progress->counts.repeated++;
      return true;
   }
   state->record->crashers = state->record->resumed = 0;
   return shrink(state);
}

/* Continues the shrinking of a worker that was lost. */
static bool resume(struct worker_state *state)
{
   struct fuzz_report *report = state->report;

   want(state, report->verdict, report->why);
   state->progress->phase = PHASE_SHRINK;
   const bool again = fails(&report->program, state);
   return again ? shrink(state) : count_unstable(state);
}

/* Whether the program did not run. */
static bool is_untried(enum verdict verdict)
{
   return verdict == VERDICT_UNSUPPORTED || verdict == VERDICT_REFUSED || verdict == VERDICT_UNDEFINED;
}

static bool one_program(struct worker_state *state, uint64_t index)
{
   struct fuzz_progress *progress = state->progress;

   begin_step(state);
   state->report->index = progress->index = index;
   progress->phase = PHASE_GENERATE;
   fuzz_program_of(state->settings, index, state->report);
   progress->phase = PHASE_ATTEMPT;
   const struct language *language = fuzz_language(state->report);
   language->attempt(&state->bench, &state->report->program, &state->result);
   if (language->cover != NULL) {
      language->cover(&state->report->program, state->shared->rules);
   }
   progress->phase = PHASE_TRIED;
   progress->counts.tried[state->report->language]++;
   progress->counts.expressions += language_outputs(language, &state->report->program);
   const char *why = state->result.why;
   const enum verdict verdict = state->result.verdict;
   progress->counts.untried[state->report->language] += is_untried(verdict) ? 1 : 0;
   switch (verdict) {
   case VERDICT_ALIKE:
      return true;
   case VERDICT_UNSUPPORTED:
   case VERDICT_REFUSED:
      progress->counts.refused++;
      snprintf(progress->refusal, sizeof(progress->refusal), "%.150s", why);
      return verdict == VERDICT_UNSUPPORTED || look_into(state);
   case VERDICT_UNDEFINED:
      progress->counts.undefined++;
      snprintf(progress->indeterminate, sizeof(progress->indeterminate), "%.95s", why);
      return true;
   default:
      return look_into(state);
   }
}

/* Compiles small programs that spill, and runs none: their faults are rare, and most of them are crashes of the
 * compiler. */
static void compile_small(struct worker_state *state, uint64_t index)
{
   struct util_random seeds = {fuzz_seed_of(state->settings, index)};

   state->progress->phase = PHASE_COMPILE;
   memset(state->report, 0, sizeof(*state->report));
   state->report->index = index;
   for (uint64_t i = 0; i < SMALL_PROGRAMS; i++) {
      struct compiler_result compiled = {0};
      begin_step(state);
      fuzz_generate(&state->report->program, util_random_next(&seeds), FUZZ_SMALL, -1);
      state->progress->counts.compiled++;
      (void)fuzz_compile(&state->report->program, &state->bench.options, NULL, &compiled);
      compiler_result_finish(&compiled);
   }
   state->progress->phase = PHASE_TRIED;
}

int fuzz_worker_live(void *data, int orders, int reports)
{
   const struct fuzz_worker *worker = data;
   const struct fuzz_settings *settings = worker->settings;
   struct fuzz_shared *shared = worker->shared;
   struct worker_state *state = calloc(1, sizeof(*state));
   char why[256];

   if (state == NULL) {
      return EXIT_FAILED;
   }
   compiler_set_in_process(true);
   state->number = worker->number;
   state->orders = orders;
   state->reports = reports;
   state->record = &shared->workers[worker->number].record;
   state->report = &state->record->report;
   fuzz_crash_watch(&state->record->crash);
   (void)fuzz_heap_guard();
   state->settings = settings;
   state->shared = shared;
   state->progress = &shared->workers[worker->number].progress;
   state->progress->phase = PHASE_OPEN;
   state->progress->trying = state->progress->waiting = false;
   compiler_stage_set(&state->progress->stage);
   begin_step(state);
   if (bench_device_open(&state->bench, settings->device, settings->against, why, sizeof(why)) < 0) {
      (void)complain(EXIT_FAILED, "fuzz: %s", why);
      return EXIT_SKIPPED;
   }
   shared->options = state->bench.options;
   (void)bench_device_listen(&state->bench);
   bool more = !state->record->resume || resume(state);
   state->record->resume = false;
   for (uint64_t index = worker->first; more && __atomic_load_n(&shared->stop, __ATOMIC_RELAXED) == 0;
        index += worker->jobs) {
      if (settings->count != 0 && index - settings->first >= settings->count) {
         break;
      }
      more = one_program(state, index);
      if (more && settings->language != FUZZ_OPENCL && index % SMALL_EVERY == 0) {
         compile_small(state, index);
      }
   }
   state->progress->phase = PHASE_DONE;
   bench_device_close(&state->bench);
   free(state);
   return more ? EXIT_OK : EXIT_FAILED;
}
