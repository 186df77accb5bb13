/* SPDX-License-Identifier: MIT
 *
 * load-study [-n RUNS] [-o OPTIONS] [-c CHIP] [ROW...]: the rows of the default run on a device whose clock follows the
 * load, with jitter and a compositor, each RUNS times with another seed. The table has the figure without disturbance,
 * and for two methods how far the figures of all runs are from it and how many intervals hold it:
 *
 * - now: the product's sampler.
 * - before: the sampler of commit a32f55a. Each program is a submission of its own, in random order, and the host
 *   checks its answer before the next one; nothing warms the GPU up; nine samples. It is written here a second time,
 *   because that commit cannot open this device.
 *
 * The runs are replayed (replay.h). Fails unless 98 of 100 medians of `now` lie within 1 % and 95 of 100 of its
 * intervals hold the figure without disturbance, less two standard deviations of that count, and `before` does neither.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/metric.h"
#include "agx_runner/measure/prepare.h"
#include "agx_runner/measure/run.h"
#include "agx_runner/measure/sampler.h"
#include "agx_runner/statistics/stats.h"
#include "agx_runner/terminal/runner.h"
#include "nir_kernels/chain.h"
#include "tests/bench/replay.h"

#define CHIP "m1"
#define DISTURBED "dvfs=real,compositor,jitter=1%,hosttime=200us"
#define UNDISTURBED "dvfs=command" /* the clock is constant, times are exact; commands have the same overheads */
#define SAMPLES 9
#define RUNS 20
#define WITHIN 0.01
#define HOLDING 0.95
#define CLOSE 0.98 /* of the medians */
#define ROWS_MAX 1024

enum method { METHOD_NOW, METHOD_BEFORE, METHOD_COUNT };
static const char *const method_names[] = {"now", "before"};

struct tally {
   unsigned runs, without, within, holding; /* without: a figure */
   double worst, sum;                       /* of errors, relative: the largest without its sign; all with it */
};

struct row {
   const struct benchmark *benchmark;
   enum bench_metric metric;
   char name[RESULT_NAME_MAX];
   double truth;
   struct tally tallies[METHOD_COUNT];
};

static bool is_asked_for(const char *name, int count, char *const *asked)
{
   for (int i = 0; i < count; i++) {
      if (strstr(name, asked[i]) != NULL) {
         return true;
      }
   }
   return count == 0;
}

static size_t find_rows(struct row *rows, int count, char *const *asked)
{
   size_t found = 0;

   for (size_t i = 0; i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);

      for (enum bench_metric metric = 0; metric < BENCH_METRIC_COUNT; metric++) {
         struct row row = {.benchmark = benchmark, .metric = metric};

         metric_name(benchmark, metric, row.name, sizeof(row.name));
         if (bench_is_brief(i) && benchmark->skip == NULL && benchmark->metrics & 1u << metric &&
             bench_is_timed(metric) && is_asked_for(row.name, count, asked) && found < ROWS_MAX) {
            rows[found++] = row;
         }
      }
   }
   return found;
}

/* ---- The method of commit a32f55a ---- */

/* One program, alone in its submission. */
static double time_alone(struct benchmark_pair *pair, unsigned side)
{
   struct run_command command = {.pair = pair, .side = side};
   struct run_batch batch;
   const bool done = run_prepare(&batch, &command, 1) && run_submit(&batch, NULL);

   run_finish(&batch);
   return done ? command.nanoseconds : NAN;
}

static double cost_before(const struct benchmark_pair *pair, double times[3][2], double clock_hz)
{
   const struct benchmark_pair_times of = {
       .shorter_ns = times[0][0], .longer_ns = times[0][1], .control_ns = times[1][0], .clock_hz = clock_hz};

   return benchmark_pair_cost(pair, &of);
}

/* The reference and the controls are those that the sampler has made for this row. */
static bool measure_before(struct sampler *sampler, struct benchmark_pair *pair, struct result *result)
{
   const bool half = pair->benchmark->chain != NULL &&
                     (pair->benchmark->chain->type == BENCH_F16 || pair->benchmark->chain->type == BENCH_U16);
   struct benchmark_pair *const pairs[3] = {
       pair, bench_metrics[pair->metric].timing == BENCH_BOTH_CONTROL ? sampler->controls[!half] : NULL,
       sampler->reference};
   double costs[SAMPLES];
   struct stats_interval interval;

   for (unsigned i = 0; i < SAMPLES; i++) {
      unsigned order[6], count = 0;
      double times[3][2] = {0};

      for (unsigned k = 0; k < 6; k++) {
         if (pairs[k / 2] != NULL) {
            order[count++] = k;
         }
      }
      for (unsigned k = count - 1; k > 0; k--) {
         const unsigned other = util_random_below(&sampler->random, k + 1), swap = order[k];

         order[k] = order[other];
         order[other] = swap;
      }
      for (unsigned k = 0; k < count; k++) {
         times[order[k] / 2][order[k] % 2] = time_alone(pairs[order[k] / 2], order[k] % 2);
      }
      const double reference = times[2][1] - times[2][0];
      costs[i] = cost_before(pair, times, 1.02 * benchmark_pair_issue_cycles(sampler->reference) / (reference * 1e-9));
      if (!isfinite(costs[i])) {
         return false;
      }
   }
   if (stats_interval(costs, SAMPLES, &interval) < 0 || interval.low <= 0) {
      return false;
   }
   result->value = interval.median;
   result->low = interval.low;
   result->high = interval.high;
   return true;
}

/* ---- Runs ---- */

/* The device without disturbance. It asks for programs as long as those of the disturbed one, whose timestamps step:
 * what a loop costs depends a little on its length. */
static bool open_undisturbed(struct session *session, const char *chip, const char *options,
                             struct asahi_device_info *info)
{
   if (!replay_open(session, chip, options)) {
      return false;
   }
   const double step = session->info->timestamp_step_ns;

   replay_close(session);
   if (!replay_open(session, chip, UNDISTURBED)) {
      return false;
   }
   *info = *session->info;
   info->timestamp_step_ns = step;
   session->info = info;
   return true;
}

/* The figure of the device without disturbance; all rows, the pairs are thrown away. */
static bool find_truth(const char *chip, const char *options, struct row *rows, size_t count)
{
   const struct measure_settings settings = {.samples = 1, .seed = 1, .clock = MEASURE_CLOCK_AUTO};
   struct asahi_device_info info;
   struct session session;
   struct sampler sampler;
   char why[240];
   bool done = open_undisturbed(&session, chip, options, &info) &&
               sampler_start(&sampler, &session, &settings, why, sizeof(why));

   for (size_t i = 0; done && i < count; i++) {
      struct result result;

      result_init(&result, rows[i].name);
      session_set_result(&session, &result);
      struct benchmark_pair *pair = prepare_pair(&session, rows[i].benchmark, rows[i].metric, 1);
      done = pair != NULL && sampler_measure(&sampler, pair);
      if (!done) {
         fprintf(stderr, "%s without disturbance: %s\n", rows[i].name, result.reason);
      }
      rows[i].truth = result.value;
      benchmark_pair_destroy(pair);
      result_finish(&result);
   }
   sampler_finish(&sampler);
   replay_close(&session);
   return done;
}

static void add(struct tally *tally, const struct result *result, bool has_figure, double truth)
{
   const double error = result->value / truth - 1;

   tally->runs++;
   if (!has_figure) {
      tally->without++;
      return;
   }
   tally->within += fabs(error) <= WITHIN;
   tally->holding += result->low <= truth && truth <= result->high;
   tally->worst = fmax(tally->worst, fabs(error));
   tally->sum += error;
}

static void run_method(struct sampler *sampler, struct benchmark_pair *pair, enum method method, uint64_t seed,
                       struct row *row)
{
   struct result result;

   result_init(&result, row->name);
   session_set_result(sampler->session, &result);
   sampler->random = (struct util_random){seed};
   replay_restart(seed);
   const bool done = method == METHOD_NOW ? sampler_measure(sampler, pair) : measure_before(sampler, pair, &result);
   add(&row->tallies[method], &result, done, row->truth);
   if (method == METHOD_NOW && (!done || fabs(result.value / row->truth - 1) > WITHIN)) {
      fprintf(stderr, "%s, seed %llu: %.4g (%.4g to %.4g, %zu samples, %u discarded) against %.4g %s\n", row->name,
              (unsigned long long)seed, result.value, result.low, result.high, result.sample_count, result.discarded,
              row->truth, result.reason);
   }
   result_finish(&result);
}

static bool study(const char *chip, const char *options, unsigned runs, struct row *rows, size_t count)
{
   const struct measure_settings settings = {.samples = SAMPLES, .seed = 1, .clock = MEASURE_CLOCK_INFER};
   struct session session;
   struct sampler sampler;
   char why[240];
   bool done = replay_open(&session, chip, options) && sampler_start(&sampler, &session, &settings, why, sizeof(why));

   for (size_t i = 0; done && i < count; i++) {
      struct result result;

      result_init(&result, rows[i].name);
      session_set_result(&session, &result);
      struct benchmark_pair *pair = prepare_pair(&session, rows[i].benchmark, rows[i].metric, 1);
      done = pair != NULL;
      if (!done) {
         fprintf(stderr, "%s: %s\n", rows[i].name, result.reason);
      }
      for (uint64_t run = 0; done && run < runs; run++) {
         for (enum method method = 0; method < METHOD_COUNT; method++) {
            run_method(&sampler, pair, method, 1 + run * count + i, &rows[i]);
         }
      }
      benchmark_pair_destroy(pair);
      result_finish(&result);
   }
   sampler_finish(&sampler);
   replay_close(&session);
   return done;
}

/* ---- The table ---- */

static void print_tally(const struct tally *tally)
{
   const unsigned figures = tally->runs - tally->without;

   printf(" | %3u/%-3u | %6.2f %% | %+6.2f %% | %3u/%-3u", tally->within, tally->runs, 100 * tally->worst,
          figures > 0 ? 100 * tally->sum / figures : 0, tally->holding, tally->runs);
}

static void print_row(const char *name, double truth, const struct tally *tallies)
{
   printf("| %-34s | %8.4g", name, truth);
   for (enum method method = 0; method < METHOD_COUNT; method++) {
      print_tally(&tallies[method]);
   }
   printf(" |\n");
}

static void print_table(const struct row *rows, size_t count, struct tally total[METHOD_COUNT])
{
   printf("| %-34s | %8s", "row", "true");
   for (enum method method = 0; method < METHOD_COUNT; method++) {
      printf(" | %s: within 1 %% | worst | mean | interval holds", method_names[method]);
   }
   printf(" |\n|---|---|---|---|---|---|---|---|---|---|\n");
   for (size_t i = 0; i < count; i++) {
      print_row(rows[i].name, rows[i].truth, rows[i].tallies);
      for (enum method method = 0; method < METHOD_COUNT; method++) {
         const struct tally *tally = &rows[i].tallies[method];

         total[method].runs += tally->runs;
         total[method].within += tally->within;
         total[method].without += tally->without;
         total[method].holding += tally->holding;
         total[method].sum += tally->sum;
         total[method].worst = fmax(total[method].worst, tally->worst);
      }
   }
   printf("| %-34s | %8s", "all", "");
   for (enum method method = 0; method < METHOD_COUNT; method++) {
      print_tally(&total[method]);
   }
   printf(" |\n");
   for (enum method method = 0; method < METHOD_COUNT; method++) {
      printf("%s: %u of %u runs gave no figure\n", method_names[method], total[method].without, total[method].runs);
   }
}

int main(int argc, char **argv)
{
   static struct row rows[ROWS_MAX];
   const char *chip = CHIP, *options = DISTURBED;
   struct tally total[METHOD_COUNT] = {0};
   unsigned runs = RUNS;

   for (int option; (option = getopt(argc, argv, "n:o:c:")) != -1;) {
      if (option == 'n') {
         runs = (unsigned)strtoul(optarg, NULL, 10);
      } else if (option == 'o') {
         options = optarg;
      } else if (option == 'c') {
         chip = optarg;
      } else {
         return EXIT_INVALID;
      }
   }
   const size_t count = find_rows(rows, argc - optind, argv + optind);
   if (runs == 0 || count == 0) {
      fprintf(stderr, "usage: load-study [-n RUNS] [-o OPTIONS] [-c CHIP] [ROW...]; this asks for nothing\n");
      return EXIT_INVALID;
   }
   printf("%zu rows, %u runs each on virtual:%s,%s; true: virtual:%s,%s; %d samples at least\n\n", count, runs, chip,
          options, chip, UNDISTURBED, SAMPLES);
   if (!find_truth(chip, options, rows, count) || !study(chip, options, runs, rows, count)) {
      return EXIT_FAILURE;
   }
   print_table(rows, count, total);
   const struct tally *now = &total[METHOD_NOW];
   const struct tally *before = &total[METHOD_BEFORE];
   const bool good = now->within >= CLOSE * now->runs &&
                     now->holding >= HOLDING * now->runs - 2 * sqrt(HOLDING * (1 - HOLDING) * now->runs);
   return good && before->within < CLOSE * before->runs && before->holding < HOLDING * before->runs ? EXIT_SUCCESS
                                                                                                    : EXIT_FAILURE;
}
