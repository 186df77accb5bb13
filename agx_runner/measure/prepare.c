/* SPDX-License-Identifier: MIT
 *
 * Prepares a benchmark pair. Both sides of a prepared pair have given the right answer, except for a dispatch in parts
 * on a virtual device, whose first answer is that of a sample. The pair has passed the code check, or its result is
 * "invalid".
 */
#include "agx_runner/measure/prepare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/codecheck.h"
#include "agx_runner/measure/length.h"
#include "agx_runner/measure/run.h"
#include "agx_runner/program/count.h"
#include "agx_runner/program/sources.h"
#include "agx_runner/results/published.h"
#include "agx_runner/terminal/runner.h"
#include "nir_kernels/mix.h"

static void compile_failed(const struct compiler_result *compiled, struct result *result)
{
   char sentence[2 * REFUSAL_WHAT];

   refusal_sentence(&compiled->why, sentence, sizeof(sentence));
   result_set(result,
              compiled->crash.crashed                    ? RESULT_CRASH
              : compiler_result_is_unsupported(compiled) ? RESULT_SKIP
                                                         : RESULT_FAIL,
              "does not compile: %.200s", sentence);
}

static bool upload(struct benchmark_pair *pair, const struct agx_program *const programs[2])
{
   for (unsigned i = 0; i < 2; i++) {
      struct benchmark_side *side = &pair->sides[i];

      if (programs[i] == programs[0] && i == 1) {
         side->program = pair->sides[0].program;
         continue;
      }
      const int ret = asahi_program_upload(pair->session->device, programs[i], &side->program);
      if (ret < 0) {
         return measure_device_failed(pair->session, "upload", ret);
      }
   }
   return true;
}

/* The program defines the kernel's arguments. Checks that they are those of the benchmark. */
static bool take_arguments(struct benchmark_pair *pair, const struct agx_program *program, struct result *result)
{
   const struct benchmark *benchmark = pair->benchmark;
   bool right = program->argument_count == benchmark->argument_count;

   for (unsigned i = 0; right && i < benchmark->argument_count; i++) {
      const bool buffer = benchmark->arguments[i] <= BENCH_OUTPUT;

      pair->arguments[i] = program->arguments[i];
      right = pair->arguments[i].kind == (buffer ? AGX_ARGUMENT_BUFFER : AGX_ARGUMENT_VALUE) &&
              pair->arguments[i].size == (buffer ? 8 : 4);
   }
   pair->argument_bytes = program->argument_bytes;
   if (!right) {
      result_set(result, RESULT_FAIL, "the kernel's arguments are not those of the benchmark");
   }
   return right;
}

/* Checks that every instruction of both programs of a mix is known, so that their difference needs no check. */
static bool check_mix(const struct benchmark_pair *pair, const struct agx_program *const programs[2],
                      struct result *result, char *why, size_t why_size)
{
   const struct bench_mix *mix = pair->benchmark->mix;
   unsigned expected, found;

   return bench_mix_check(mix, pair->sides[1].variant.repeat, programs[1], &expected, &found, why, why_size) &&
          bench_mix_check(mix, pair->sides[0].variant.repeat, programs[0], &result->expected, &result->found, why,
                          why_size);
}

static bool accept(struct benchmark_pair *pair, const struct agx_program *const programs[2])
{
   struct result *result = pair->session->result;
   const struct bench_variant variants[2] = {pair->sides[0].variant, pair->sides[1].variant};
   char why[160];

   result->program_hash = agx_program_hash(programs[0]);
   result->source_hash = source_hash(pair->benchmark);
   if (program_stats_of(programs[0], &result->program) < 0) {
      return measure_no_memory(pair->session);
   }
   pair->threadgroup_bytes = programs[0]->threadgroup_bytes;
   if (!bench_is_timed(pair->metric) && pair->benchmark->codegen.instruction == NULL) {
      return take_arguments(pair, programs[0], result) && upload(pair, programs);
   }
   snprintf(result->instruction, sizeof(result->instruction), "%s",
            pair->benchmark->codegen.sequence != NULL ? "in sequence" : pair->benchmark->codegen.instruction);
   snprintf(result->sequence, sizeof(result->sequence), "%s",
            pair->benchmark->codegen.sequence != NULL ? pair->benchmark->codegen.sequence : "");
   const bool right =
       pair->benchmark->mix != NULL
           ? check_mix(pair, programs, result, why, sizeof(why))
           : codecheck_pair(pair->benchmark, variants, programs, &result->expected, &result->found, why, sizeof(why));
   if (!right) {
      result_set(result, RESULT_INVALID, "%s", why);
   }
   return (right || bench_is_timed(pair->metric)) && take_arguments(pair, programs[0], result) &&
          upload(pair, programs);
}

static bool build(struct benchmark_pair *pair)
{
   struct result *result = pair->session->result;
   struct compiler_options options = benchmark_compiler_options(pair->benchmark, pair->session->info);
   struct compiler_result compiled[2] = {0};
   const unsigned count = pair->benchmark->scale == BENCH_SCALE_REPEAT && bench_is_timed(pair->metric) ? 2 : 1;
   bool built = true;

   options.lines = pair->session->checks;
   for (unsigned i = 0; built && i < count; i++) {
      const struct bench_mix *mix = pair->benchmark->mix;
      const struct bench_variant *variant = &pair->sides[i].variant;
      const int ret = mix != NULL ? bench_mix_build(mix, variant->repeat, &compiled[i])
                                  : bench_build(pair->benchmark, variant, &options, &compiled[i]);
      if (ret == -ENOMEM) {
         built = measure_no_memory(pair->session);
      } else if (ret < 0) {
         compile_failed(&compiled[i], result);
         built = false;
      }
   }
   if (built) {
      const struct agx_program *const programs[2] = {compiled[0].programs[0], compiled[count - 1].programs[0]};
      built = accept(pair, programs);
   }
   if (built && options.lines && count == 1) {
      pair->checked = compiled[0].programs[0];
      compiled[0].programs[0] = NULL;
   }
   for (unsigned i = 0; i < 2; i++) {
      compiler_result_finish(&compiled[i]);
   }
   return built;
}

static bool compute_expected(struct benchmark_pair *pair)
{
   for (unsigned i = 0; i < 2; i++) {
      struct benchmark_side *side = &pair->sides[i];

      side->expected = malloc(pair->output_bytes);
      if (side->expected == NULL) {
         return measure_no_memory(pair->session);
      }
      memcpy(side->expected, pair->initial, pair->output_bytes);
      const struct bench_io io = benchmark_pair_io(pair, i);
      pair->benchmark->expect(pair->benchmark, &side->variant, &io, side->expected);
   }
   return true;
}

/* Computes the answer of each side by running the other one for as many passes, for a benchmark without an answer of
 * the host. */
static bool compute_crosswise(struct benchmark_pair *pair)
{
   uint8_t *answers[2] = {NULL, NULL};
   bool done = true;

   for (unsigned i = 0; done && i < 2 && pair->benchmark->figure == NULL; i++) {
      struct benchmark_side *other = &pair->sides[1 - i];
      const uint32_t iterations = other->iterations;

      other->iterations = pair->sides[i].iterations * pair->sides[i].variant.repeat / other->variant.repeat;
      answers[i] = malloc(pair->output_bytes);
      done = answers[i] != NULL ? run_side(pair, 1 - i) : measure_no_memory(pair->session);
      if (done) {
         memcpy(answers[i], benchmark_pair_output(pair, 0), pair->output_bytes);
      }
      other->iterations = iterations;
   }
   for (unsigned i = 0; i < 2; i++) {
      pair->sides[i].expected = answers[i];
   }
   return done;
}

/* Stores what the device reports about the circumstances of the figure. */
static void fill_result(const struct benchmark_pair *pair, struct result *result)
{
   const struct bench_occupancy occupancy = benchmark_pair_occupancy(pair);
   struct published published;

   snprintf(result->unit, sizeof(result->unit), "%s", metric_unit(pair->benchmark, pair->metric));
   result->occupancy = occupancy.group / 32 * occupancy.threadgroups_per_core;
   if (pair->benchmark->published != 0) {
      result->reference = pair->benchmark->published;
      snprintf(result->reference_source, sizeof(result->reference_source), "%s", pair->benchmark->published_source);
   }
   if (published_find(pair->benchmark, pair->metric, &published)) {
      result->reference = published.value;
      snprintf(result->reference_qualifier, sizeof(result->reference_qualifier), "%s", published.qualifier);
      snprintf(result->reference_source, sizeof(result->reference_source), "%s: %s", REFERENCE_SOURCE, published.row);
      result->likeness = published.likeness;
   }
}

/* Computes the answers of both sides, and checks that both give them. */
static bool find_answers(struct benchmark_pair *pair)
{
   struct result *result = pair->session->result;
   struct run_command both[] = {{.pair = pair, .side = 0}, {.pair = pair, .side = 1}};

   if (!bench_is_timed(pair->metric)) {
      return pair->metric != BENCH_CHECK || pair->benchmark->expect == NULL || compute_expected(pair);
   }
   if (benchmark_pair_has_parts(pair)) {
      return run_growing(pair, LENGTH_COMMAND_NS_MAX);
   }
   if (!(pair->benchmark->expect != NULL ? compute_expected(pair) : compute_crosswise(pair)) ||
       !run_commands(both, pair->metric == BENCH_DISPATCH ? 1 : 2, NULL)) {
      return false;
   }
   result->check = RESULT_CHECK_PASS;
   return true;
}

bool prepare_longer(struct benchmark_pair *pair, bool *longer)
{
   if (!length_grow(pair, longer)) {
      return false;
   }
   if (!*longer) {
      return true;
   }
   for (unsigned i = 0; i < 2; i++) {
      free(pair->sides[i].expected);
      pair->sides[i].expected = NULL;
   }
   return find_answers(pair);
}

void prepare_settle_other_code(struct result *result, const char *why)
{
   if (result->status == RESULT_INVALID) {
      result_withhold(result);
   } else if (result->status == RESULT_SKIP || (result->status == RESULT_FAIL && result->check == RESULT_CHECK_PASS)) {
      result_set(result, RESULT_INVALID, "%s", why);
   }
}

struct benchmark_pair *prepare_pair(struct session *session, const struct benchmark *benchmark,
                                    enum bench_metric metric, uint64_t seed)
{
   struct result *result = session->result;
   struct benchmark_pair *pair = calloc(1, sizeof(*pair));
   struct bench_variant variants[2];

   if (pair == NULL) {
      (void)measure_no_memory(session);
      return NULL;
   }
   *pair = (struct benchmark_pair){
       .session = session, .benchmark = benchmark, .metric = metric, .seed = seed, .dispatch = benchmark->dispatch};
   if (metric == BENCH_RESIDENCY) {
      pair->dispatch.groups *= session->info->cores;
   }
   metric_variants(benchmark, metric, variants);
   pair->sides[0].variant = variants[0];
   pair->sides[1].variant = variants[1];
   fill_result(pair, result);
   bool ready = build(pair);
   const bool other_code = result->status == RESULT_INVALID;
   char why[sizeof(result->reason)];

   memcpy(why, result->reason, sizeof(why));
   ready = ready && length_choose(pair) && find_answers(pair);
   if (!ready && other_code) {
      prepare_settle_other_code(result, why);
   }
   if (!ready) {
      benchmark_pair_destroy(pair);
      pair = NULL;
   }
   return pair;
}
