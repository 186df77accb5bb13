/* SPDX-License-Identifier: MIT
 *
 * Times sets of commands (set.c): plans them, submits them, and computes the figure. A set within which the clock
 * changed is discarded, counted, and repeated. docs/measuring.md describes it in detail.
 */
#include "agx_runner/measure/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/length.h"
#include "agx_runner/measure/prepare.h"
#include "agx_runner/measure/set.h"
#include "agx_runner/measure/warmup.h"
#include "agx_runner/statistics/clock_states.h"
#include "agx_runner/statistics/stats.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "drm/operating_points.h"
#include "nir_kernels/chain.h"
#include "util/array.h"

/* The clock is inferred from this benchmark: single-precision multiply-adds in four chains, at an occupancy that fills
 * the ALUs, take settings.ffma_cycles each. */
#define REFERENCE_GROUP "float"
#define REFERENCE_NAME "ffma32"

/* The control kernels with 1440 repetitions: every raw latency of the source includes their whole time. */
#define CONTROL_GROUP "control"
static const char *const control_names[2] = {"loop16-1440", "loop32-1440"};

#define LIGHT_GROUP "occupancy"
#define LIGHT_NAME "simds-32"
#define LIGHT_NS 5e6 /* time of one light command */
/* ratio of the host's to the device's time above which the load is kept as short as possible */
#define EMULATED_SLOWLY 4

#define DISCARDED_MAX 8       /* most sets for each one that is kept */
#define FLAT_MAX 8            /* most sets without a slope, plus one for each set that is kept */
#define MEASURED_NS 100e6     /* device time of all sets, where the clock follows the load */
#define PRECISION 0.0045      /* relative precision of a median, if more sets can reach it */
#define MEDIAN_DEVIATION 1.25 /* standard deviation of a median relative to that of a mean */
#define MIDDLE_HALF 1.349     /* width of the middle half of a normal distribution in standard deviations */
#define SETS_FACTOR_NOISE 4   /* most sets relative to those asked for, to estimate how much they differ */
#define SETS_FACTOR_MAX 32    /* most sets relative to those asked for, to reach the precision */
/* longest pause between the load and the samples: the GPU powers off after 2 ms */
#define IDLE_MAX_NS 1e6
#define IDLE_MAX 4                    /* most repetitions of submissions that came after a longer pause */
#define MEMORY_MAX ((size_t)64 << 20) /* bytes of the outputs of one submission */
#define HOST_NS_MAX 5e8               /* host time of one submission: an interrupt is noticed between two */
#define HOST_NS_MAX_LOADED 2e9        /* the same if each submission needs a warm-up */
#define NOMINAL_UNKNOWN_KHZ 1000000   /* the value that newer kernels report for every chip */

bool sampler_start(struct sampler *sampler, struct session *session, const struct measure_settings *settings, char *why,
                   size_t why_size)
{
   const uint32_t khz = session->info->max_frequency_khz;

   *sampler = (struct sampler){.session = session, .settings = *settings, .random = {settings->seed}};
   if (sampler->settings.ffma_cycles <= 0) {
      sampler->settings.ffma_cycles = RESULT_FFMA_CYCLES;
   }
   if (settings->clock == MEASURE_CLOCK_AUTO) {
      sampler->clock_hz = (double)session->info->clock_hz;
   }
   if (settings->clock == MEASURE_CLOCK_NOMINAL) {
      if (khz == NOMINAL_UNKNOWN_KHZ) {
         snprintf(why, why_size,
                  "--clock nominal: the kernel says 1,000,000 kHz, which it says of every chip; use --clock infer");
         return false;
      }
      sampler->clock_hz = khz * 1e3;
   }
   return true;
}

void sampler_finish(struct sampler *sampler)
{
   benchmark_pair_destroy(sampler->reference);
   benchmark_pair_destroy(sampler->controls[0]);
   benchmark_pair_destroy(sampler->controls[1]);
   benchmark_pair_destroy(sampler->light_load);
   *sampler = (struct sampler){0};
}

/* Prepares a helper benchmark (clock, control or load) on first use. */
static bool make_helper(struct sampler *sampler, const char *group, const char *name, enum bench_metric metric,
                        struct benchmark_pair **pair, const char *what)
{
   struct result *const result = sampler->session->result;
   struct result own = {0}; /* what goes wrong with the helper is not the row's */

   sampler->session->result = &own;
   for (size_t i = 0; *pair == NULL && i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);

      if (!strcmp(benchmark->group, group) && !strcmp(benchmark->name, name)) {
         *pair = prepare_pair(sampler->session, benchmark, metric, sampler->settings.seed);
         if (own.status == RESULT_INVALID) { /* the published time does not apply to other code */
            benchmark_pair_destroy(*pair);
            *pair = NULL;
         }
         break;
      }
   }
   sampler->session->result = result;
   if (*pair == NULL) {
      /* unexpected code of a helper is not a failure of this row */
      result_set(result, own.status == RESULT_INVALID ? RESULT_INVALID : RESULT_FAIL, "%s: %.200s", what, own.reason);
   }
   result_finish(&own);
   return *pair != NULL;
}

static bool make_reference(struct sampler *sampler)
{
   return make_helper(sampler, REFERENCE_GROUP, REFERENCE_NAME, BENCH_THROUGHPUT, &sampler->reference,
                      "the clock cannot be inferred");
}

/* ---- The plan of a set ---- */

/* Whether the figure needs the clock. A rate in units a second does not. */
static bool needs_reference(const struct sampler *sampler, const struct benchmark_pair *pair)
{
   return sampler->clock_hz == 0 &&
          (bench_metrics[pair->metric].timing != BENCH_CLOCKLESS || pair->benchmark->per_cycle);
}

static bool make_plan(struct sampler *sampler, struct benchmark_pair *pair, struct set_plan *plan)
{
   struct result *result = sampler->session->result;
   const struct bench_chain *chain = pair->benchmark->chain;
   const bool half = chain != NULL && (chain->type == BENCH_F16 || chain->type == BENCH_U16);

   *plan = (struct set_plan){.pairs = {[PART_SHORTER] = pair}, .repeats = 1};
   if (bench_metrics[pair->metric].timing != BENCH_ONE) {
      plan->pairs[PART_LONGER] = pair;
   }
   if (bench_metrics[pair->metric].timing == BENCH_BOTH_CONTROL) {
      if (!make_helper(sampler, CONTROL_GROUP, control_names[!half], BENCH_CONTROL, &sampler->controls[!half],
                       "no control kernel")) {
         return false;
      }
      plan->pairs[PART_CONTROL] = sampler->controls[!half];
   }
   if (needs_reference(sampler, pair)) {
      if (!make_reference(sampler)) {
         return false;
      }
      plan->reference = sampler->reference;
   }
   for (unsigned i = 0; i < PART_COUNT; i++) {
      plan->part_count += plan->pairs[i] != NULL;
   }
   plan->commands = set_lead_commands(plan) + plan->part_count + set_reference_commands(plan);
   if (plan->commands > sampler->session->info->commands_max) {
      result_set(result, RESULT_FAIL, "a sample needs %zu commands in one submission: the device takes %u",
                 plan->commands, sampler->session->info->commands_max);
      return false;
   }
   return true;
}

/* ---- Sets in submissions ---- */

struct samples {
   double *costs, *clocks, *spans;   /* one for each set */
   double *times;                    /* RESULT_TIME_COUNT for each set */
   struct benchmark_pair_times last; /* times of the last set */
   size_t count, wanted;
   unsigned discarded;
   unsigned flat;  /* discarded sets in which the longer program took no longer */
   unsigned idled; /* submissions before which the device was idle although the load ran */
};

static double plan_sum(const struct set_plan *plan, double (*of)(const struct benchmark_pair *pair, unsigned side))
{
   double sum = 0;

   for (enum set_part part = 0; part < PART_COUNT; part++) {
      sum += plan->pairs[part] != NULL ? plan->repeats * of(plan->pairs[part], set_part_side(part)) : 0;
   }
   return plan->reference != NULL ? sum + 2 * of(plan->reference, 0) + 2 * of(plan->reference, 1) : sum;
}

static double device_time(const struct benchmark_pair *pair, unsigned side)
{
   return pair->sides[side].nanoseconds;
}

static double host_time(const struct benchmark_pair *pair, unsigned side)
{
   return pair->sides[side].host_nanoseconds;
}

static double memory(const struct benchmark_pair *pair, unsigned side)
{
   (void)side;
   return (double)pair->output_bytes;
}

/* Returns the number of sets in the next submission, which begins with `probes` other commands. */
static size_t sets_at_once(const struct sampler *sampler, const struct set_plan *plan, const struct samples *samples,
                           size_t probes)
{
   const double host_max = sampler->session->info->settle_ns == 0 ? HOST_NS_MAX : HOST_NS_MAX_LOADED;
   const double limits[] = {(double)(samples->wanted - samples->count), MEMORY_MAX / plan_sum(plan, memory),
                            host_max / plan_sum(plan, host_time)};
   size_t sets = (sampler->session->info->commands_max - probes) / plan->commands;

   for (unsigned i = 0; i < ARRAY_COUNT(limits); i++) {
      sets = limits[i] < (double)sets ? (size_t)limits[i] : sets;
   }
   return sets > 0 ? sets : 1;
}

static bool is_emulated_slowly(const struct benchmark_pair *pair)
{
   const struct benchmark_side *side = &pair->sides[0];

   return side->host_nanoseconds > EMULATED_SLOWLY * side->nanoseconds;
}

/* A whole dispatch may be short, so that the host spends most time on emulating the reference. */
static bool plan_is_emulated_slowly(const struct set_plan *plan)
{
   const struct benchmark_pair *pair = plan->pairs[PART_SHORTER];

   return pair->metric == BENCH_DISPATCH ? plan_sum(plan, host_time) > EMULATED_SLOWLY * plan_sum(plan, device_time)
                                         : is_emulated_slowly(pair);
}

/* Returns the number of sets: those asked for, and if the clock follows the load, enough for its controller to average
 * over. */
static size_t sets_wanted(const struct sampler *sampler, const struct set_plan *plan)
{
   /* a whole dispatch of a model with a constant clock takes the same time each time, and may take the host long */
   const bool same_again = plan->pairs[PART_SHORTER]->metric == BENCH_DISPATCH && sampler->clock_hz != 0 &&
                           sampler->session->info->is_virtual && sampler->session->info->disturbance[0] == 0;
   const size_t asked = same_again ? 1 : sampler->settings.samples;
   const double needed = MEASURED_NS / plan_sum(plan, device_time);

   if (sampler->session->info->settle_ns == 0 || plan_is_emulated_slowly(plan) || needed <= (double)asked) {
      return asked;
   }
   return needed < (double)(SETS_FACTOR_MAX * asked) ? (size_t)needed + 1 : SETS_FACTOR_MAX * asked;
}

/* Returns the number of sets with which the median is known to PRECISION, estimated from the spread of the sets so far.
 * The spread is that of the middle half: the few sets that another client's work has hit do not move a median. The rate
 * of a whole dispatch depends on the clock, but not in proportion, because memory and commands have clocks of their
 * own. Differences between clock states are not noise, and more sets do not reduce them, so the spread within the
 * states counts. Returns -1 when out of memory. */
static double sets_by_noise(const struct set_plan *plan, const struct samples *samples)
{
   const bool by_clock = plan->pairs[PART_SHORTER]->metric == BENCH_DISPATCH;
   double *sorted = malloc(samples->count * sizeof(*sorted));

   if (sorted != NULL) {
      memcpy(sorted, samples->costs, samples->count * sizeof(*sorted));
   }
   if (sorted == NULL || (by_clock && clock_states_divide_out(samples->clocks, sorted, samples->count) < 0)) {
      free(sorted);
      return -1;
   }
   const double median = stats_median(sorted, samples->count);
   const double middle_half = sorted[samples->count * 3 / 4] - sorted[samples->count / 4];
   free(sorted);
   return pow(1.96 * MEDIAN_DEVIATION * middle_half / MIDDLE_HALF / median / PRECISION, 2);
}

/* Plans the remaining samples by their noise. Call it once, after the sets that were planned first: if it were
 * repeated, the search would end when the noise happens to be small. If too many sets would be needed, each part is
 * timed several times in a set, and sampling starts again. */
static bool plan_by_noise(const struct sampler *sampler, struct set_plan *plan, struct samples *samples)
{
   const size_t ends = set_lead_commands(plan) + set_reference_commands(plan),
                room = sampler->session->info->commands_max - ends;
   const double most = SETS_FACTOR_MAX * (double)sampler->settings.samples, needed = sets_by_noise(plan, samples);

   if (needed < 0) {
      return measure_no_memory(sampler->session);
   }
   const double repeats = fmin(ceil(needed / most), (double)(room / plan->part_count));

   if (repeats > 1) {
      plan->repeats = (unsigned)repeats;
      plan->commands = plan->part_count * plan->repeats + ends;
      samples->count = 0;
   }
   samples->wanted = (size_t)fmax(fmin(needed / plan->repeats + 1, most), (double)samples->wanted);
   return true;
}

/* Computes the figure of one set. Returns false if it has none; `result` has the reason. */
static bool take_set(struct sampler *sampler, const struct set_plan *plan, const struct set_times *times,
                     struct samples *samples, struct result *result)
{
   const double shorter = times->parts[PART_SHORTER], longer = times->parts[PART_LONGER];

   if (shorter <= 0 && longer <= 0) {
      result_set(result, RESULT_SKIP, "the device's timing is off: answers only");
      return false;
   }
   if (!set_clock_held(plan, times)) {
      samples->discarded++;
      return true;
   }
   const struct benchmark_pair_times of =
       set_figure_times(plan, times, sampler->clock_hz, sampler->settings.ffma_cycles);
   const double figure = benchmark_pair_cost(plan->pairs[PART_SHORTER], &of);
   /* if the clock is not known, another client's work may have hit the shorter program alone */
   if (!isfinite(figure) && sampler->clock_hz == 0 && samples->flat < FLAT_MAX + samples->count) {
      samples->flat++;
      samples->discarded++;
      return true;
   }
   if (!isfinite(figure)) {
      result_set(result, RESULT_FAIL, "no slope: %.0f ns, and %.0f ns for twice as much", shorter, longer);
      return false;
   }
   samples->last = of;
   samples->clocks[samples->count] = of.clock_hz;
   samples->spans[samples->count] = longer - shorter;
   const double all[RESULT_TIME_COUNT] = {[RESULT_TIME_SHORTER] = of.shorter_ns,
                                          [RESULT_TIME_LONGER] = of.longer_ns,
                                          [RESULT_TIME_CONTROL] = of.control_ns,
                                          [RESULT_TIME_REFERENCE] = of.reference_ns};
   memcpy(&samples->times[samples->count * RESULT_TIME_COUNT], all, sizeof(all));
   samples->costs[samples->count++] = figure;
   return true;
}

struct benchmark_pair *sampler_load(struct sampler *sampler)
{
   if (!make_reference(sampler)) {
      return NULL;
   }
   if (!is_emulated_slowly(sampler->reference)) {
      return sampler->reference;
   }
   if (sampler->light_load == NULL) {
      if (!make_helper(sampler, LIGHT_GROUP, LIGHT_NAME, BENCH_RESIDENCY, &sampler->light_load, "no load")) {
         return NULL;
      }
      struct benchmark_pair *pair = sampler->light_load;
      pair->dispatch.group = pair->sides[0].threads = pair->sides[1].threads = 1;
      while (pair->sides[1].nanoseconds < LIGHT_NS) {
         pair->sides[1].iterations *= 2;
         if (!run_side(pair, 1) || pair->sides[1].nanoseconds <= 0) {
            benchmark_pair_destroy(pair);
            sampler->light_load = NULL;
            return NULL;
         }
      }
   }
   return sampler->light_load;
}

/* Returns a pair whose length has not been tried at the clock under load; NULL: there is none. */
static struct benchmark_pair *untried_pair(const struct sampler *sampler, const struct set_plan *plan)
{
   struct benchmark_pair *const pairs[] = {plan->reference, plan->pairs[PART_SHORTER]};

   if (sampler->session->info->settle_ns == 0 ||
       plan->commands + LENGTH_PROBES > sampler->session->info->commands_max) {
      return NULL;
   }
   for (unsigned i = 0; i < 2; i++) {
      if (pairs[i] != NULL && !pairs[i]->length_was_tried && length_is_chosen(pairs[i])) {
         return pairs[i];
      }
   }
   return NULL;
}

/* Discards samples that were taken before a pair's length had been tried. */
static bool judge_length(const struct sampler *sampler, const struct set_plan *plan, struct benchmark_pair *pair,
                         const struct run_command *probes, struct samples *samples)
{
   bool longer = false;

   if (!length_is_enough(pair, probes) && !prepare_longer(pair, &longer)) {
      return false;
   }
   pair->length_was_tried = !longer;
   if (untried_pair(sampler, plan) != NULL) {
      samples->count = 0;
   }
   return true;
}

/* Makes one submission with as many sets as fit. */
static bool take_sets(struct sampler *sampler, const struct set_plan *plan, struct samples *samples)
{
   struct result *result = sampler->session->result;
   struct run_command commands[ASAHI_COMMANDS_MAX];
   enum set_part parts[ASAHI_COMMANDS_MAX];
   struct benchmark_pair *const untried = untried_pair(sampler, plan);
   const size_t probes = untried != NULL ? LENGTH_PROBES : 0;
   const size_t sets = sets_at_once(sampler, plan, samples, probes);
   struct benchmark_pair *load = NULL;
   struct run_batch batch;
   bool done = true;

   if (session_interrupted(sampler->session)) {
      result_set(result, RESULT_FAIL, "interrupted");
      sampler->session->lost = true;
      return false;
   }
   if (sampler->session->info->settle_ns != 0) {
      load = sampler_load(sampler);
      done = load != NULL;
   }
   if (untried != NULL) {
      length_add_probes(untried, commands);
   }
   for (size_t i = 0; i < sets; i++) {
      set_add(&sampler->random, plan, &commands[probes + i * plan->commands], &parts[i * plan->commands]);
   }
   /* prepare the memory first: after the load the device must not wait for the host */
   done = done && run_prepare(&batch, commands, probes + sets * plan->commands);
   if (done) {
      done = (load == NULL || warm_up(load)) && run_submit(&batch, NULL);
      run_finish(&batch);
   }
   /* the host submitted too late, so the clock is no longer that of the load */
   sampler->idle_ns = done && load != NULL && batch.idle_ns > IDLE_MAX_NS ? batch.idle_ns : 0;
   if (sampler->idle_ns > 0 && samples->idled < IDLE_MAX) {
      samples->idled++;
      samples->discarded += (unsigned)sets;
      return true;
   }
   for (size_t i = 0; done && i < sets; i++) {
      const struct set_times times = set_read(plan, &commands[probes + i * plan->commands], &parts[i * plan->commands]);

      done = take_set(sampler, plan, &times, samples, result);
   }
   if (done && untried != NULL) {
      done = judge_length(sampler, plan, untried, commands, samples);
   }
   return done;
}

static bool take_wanted(struct sampler *sampler, const struct set_plan *plan, struct samples *samples)
{
   struct result *result = sampler->session->result;

   while (samples->count < samples->wanted) {
      progress_update(sampler->settings.progress, (double)samples->count / (double)samples->wanted);
      if (!take_sets(sampler, plan, samples)) {
         return false;
      }
      if (samples->discarded > DISCARDED_MAX * (samples->wanted + 1) + IDLE_MAX * ASAHI_COMMANDS_MAX) {
         result_set(result, RESULT_FAIL, "the clock is not constant: it changed within %u of %zu samples",
                    samples->discarded, samples->discarded + samples->count);
         return false;
      }
   }
   return true;
}

/* Half of the interval of the samples so far, as a part of their median; the steps of timestamps count. Below 0: out of
 * memory. */
static double half_width(const struct sampler *sampler, const struct set_plan *plan, const struct samples *samples)
{
   struct stats_interval interval;

   if (stats_interval(samples->costs, samples->count, &interval) < 0) {
      return -1;
   }
   if (sampler->session->info->timestamp_step_ns > 1) {
      stats_widen(&interval, benchmark_pair_resolution(plan->pairs[PART_SHORTER], &samples->last,
                                                       sampler->session->info->timestamp_step_ns));
   }
   return interval.median > 0 ? (interval.high - interval.low) / 2 / interval.median : INFINITY;
}

/* Takes more samples until the interval is as narrow as was asked for. The looks are at doubled numbers of samples, at
 * most five: an interval that is looked at after each sample would end the search when it happens to be narrow. */
static bool take_precise(struct sampler *sampler, const struct set_plan *plan, struct samples *samples)
{
   const size_t most = SETS_FACTOR_MAX * (size_t)sampler->settings.samples;
   const double wanted = sampler->settings.precision;
   double half = 0;

   while (wanted > 0 && (half = half_width(sampler, plan, samples)) > wanted && samples->count < most) {
      samples->wanted = 2 * samples->count < most ? 2 * samples->count : most;
      if (!take_wanted(sampler, plan, samples)) {
         return false;
      }
   }
   if (half < 0) {
      return measure_no_memory(sampler->session);
   }
   if (half > wanted && wanted > 0) {
      note("%s: half of the interval is %.2g %% of the figure after %zu samples, %g %% was asked for (--samples raises "
           "the limit)",
           sampler->session->result->name, 100 * half, samples->count, 100 * wanted);
   }
   return true;
}

static bool take_all(struct sampler *sampler, struct set_plan *plan, struct samples *samples)
{
   if (!take_wanted(sampler, plan, samples)) {
      return false;
   }
   /* a known clock does not change, so more sets give the same figure */
   if (sampler->clock_hz == 0 && samples->count > 1 && !plan_by_noise(sampler, plan, samples)) {
      return false;
   }
   return take_wanted(sampler, plan, samples) && take_precise(sampler, plan, samples);
}

/* Warns once if the inferred clock is no operating point. The published time of an FFMA is for another compiler's code:
 * if it takes another time here, all inferred clocks are off by the same factor, and so are all cycles. */
static void note_odd_clock(struct sampler *sampler, const struct samples *samples, uint64_t nearest)
{
   struct session *session = sampler->session;
   const struct asahi_device_info *info = session->info;
   size_t odd = 0;

   for (size_t i = 0; i < samples->count; i++) {
      odd += !asahi_operating_point_fits(info->operating_points, info->operating_point_count, samples->clocks[i]);
   }
   if (info->operating_point_count > 0 && 2 * odd > samples->count && !session->odd_clock) {
      session->odd_clock = true;
      note("warning: the inferred clock, %.0f MHz, is no operating point of the device (the nearest is %.0f MHz): one "
           "FFMA may not take the %g cycles from which all cycles are computed (--ffma-cycles)",
           1e-6 * stats_median(samples->clocks, samples->count), 1e-6 * (double)nearest, sampler->settings.ffma_cycles);
   }
}

static bool summarize(struct sampler *sampler, const struct benchmark_pair *pair, struct samples *samples)
{
   struct result *result = sampler->session->result;
   struct stats_interval interval;

   if (stats_interval(samples->costs, samples->count, &interval) < 0) {
      return measure_no_memory(sampler->session);
   }
   if (interval.low <= 0) {
      result_set(result, RESULT_FAIL, "no slope: between %.3g and %.3g %s; try more --samples", interval.low,
                 interval.high, result->unit);
      return false;
   }
   if (!length_span_is_enough(pair, stats_median(samples->spans, samples->count), result)) {
      return false;
   }
   if (clock_states_name(samples->clocks, samples->count, result->clock_states, sizeof(result->clock_states)) < 0) {
      return measure_no_memory(sampler->session);
   }
   if (sampler->session->info->timestamp_step_ns > 1) {
      result->resolution = benchmark_pair_resolution(pair, &samples->last, sampler->session->info->timestamp_step_ns);
      stats_widen(&interval, result->resolution);
   }
   result->value = interval.median;
   result->low = interval.low;
   result->high = interval.high;
   result->samples = samples->costs;
   result->sample_count = samples->count;
   samples->costs = NULL;
   result->times = samples->times;
   samples->times = NULL;
   if (samples->last.reference_ns > 0) {
      result->reference_operations = benchmark_pair_issue_cycles(sampler->reference);
   }
   if (bench_metrics[pair->metric].timing != BENCH_CLOCKLESS) {
      const struct asahi_device_info *info = sampler->session->info;

      result->clock_hz = (uint64_t)stats_median(samples->clocks, samples->count);
      result->operating_point_hz =
          asahi_operating_point_nearest(info->operating_points, info->operating_point_count, (double)result->clock_hz);
      if (samples->last.reference_ns > 0) {
         note_odd_clock(sampler, samples, result->operating_point_hz);
      }
   }
   return true;
}

bool sampler_measure(struct sampler *sampler, struct benchmark_pair *pair)
{
   struct result *result = sampler->session->result;
   struct set_plan plan;
   struct samples samples = {0};

   if (!make_plan(sampler, pair, &plan)) {
      return false;
   }
   samples.wanted = sets_wanted(sampler, &plan);
   if (plan.reference != NULL && sampler->session->info->settle_ns != 0 &&
       samples.wanted < SETS_FACTOR_NOISE * (size_t)sampler->settings.samples) {
      samples.wanted = SETS_FACTOR_NOISE * (size_t)sampler->settings.samples;
   }
   const size_t most = SETS_FACTOR_MAX * (size_t)sampler->settings.samples;
   samples.costs = calloc(most, sizeof(*samples.costs));
   samples.clocks = calloc(most, sizeof(*samples.clocks));
   samples.spans = calloc(most, sizeof(*samples.spans));
   samples.times = calloc(most * RESULT_TIME_COUNT, sizeof(*samples.times));
   bool done = samples.costs != NULL && samples.clocks != NULL && samples.spans != NULL && samples.times != NULL;
   if (!done) {
      (void)measure_no_memory(sampler->session);
   }
   done = done && take_all(sampler, &plan, &samples) && summarize(sampler, pair, &samples);
   result->check = done ? RESULT_CHECK_PASS : result->check; /* run_submit() has checked each sample */
   result->discarded = samples.discarded;
   free(samples.costs);
   free(samples.clocks);
   free(samples.spans);
   free(samples.times);
   return done;
}

double sampler_clock(struct sampler *sampler)
{
   struct result *result = sampler->session->result;

   if (!make_reference(sampler)) {
      return 0;
   }
   const double assumed = sampler->clock_hz;
   sampler->clock_hz = 0;
   const bool done = sampler_measure(sampler, sampler->reference);
   sampler->clock_hz = assumed;
   return done ? (double)result->clock_hz : 0;
}
