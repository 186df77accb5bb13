/* SPDX-License-Identifier: MIT
 *
 * Prepares a benchmark pair. A pair that leaves here has passed the code check, and both sides gave the right answer.
 */
#include "agx_runner/measure/prepare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/codecheck.h"
#include "agx_runner/measure/run.h"
#include "agx_runner/program/count.h"
#include "agx_runner/program/sources.h"
#include "agx_runner/results/published.h"
#include "agx_runner/terminal/runner.h"
#include "nir_kernels/mix.h"

/* How long side 0 shall run: long against the resolution of timestamps and against jitter. Modelled time has no jitter
 * unless an option asks for it, and every microsecond of it costs the host work. */
static const struct {
   double virtual_ns, disturbed_ns, hardware_ns;
} target = {8e3, 32e3, 2e6};

#define FIRST_ITERATIONS 8
#define FIRST_MIX_ITERATIONS 2 /* even, as all: twice the passes then take half the iterations */
#define ITERATIONS_MAX (1u << 22)
#define THREADS_MAX (1u << 24)
#define SIZE_ATTEMPTS 12
/* Turns of the control kernel's loop. The source's control kernel takes the same time whatever number of repetitions it
 * stands for (results/reference/calibration.csv: 1,685 cycles for 120 and for 1,440), so its loop has a fixed number of
 * turns. Which one is not published; 12 is a guess. */
#define CONTROL_TURNS 12
#define LOOP_MIN 8          /* the loop's time, times that of the rest of the program */
#define COMMAND_NS_MAX 20e6 /* a longer one freezes a desktop: compute is not preempted below 40 to 50 ms */

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

static bool upload(struct benchmark_pair *pair, const struct agx_program *const programs[2], struct result *result,
                   bool *lost)
{
   for (unsigned i = 0; i < 2; i++) {
      struct benchmark_side *side = &pair->sides[i];

      if (programs[i] == programs[0] && i == 1) {
         side->program = pair->sides[0].program;
         continue;
      }
      const int ret = asahi_program_upload(pair->session->device, programs[i], &side->program);
      if (ret < 0) {
         return measure_device_failed(pair->session, result, "upload", ret, lost);
      }
   }
   return true;
}

/* What the kernel's arguments are is the program's to say; that they are what the benchmark means is checked here. */
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

/* Every instruction of both programs of a mix is accounted for, which needs no look at their difference. */
static bool check_mix(const struct benchmark_pair *pair, const struct agx_program *const programs[2],
                      struct result *result, char *why, size_t why_size)
{
   const struct bench_mix *mix = pair->benchmark->mix;
   unsigned expected, found;

   return bench_mix_check(mix, pair->sides[1].variant.repeat, programs[1], &expected, &found, why, why_size) &&
          bench_mix_check(mix, pair->sides[0].variant.repeat, programs[0], &result->expected, &result->found, why,
                          why_size);
}

static bool accept(struct benchmark_pair *pair, const struct agx_program *const programs[2], struct result *result,
                   bool *lost)
{
   const struct bench_variant variants[2] = {pair->sides[0].variant, pair->sides[1].variant};
   char why[160];

   result->program_hash = agx_program_hash(programs[0]);
   result->source_hash = source_hash(pair->benchmark);
   if (program_stats_of(programs[0], &result->program) < 0) {
      return measure_no_memory(result, lost);
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

static bool build(struct benchmark_pair *pair, struct result *result, bool *lost)
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
         built = measure_no_memory(result, lost);
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

static bool compute_expected(struct benchmark_pair *pair, struct result *result, bool *lost)
{
   for (unsigned i = 0; i < 2; i++) {
      struct benchmark_side *side = &pair->sides[i];

      side->expected = malloc(pair->output_bytes);
      if (side->expected == NULL) {
         return measure_no_memory(result, lost);
      }
      memcpy(side->expected, pair->initial, pair->output_bytes);
      const struct bench_io io = benchmark_pair_io(pair, i);
      pair->benchmark->expect(pair->benchmark, &side->variant, &io, side->expected);
   }
   return true;
}

/* Without a host's answer: that of the other side, run for as many passes. */
static bool compute_crosswise(struct benchmark_pair *pair, struct result *result, bool *lost)
{
   uint8_t *answers[2] = {NULL, NULL};
   bool done = true;

   for (unsigned i = 0; done && i < 2 && pair->benchmark->figure == NULL; i++) {
      struct benchmark_side *other = &pair->sides[1 - i];
      const uint32_t iterations = other->iterations;

      other->iterations = pair->sides[i].iterations * pair->sides[i].variant.repeat / other->variant.repeat;
      answers[i] = malloc(pair->output_bytes);
      done = answers[i] != NULL ? run_side(pair, 1 - i, result, lost) : measure_no_memory(result, lost);
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

static bool allocate(struct benchmark_pair *pair, struct result *result, bool *lost)
{
   const int ret = benchmark_pair_allocate(pair);

   return ret == 0 || measure_device_failed(pair->session, result, "buffers", ret, lost);
}

/* Threads that run at once. */
static uint32_t resident_threads(const struct benchmark_pair *pair)
{
   const struct bench_occupancy occupancy = benchmark_pair_occupancy(pair);

   return occupancy.group * occupancy.threadgroups_per_core * pair->session->info->cores;
}

/* Sets both sides' iterations and threads for `size`: iterations, or threads per lane that run at once. */
static void set_size(struct benchmark_pair *pair, uint32_t size)
{
   const uint32_t resident = resident_threads(pair);

   for (unsigned i = 0; i < 2; i++) {
      const bool threads = pair->benchmark->scale == BENCH_SCALE_THREADS;
      const uint32_t factor = i == 1 && pair->benchmark->scale != BENCH_SCALE_REPEAT ? 2 : 1;

      pair->sides[i].iterations = threads ? 1 : (size + size % 2) * factor;
      pair->sides[i].threads = resident * (threads ? size * factor : 1);
   }
}

static void set_single(struct benchmark_pair *pair)
{
   const struct bench_dispatch *dispatch = &pair->dispatch;

   const bool scaled = bench_is_timed(pair->metric) && pair->metric != BENCH_DISPATCH;

   for (unsigned i = 0; i < 2; i++) {
      const uint32_t factor = scaled && i == 1 ? 2 : 1;

      pair->sides[i].iterations =
          dispatch->iterations * (pair->benchmark->scale == BENCH_SCALE_ITERATIONS ? factor : 1);
      pair->sides[i].threads =
          dispatch->group * dispatch->groups * (pair->benchmark->scale == BENCH_SCALE_THREADS ? factor : 1);
   }
}

/* Is what comes before and after the loop small against the loop? Where it is not, the loads before the loop overlap
 * with the arithmetic of other simdgroups, and the difference of both sides is too small by up to a third. The time
 * alone does not tell: on a GPU that has just powered up a short program takes as long as a longer one does later. Each
 * length runs twice, so that another client's work is not taken for the program's. Not asked of a virtual device
 * without disturbance: there the programs stay short, because the host emulates them. */
static bool is_long(struct benchmark_pair *pair, bool *enough, struct result *result, bool *lost)
{
   struct benchmark_side *side = &pair->sides[0];
   const uint32_t iterations = side->iterations;
   double times[2][2];

   *enough = true;
   for (unsigned i = 0; i < 4; i++) {
      side->iterations = iterations * (1 + i % 2);
      if (!run_side(pair, 0, result, lost)) {
         return false;
      }
      times[i / 2][i % 2] = side->nanoseconds;
   }
   side->iterations = iterations;
   for (unsigned i = 0; i < 2; i++) {
      const double loop = times[i][1] - times[i][0], rest = times[i][0] - loop;

      *enough = *enough && loop >= LOOP_MIN * rest;
   }
   return true;
}

/* The time that side 0 shall take. */
static double wanted_time(const struct asahi_device_info *info)
{
   return !info->is_virtual ? target.hardware_ns : info->disturbance[0] != 0 ? target.disturbed_ns : target.virtual_ns;
}

/* Is the length of its programs to be chosen? */
static bool has_size(const struct benchmark_pair *pair)
{
   return bench_is_timed(pair->metric) && pair->metric != BENCH_DISPATCH && !pair->benchmark->dispatch_timed &&
          bench_metrics[pair->metric].timing != BENCH_ONE;
}

static uint32_t first_size(const struct benchmark_pair *pair)
{
   return pair->benchmark->scale == BENCH_SCALE_THREADS ? 1
          : pair->benchmark->mix != NULL                ? FIRST_MIX_ITERATIONS
                                                        : FIRST_ITERATIONS;
}

/* Runs side 0 longer and longer, from `size` on, until it takes the target's time. */
static bool choose_size_from(struct benchmark_pair *pair, uint32_t size, struct result *result, bool *lost)
{
   const bool threads = pair->benchmark->scale == BENCH_SCALE_THREADS;
   const struct asahi_device_info *info = pair->session->info;
   const double wanted = wanted_time(info);
   /* Times with noise: sizes are powers of two times the first, so that most runs take the same. What a loop costs
    * depends a little on its length. */
   const bool noisy = !info->is_virtual || info->disturbance[0] != 0;
   const uint32_t first = first_size(pair);

   for (unsigned attempt = 0; attempt < SIZE_ATTEMPTS; attempt++) {
      set_size(pair, size);
      if (((threads || attempt == 0) && !allocate(pair, result, lost)) || !run_side(pair, 0, result, lost)) {
         return false;
      }
      const double nanoseconds = pair->sides[0].nanoseconds;
      if (2 * nanoseconds > COMMAND_NS_MAX) {
         result_set(result, RESULT_FAIL, "a command would take %.1f ms: more than %.0f ms could freeze a desktop",
                    2e-6 * nanoseconds, 1e-6 * COMMAND_NS_MAX);
         return false;
      }
      bool enough = nanoseconds >= (noisy ? M_SQRT1_2 : 0.8) * wanted;
      if (enough && noisy && !threads && !is_long(pair, &enough, result, lost)) {
         return false;
      }
      if (enough) {
         break;
      }
      const double factor = fmax(wanted / (nanoseconds > 1 ? nanoseconds : 1), 2);
      const double limit = threads ? (double)THREADS_MAX / pair->sides[0].threads * size : ITERATIONS_MAX;
      const double next =
          noisy ? first * exp2(round(log2(size * fmin(factor, 16) / first))) : (double)size * fmin(factor, 16) + 1;
      if (nanoseconds <= 0 || next > limit) {
         break;
      }
      size = (uint32_t)next;
   }
   return true;
}

/* On hardware, runs one threadgroup of a whole dispatch, then twice as many, and so on: a grid whose half takes more
 * than half of COMMAND_NS_MAX is refused. Threadgroups beyond those that run at once take their time in proportion. */
static bool is_short_dispatch(struct benchmark_pair *pair, struct result *result, bool *lost)
{
   const uint32_t threads = pair->sides[0].threads;
   bool is_short = true;

   for (uint32_t groups = 1; is_short && groups < pair->dispatch.groups; groups *= 2) {
      double nanoseconds;

      pair->sides[0].threads = pair->dispatch.group * groups;
      if (!run_unchecked(pair, 0, &nanoseconds, result, lost)) {
         return false;
      }
      is_short = 2 * nanoseconds <= COMMAND_NS_MAX;
      if (!is_short) {
         result_set(result, RESULT_SKIP,
                    "%u of %u threadgroups take %.1f ms: a command of more than %.0f ms could freeze a desktop", groups,
                    pair->dispatch.groups, 1e-6 * nanoseconds, 1e-6 * COMMAND_NS_MAX);
      }
   }
   pair->sides[0].threads = threads;
   return is_short;
}

static bool choose_size(struct benchmark_pair *pair, struct result *result, bool *lost)
{
   if (has_size(pair)) {
      return choose_size_from(pair, first_size(pair), result, lost);
   }
   if (!bench_is_timed(pair->metric) || pair->metric == BENCH_DISPATCH || pair->benchmark->dispatch_timed) {
      set_single(pair);
   } else {
      set_size(pair, CONTROL_TURNS);
   }
   const bool whole =
       pair->metric == BENCH_DISPATCH && !pair->session->info->is_virtual && !benchmark_pair_has_parts(pair);
   return allocate(pair, result, lost) && (!whole || is_short_dispatch(pair, result, lost));
}

/* What the device says of the figure's surroundings. */
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

/* What both sides must leave, and that they do. */
static bool find_answers(struct benchmark_pair *pair, struct result *result, bool *lost)
{
   struct run_command both[] = {{.pair = pair, .side = 0}, {.pair = pair, .side = 1}};

   if (!bench_is_timed(pair->metric)) {
      return pair->metric != BENCH_CHECK || pair->benchmark->expect == NULL || compute_expected(pair, result, lost);
   }
   if (benchmark_pair_has_parts(pair)) {
      result->check = run_growing(pair, COMMAND_NS_MAX, result, lost) ? RESULT_CHECK_PASS : result->check;
      return result->check == RESULT_CHECK_PASS;
   }
   if (!(pair->benchmark->expect != NULL ? compute_expected(pair, result, lost)
                                         : compute_crosswise(pair, result, lost)) ||
       !run_commands(both, pair->metric == BENCH_DISPATCH ? 1 : 2, result, lost, NULL)) {
      return false;
   }
   result->check = RESULT_CHECK_PASS;
   return true;
}

struct benchmark_pair *prepare_pair(struct session *session, const struct benchmark *benchmark,
                                    enum bench_metric metric, uint64_t seed, struct result *result, bool *lost)
{
   struct benchmark_pair *pair = calloc(1, sizeof(*pair));
   struct bench_variant variants[2];

   if (pair == NULL) {
      (void)measure_no_memory(result, lost);
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
   if (!build(pair, result, lost) || !choose_size(pair, result, lost) || !find_answers(pair, result, lost)) {
      benchmark_pair_destroy(pair);
      return NULL;
   }
   return pair;
}
