/* SPDX-License-Identifier: MIT
 *
 * clock-study N: how well figures stand a clock that wanders and timestamps that jitter. Some rows are measured on a
 * quiet virtual device, and on N disturbed ones that differ in their seeds: with the clock inferred beside each sample,
 * and with the nominal clock taken for granted. The disturbances are invented (vgpu/timing/command/clock.h); the quiet
 * device's figures are the true values.
 *
 * Fails unless, with inference, all medians lie within 2 % of the true value and 93 of 100 intervals hold it, and
 * without inference neither is so.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/measure.h"
#include "agx_runner/terminal/runner.h"
#include "tests/bench/replay.h"
#include "util/array.h"

#define DISTURBED "clock=wander,jitter=50ns,seed=%u"
#define QUIET "dvfs=command" /* a constant clock; programs as long as on the disturbed device */
#define SAMPLES 9
#define WITHIN 0.02
#define HOLDING 0.93

static const struct {
   const char *name;
   enum bench_metric metric;
} rows[] = {
    {"ffma32", BENCH_THROUGHPUT},
    {"ffma32", BENCH_LATENCY},
    {"imul32", BENCH_LATENCY},
    {"rcp32", BENCH_THROUGHPUT},
};

struct tally {
   unsigned runs, within, holding;
   double worst, width; /* relative: of a median; all intervals' together */
};

static const struct benchmark *find(const char *name)
{
   for (size_t i = 0; i < bench_count(); i++) {
      if (!strcmp(bench_at(i)->name, name)) {
         return bench_at(i);
      }
   }
   fprintf(stderr, "no benchmark %s\n", name);
   exit(EXIT_FAILURE);
}

/* Measures all rows on a device of its own. */
static void measure_rows(const char *device, bool nominal, unsigned seed, struct result results[ARRAY_COUNT(rows)])
{
   struct session session;
   struct measure measure;

   if (!replay_open(&session, "m1", device)) {
      exit(EXIT_FAILURE);
   }
   const struct measure_settings settings = {
       .samples = SAMPLES, .seed = seed, .clock = nominal ? MEASURE_CLOCK_NOMINAL : MEASURE_CLOCK_AUTO};
   char why[240];

   if (!measure_start(&measure, &session, &settings, why, sizeof(why))) {
      fprintf(stderr, "%s\n", why);
      exit(EXIT_FAILURE);
   }
   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      result_init(&results[i], rows[i].name);
      if (!measure_benchmark(&measure, find(rows[i].name), rows[i].metric, &results[i]) ||
          results[i].status != RESULT_PASS) {
         fprintf(stderr, "%s on %s: %s\n", rows[i].name, device, results[i].reason);
         exit(EXIT_FAILURE);
      }
   }
   measure_finish(&measure);
   replay_close(&session);
}

static void add(struct tally *tally, const struct result *result, double truth)
{
   const double error = fabs(result->value / truth - 1);

   tally->runs++;
   tally->within += error <= WITHIN;
   tally->holding += result->low <= truth && truth <= result->high;
   tally->worst = error > tally->worst ? error : tally->worst;
   tally->width += (result->high - result->low) / truth;
}

static void study(unsigned seeds, bool nominal, const struct result *truth, struct tally *all)
{
   struct tally tallies[ARRAY_COUNT(rows)] = {0};

   for (unsigned seed = 1; seed <= seeds; seed++) {
      struct result results[ARRAY_COUNT(rows)];
      char device[96];

      snprintf(device, sizeof(device), DISTURBED, seed);
      measure_rows(device, nominal, seed, results);
      for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
         add(&tallies[i], &results[i], truth[i].value);
         add(all, &results[i], truth[i].value);
         result_finish(&results[i]);
      }
   }
   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      printf("%-8s %-8s %-10s %8.3f %11.1f %% %15.1f %% %9.1f %% %13.1f %%\n", nominal ? "nominal" : "inferred",
             rows[i].name, bench_metrics[rows[i].metric].name, truth[i].value, 100.0 * tallies[i].within / seeds,
             100.0 * tallies[i].holding / seeds, 100 * tallies[i].worst, 100 * tallies[i].width / seeds);
   }
}

int main(int argc, char **argv)
{
   const unsigned seeds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 25;
   struct tally inferred = {0}, nominal = {0};
   struct result truth[ARRAY_COUNT(rows)];

   if (seeds == 0) {
      fprintf(stderr, "usage: clock-study [NUMBER OF SEEDS]\n");
      return EXIT_INVALID;
   }
   measure_rows(QUIET, false, 1, truth);
   printf("%u seeds of virtual:m1," DISTURBED "; %u samples a figure\n", seeds, 1, SAMPLES);
   printf("%-8s %-8s %-10s %8s %13s %17s %11s %15s\n", "clock", "row", "metric", "quiet", "within 2 %",
          "interval holds it", "worst", "mean width");
   study(seeds, false, truth, &inferred);
   study(seeds, true, truth, &nominal);
   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      result_finish(&truth[i]);
   }

   printf("\n%u runs: inferred, %u medians within 2 %% and %u intervals that hold the true value; nominal, %u and %u\n",
          inferred.runs, inferred.within, inferred.holding, nominal.within, nominal.holding);
   const bool good = inferred.within == inferred.runs && inferred.holding >= HOLDING * inferred.runs;
   const bool needed = nominal.within < nominal.runs && nominal.holding < HOLDING * nominal.runs;
   return good && needed ? EXIT_SUCCESS : EXIT_FAILURE;
}
