/* SPDX-License-Identifier: MIT
 *
 * Programs are as long on a device whose clock follows the load as on one whose clock is constant, so that both give
 * the same figure: what a loop costs depends a little on its length. A length that is chosen while the clock is low is
 * too short under load. Replayed (tests/bench/replay.h); the second source is the device with the constant clock.
 *
 * What the steps of timestamps do to a figure is tried on many rounded times: the interval holds the figure of exact
 * times.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/prepare.h"
#include "agx_runner/measure/sampler.h"
#include "util/random.h"
#include "tests/bench/replay.h"
#include "tests/check.h"

#define CONSTANT "dvfs=command"
#define FOLLOWING "dvfs=real,hosttime=200us"
#define STEP_NS (1e9 / 24e6)
#define CLOSE 0.001 /* two steps of the counter, of the shortest difference */

struct row {
   const char *group, *name;
   enum bench_metric metric;
};

struct measured {
   uint32_t iterations, threads;
   double figure, low, high;
};

static const struct benchmark *find(const struct row *row)
{
   for (size_t i = 0; i < bench_count(); i++) {
      if (!strcmp(bench_at(i)->group, row->group) && !strcmp(bench_at(i)->name, row->name)) {
         return bench_at(i);
      }
   }
   return NULL;
}

/* A duration of `ns` between two timestamps that step. */
static double rounded(struct util_random *random, double ns)
{
   const double start = util_random_unit(random);

   return STEP_NS * (floor(start + ns / STEP_NS) - floor(start));
}

/* How often the cost of rounded times is no farther from that of exact ones than benchmark_pair_resolution() says. What
 * the exact times are beyond whole steps is drawn, too. */
static void check_resolution(const struct benchmark_pair *pair)
{
   enum { RUNS = 4000 };
   static const struct benchmark_pair_times typical = {
       .shorter_ns = 32e3, .longer_ns = 62e3, .control_ns = 5e3, .reference_ns = 25e3, .clock_hz = 1e9};
   const double resolution = benchmark_pair_resolution(pair, &typical, STEP_NS);
   struct util_random random = {3};
   unsigned close = 0;

   for (unsigned run = 0; run < RUNS; run++) {
      const struct benchmark_pair_times exact = {.shorter_ns = typical.shorter_ns + STEP_NS * util_random_unit(&random),
                                                 .longer_ns = typical.longer_ns + STEP_NS * util_random_unit(&random),
                                                 .control_ns = typical.control_ns + STEP_NS * util_random_unit(&random),
                                                 .reference_ns =
                                                     typical.reference_ns + STEP_NS * util_random_unit(&random),
                                                 .clock_hz = typical.clock_hz};
      struct benchmark_pair_times times = {.shorter_ns = rounded(&random, exact.shorter_ns),
                                           .longer_ns = rounded(&random, exact.longer_ns),
                                           .control_ns = rounded(&random, exact.control_ns)};
      double reference = 0;

      for (unsigned i = 0; i < 2; i++) {
         reference += rounded(&random, 2 * exact.reference_ns) - rounded(&random, exact.reference_ns);
      }
      times.clock_hz = exact.clock_hz * exact.reference_ns / (reference / 2);
      close += fabs(benchmark_pair_cost(pair, &times) - benchmark_pair_cost(pair, &exact)) <= resolution;
   }
   CHECK(close >= 0.94 * RUNS && close <= 0.98 * RUNS, "%s: %u of %u rounded costs are within %g",
         pair->benchmark->name, close, RUNS, resolution);
}

static bool measure(const char *options, const struct row *row, struct measured *measured)
{
   const struct measure_settings settings = {.samples = 9, .seed = 1, .clock = MEASURE_CLOCK_INFER};
   struct session session;
   struct sampler sampler;
   struct result result;
   char why[240];

   if (!replay_open(&session, "m1", options)) {
      return false;
   }
   const bool started = sampler_start(&sampler, &session, &settings, why, sizeof(why));
   result_init(&result, row->name);
   session_set_result(&session, &result);
   struct benchmark_pair *pair = started ? prepare_pair(&session, find(row), row->metric, 1) : NULL;
   const bool done = pair != NULL && sampler_measure(&sampler, pair);

   CHECK(done, "%s/%s on %s: %s", row->group, row->name, options, result.reason);
   if (done) {
      *measured =
          (struct measured){pair->sides[0].iterations, pair->sides[0].threads, result.value, result.low, result.high};
      check_resolution(pair);
   }
   benchmark_pair_destroy(pair);
   result_finish(&result);
   sampler_finish(&sampler);
   replay_close(&session);
   return done;
}

int main(void)
{
   static const struct row rows[] = {
       {"atomic", "local-add-own", BENCH_RATE}, /* 512 iterations are 0.4 % off */
       {"example", "saxpy", BENCH_RATE},        /* longer by its grid */
       {"int", "bitwise32", BENCH_LATENCY},
       {"int", "bitwise32", BENCH_RAW_LATENCY},
   };

   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      struct measured constant, following;

      if (!measure(CONSTANT, &rows[i], &constant) || !measure(FOLLOWING, &rows[i], &following)) {
         check_failures++;
         continue;
      }
      CHECK(following.iterations == constant.iterations && following.threads == constant.threads,
            "%s: %u iterations of %u threads, not %u of %u", rows[i].name, following.iterations, following.threads,
            constant.iterations, constant.threads);
      CHECK(following.low <= constant.figure && constant.figure <= following.high,
            "%s: %.6g to %.6g does not hold %.6g", rows[i].name, following.low, following.high, constant.figure);
      CHECK(fabs(following.figure / constant.figure - 1) <= CLOSE, "%s: %g, not %g", rows[i].name, following.figure,
            constant.figure);
   }
   return check_result();
}
