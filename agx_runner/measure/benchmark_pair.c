/* SPDX-License-Identifier: MIT */
#include "agx_runner/measure/benchmark_pair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/answer.h"
#include "agx_runner/measure/codecheck.h"
#include "agx_runner/results/published.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/program/sources.h"
#include "nir_kernels/mix.h"

/* How long side 0 shall run: long against the timestamps' resolution and against jitter. Modelled time has no jitter
 * unless it is asked for, and every microsecond of it costs the host work. */
static const struct {
   double virtual_ns, disturbed_ns, hardware_ns;
} target = {8e3, 32e3, 2e6};

#define FIRST_ITERATIONS 8
#define FIRST_MIX_ITERATIONS 2 /* even, as all: twice the passes then take half the iterations */
#define ITERATIONS_MAX (1u << 22)
#define THREADS_MAX (1u << 24)
#define SIZE_ATTEMPTS 8
#define CONTROL_UNROLLED                                                                                               \
   12 /* operations that the control kernel's loop would hold: all its repetitions are multiples */

static struct bench_occupancy occupancy_of(const struct pair *pair)
{
   const struct metric_info *metric = &metric_infos[pair->metric];
   const struct bench_once *once = &pair->once;

   return pair->benchmark->mix != NULL ? pair->benchmark->mix->occupancy
          : bench_is_timed(pair->metric)
              ? (struct bench_occupancy){metric->group, metric->threadgroups_per_core, metric->threadgroup_bytes, 0}
              : (struct bench_occupancy){.group = once->group, .half_registers = once->half_registers};
}

static bool no_memory(struct result *result, bool *lost)
{
   result_set(result, RESULT_FAIL, "out of memory");
   *lost = true;
   return false;
}

static bool device_failed(struct pair *pair, struct result *result, const char *what, int error, bool *lost)
{
   const char *message = asahi_device_error(pair->session->device);

   result_set(result, error == -ETIME ? RESULT_HANG : RESULT_FAIL, "%s: %s", what,
              message[0] != '\0' ? message : strerror(-error));
   /* After ETIME the job may still run: nothing that comes after it could be trusted. */
   *lost |= error == -ENODEV || error == -ETIME || error == -ENOMEM;
   return false;
}

/* The first line of the compiler's log, and the second where that is only announced. */
static void compile_failed(const struct compiler_result *compiled, struct result *result)
{
   const char *log = compiled->log != NULL ? compiled->log : "";
   const size_t first = strcspn(log, "\n");
   const char *next = first > 0 && log[first - 1] == ':' ? log + first + strspn(log + first, "\n ") : "";

   result_set(result,
              compiled->crash.crashed ? RESULT_CRASH
              : compiled->unsupported ? RESULT_SKIP
                                      : RESULT_FAIL,
              "does not compile: %.*s%s%.*s", (int)first, log, next[0] != '\0' ? " " : "", (int)strcspn(next, "\n"),
              next);
}

static bool upload(struct pair *pair, const struct agx_program *const programs[2], struct result *result, bool *lost)
{
   for (unsigned i = 0; i < 2; i++) {
      struct side *side = &pair->sides[i];

      if (programs[i] == programs[0] && i == 1) {
         side->program = pair->sides[0].program;
         continue;
      }
      const int ret = asahi_program_upload(pair->session->device, programs[i], &side->program);
      if (ret < 0) {
         return device_failed(pair, result, "upload", ret, lost);
      }
   }
   return true;
}

/* What the kernel's arguments are is the program's to say; that they are what the benchmark means is checked here. */
static bool take_arguments(struct pair *pair, const struct agx_program *program, struct result *result)
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

/* Every instruction of both programs of a mix is accounted for, which needs no look at their difference. */
static bool check_mix(const struct pair *pair, const struct agx_program *const programs[2], struct result *result,
                      char *why, size_t why_size)
{
   const struct bench_mix *mix = pair->benchmark->mix;
   unsigned expected, found;

   return bench_mix_check(mix, pair->sides[1].variant.repeat, programs[1], &expected, &found, why, why_size) &&
          bench_mix_check(mix, pair->sides[0].variant.repeat, programs[0], &result->expected, &result->found, why,
                          why_size);
}

static bool accept(struct pair *pair, const struct agx_program *const programs[2], struct result *result, bool *lost)
{
   const struct bench_variant variants[2] = {pair->sides[0].variant, pair->sides[1].variant};
   char why[160];

   result->program_hash = agx_program_hash(programs[0]);
   result->source_hash = source_hash(pair->benchmark);
   if (program_stats_of(programs[0], &result->program) < 0) {
      return no_memory(result, lost);
   }
   pair->threadgroup_bytes = programs[0]->threadgroup_bytes;
   if (!bench_is_timed(pair->metric) && pair->benchmark->codegen.instruction == NULL) {
      return take_arguments(pair, programs[0], result) && upload(pair, programs, result, lost);
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
      return false;
   }
   return take_arguments(pair, programs[0], result) && upload(pair, programs, result, lost);
}

static bool build(struct pair *pair, struct result *result, bool *lost)
{
   const struct compiler_options options = benchmark_compiler_options(pair->benchmark, pair->session->info);
   struct compiler_result compiled[2] = {0};
   const unsigned count = pair->benchmark->scale == BENCH_SCALE_REPEAT && bench_is_timed(pair->metric) ? 2 : 1;
   bool built = true;

   for (unsigned i = 0; built && i < count; i++) {
      const struct bench_mix *mix = pair->benchmark->mix;
      const struct bench_variant *variant = &pair->sides[i].variant;
      const int ret = mix != NULL ? bench_mix_build(mix, variant->repeat, &compiled[i])
                                  : bench_build(pair->benchmark, variant, &options, &compiled[i]);
      if (ret == -ENOMEM) {
         built = no_memory(result, lost);
      } else if (ret < 0) {
         compile_failed(&compiled[i], result);
         built = false;
      }
   }
   if (built) {
      const struct agx_program *const programs[2] = {compiled[0].programs[0], compiled[count - 1].programs[0]};
      built = accept(pair, programs, result, lost);
   }
   for (unsigned i = 0; i < 2; i++) {
      compiler_result_finish(&compiled[i]);
   }
   return built;
}

static void free_memory(struct pair *pair)
{
   asahi_buffer_destroy(pair->session->device, pair->input);
   asahi_buffer_destroy(pair->session->device, pair->output);
   pair->input = pair->output = NULL;
   free(pair->initial);
   pair->initial = NULL;
   for (unsigned i = 0; i < 2; i++) {
      free(pair->sides[i].expected);
      pair->sides[i].expected = NULL;
   }
}

struct bench_io pair_io(const struct pair *pair, unsigned index)
{
   const struct side *side = &pair->sides[index];

   return (struct bench_io){
       .threads = side->threads,
       .iterations = side->iterations,
       .group = occupancy_of(pair).group,
       .seed = pair->seed,
       .input = asahi_buffer_map(pair->input),
       .input_bytes = asahi_buffer_size(pair->input),
       .output = pair->initial,
       .output_bytes = pair->output_bytes,
   };
}

/* Memory for the larger side. */
static bool allocate(struct pair *pair, struct result *result, bool *lost)
{
   const uint32_t threads = pair->sides[1].threads;
   const size_t input_bytes = threads * pair->benchmark->input_stride;

   free_memory(pair);
   pair->output_bytes = threads * pair->benchmark->output_stride;
   if (pair->output_bytes < pair->benchmark->output_bytes_min) {
      pair->output_bytes = pair->benchmark->output_bytes_min;
   }
   int ret = asahi_buffer_create(pair->session->device, input_bytes, &pair->input);
   if (ret == 0) {
      ret = asahi_buffer_create(pair->session->device, pair->output_bytes, &pair->output);
   }
   if (ret < 0) {
      return device_failed(pair, result, "buffers", ret, lost);
   }
   pair->initial = calloc(1, pair->output_bytes);
   if (pair->initial == NULL) {
      return no_memory(result, lost);
   }
   const struct bench_io io = pair_io(pair, 1);
   pair->benchmark->fill(pair->benchmark, &io);
   return true;
}

static bool compute_expected(struct pair *pair, struct result *result, bool *lost)
{
   for (unsigned i = 0; i < 2; i++) {
      struct side *side = &pair->sides[i];

      side->expected = malloc(pair->output_bytes);
      if (side->expected == NULL) {
         return no_memory(result, lost);
      }
      memcpy(side->expected, pair->initial, pair->output_bytes);
      const struct bench_io io = pair_io(pair, i);
      pair->benchmark->expect(pair->benchmark, &side->variant, &io, side->expected);
   }
   return true;
}

static void fill_arguments(const struct pair *pair, const struct side *side, uint8_t *block)
{
   const struct benchmark *benchmark = pair->benchmark;

   for (unsigned i = 0; i < benchmark->argument_count; i++) {
      const uint64_t values[] = {
          [BENCH_INPUT] = asahi_buffer_address(pair->input),
          [BENCH_OUTPUT] = asahi_buffer_address(pair->output),
          [BENCH_ITERATIONS] = side->iterations,
          [BENCH_PARAMETER] = benchmark->parameter,
      };
      const uint64_t value = values[benchmark->arguments[i]];
      const uint32_t word = (uint32_t)value;

      if (pair->arguments[i].size == sizeof(value)) {
         memcpy(block + pair->arguments[i].offset, &value, sizeof(value));
      } else {
         memcpy(block + pair->arguments[i].offset, &word, sizeof(word));
      }
   }
}

/* Without a host's answer: that of the other side, run for as many passes. */
static bool compute_crosswise(struct pair *pair, struct result *result, bool *lost)
{
   uint8_t *answers[2] = {NULL, NULL};
   bool done = true;

   for (unsigned i = 0; done && i < 2 && pair->benchmark->figure == NULL; i++) {
      struct side *other = &pair->sides[1 - i];
      const uint32_t iterations = other->iterations;
      double nanoseconds;

      other->iterations = pair->sides[i].iterations * pair->sides[i].variant.repeat / other->variant.repeat;
      answers[i] = malloc(pair->output_bytes);
      done = answers[i] != NULL ? pair_run(pair, 1 - i, &nanoseconds, result, lost) : no_memory(result, lost);
      if (done) {
         memcpy(answers[i], asahi_buffer_map(pair->output), pair->output_bytes);
      }
      other->iterations = iterations;
   }
   for (unsigned i = 0; i < 2; i++) {
      pair->sides[i].expected = answers[i];
   }
   return done;
}

bool pair_run(struct pair *pair, unsigned index, double *nanoseconds, struct result *result, bool *lost)
{
   const struct side *side = &pair->sides[index];
   const struct bench_occupancy occupancy = occupancy_of(pair);
   uint8_t *block = calloc(1, pair->argument_bytes + 1);

   if (block == NULL) {
      return no_memory(result, lost);
   }
   fill_arguments(pair, side, block);
   memcpy(asahi_buffer_map(pair->output), pair->initial, pair->output_bytes);
   const struct asahi_dispatch dispatch = {
       .program = side->program,
       .grid = {side->threads, 1, 1},
       .group = {occupancy.group, 1, 1},
       .work_dim = 1,
       .arguments = block,
       .argument_bytes = pair->argument_bytes,
       .extra_threadgroup_bytes = occupancy.threadgroup_bytes > pair->threadgroup_bytes
                                      ? occupancy.threadgroup_bytes - pair->threadgroup_bytes
                                      : 0,
       .half_registers = occupancy.half_registers,
       .beyond_registers = pair->beyond,
   };
   const int ret = session_run(pair->session, &dispatch, nanoseconds);
   free(block);
   if (ret < 0) {
      return device_failed(pair, result, "run", ret, lost);
   }
   return answer_is_right(pair, index, result);
}

/* Sets both sides' iterations and threads for `size`: iterations, or threads per lane that run at once. */
static void set_size(struct pair *pair, uint32_t size)
{
   const struct bench_occupancy occupancy = occupancy_of(pair);
   const uint32_t resident = occupancy.group * occupancy.threadgroups_per_core * pair->session->info->cores;

   for (unsigned i = 0; i < 2; i++) {
      const bool threads = pair->benchmark->scale == BENCH_SCALE_THREADS;
      const uint32_t factor = i == 1 && pair->benchmark->scale != BENCH_SCALE_REPEAT ? 2 : 1;

      pair->sides[i].iterations = threads ? 1 : (size + size % 2) * factor;
      pair->sides[i].threads = resident * (threads ? size * factor : 1);
   }
}

static void set_once(struct pair *pair)
{
   const struct bench_once *once = &pair->once;

   for (unsigned i = 0; i < 2; i++) {
      pair->sides[i].iterations = once->iterations;
      pair->sides[i].threads = once->group * once->groups;
   }
}

/* Runs side 0 longer and longer until it takes the target's time. */
static bool choose_size(struct pair *pair, struct result *result, bool *lost)
{
   if (!bench_is_timed(pair->metric)) {
      set_once(pair);
      return allocate(pair, result, lost);
   }
   const bool threads = pair->benchmark->scale == BENCH_SCALE_THREADS;

   if (pair->metric == BENCH_CONTROL) {
      set_size(pair, pair->benchmark->control.repetitions / CONTROL_UNROLLED);
      return allocate(pair, result, lost);
   }
   const struct asahi_device_info *info = pair->session->info;
   const double wanted = !info->is_virtual           ? target.hardware_ns
                         : info->disturbance[0] != 0 ? target.disturbed_ns
                                                     : target.virtual_ns;
   uint32_t size = threads ? 1 : pair->benchmark->mix != NULL ? FIRST_MIX_ITERATIONS : FIRST_ITERATIONS;

   for (unsigned attempt = 0; attempt < SIZE_ATTEMPTS; attempt++) {
      double nanoseconds;

      set_size(pair, size);
      if (((threads || attempt == 0) && !allocate(pair, result, lost)) ||
          !pair_run(pair, 0, &nanoseconds, result, lost)) {
         return false;
      }
      if (nanoseconds >= 0.8 * wanted) {
         break;
      }
      const double factor = wanted / (nanoseconds > 1 ? nanoseconds : 1);
      const double limit = threads ? (double)THREADS_MAX / pair->sides[0].threads * size : ITERATIONS_MAX;
      const double next = (double)size * (factor > 16 ? 16 : factor) + 1;
      if (nanoseconds <= 0 || next > limit) {
         break;
      }
      size = (uint32_t)next;
   }
   return true;
}

/* What the device says of the figure's surroundings. */
static void fill_result(const struct pair *pair, struct result *result)
{
   const struct bench_occupancy occupancy = occupancy_of(pair);
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

/* What a metric that is no time needs besides: the answer. */
static struct pair *prepare_once(struct pair *pair, struct result *result, bool *lost)
{
   if (pair->metric == BENCH_CHECK && pair->benchmark->expect != NULL && !compute_expected(pair, result, lost)) {
      pair_destroy(pair);
      return NULL;
   }
   return pair;
}

struct pair *pair_create(struct session *session, const struct benchmark *benchmark, enum bench_metric metric,
                         uint64_t seed, struct result *result, bool *lost)
{
   struct pair *pair = calloc(1, sizeof(*pair));
   struct bench_variant variants[2];
   double nanoseconds;

   if (pair == NULL) {
      (void)no_memory(result, lost);
      return NULL;
   }
   *pair = (struct pair){
       .session = session, .benchmark = benchmark, .metric = metric, .seed = seed, .once = benchmark->once};
   if (metric == BENCH_RESIDENT) {
      pair->once.groups *= session->info->cores;
   }
   metric_variants(benchmark, metric, variants);
   pair->sides[0].variant = variants[0];
   pair->sides[1].variant = variants[1];
   fill_result(pair, result);
   if (!build(pair, result, lost) || !choose_size(pair, result, lost)) {
      pair_destroy(pair);
      return NULL;
   }
   if (!bench_is_timed(metric)) {
      return prepare_once(pair, result, lost);
   }
   if (!(benchmark->expect != NULL ? compute_expected(pair, result, lost) : compute_crosswise(pair, result, lost)) ||
       !pair_run(pair, 0, &nanoseconds, result, lost) || !pair_run(pair, 1, &nanoseconds, result, lost)) {
      pair_destroy(pair);
      return NULL;
   }
   result->check = RESULT_CHECK_PASS;
   return pair;
}

const uint8_t *pair_output(const struct pair *pair)
{
   return asahi_buffer_map(pair->output);
}

void pair_destroy(struct pair *pair)
{
   if (pair == NULL) {
      return;
   }
   free_memory(pair);
   if (pair->sides[1].program != pair->sides[0].program) {
      asahi_program_destroy(pair->session->device, pair->sides[1].program);
   }
   asahi_program_destroy(pair->session->device, pair->sides[0].program);
   free(pair);
}

double pair_issue_cycles(const struct pair *pair)
{
   const struct side *a = &pair->sides[0], *b = &pair->sides[1];
   const double operations = (double)b->iterations * b->variant.repeat * b->variant.chains * b->threads -
                             (double)a->iterations * a->variant.repeat * a->variant.chains * a->threads;

   return operations / 32 / (SCHEDULERS * (double)pair->session->info->cores);
}

double pair_chain(const struct pair *pair)
{
   const struct side *a = &pair->sides[0], *b = &pair->sides[1];

   return (double)b->iterations * b->variant.repeat - (double)a->iterations * a->variant.repeat;
}

double pair_work(const struct pair *pair)
{
   const struct side *a = &pair->sides[0], *b = &pair->sides[1];

   return ((double)b->iterations * b->threads - (double)a->iterations * a->threads) * pair->benchmark->work;
}
