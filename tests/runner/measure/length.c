/* SPDX-License-Identifier: MIT
 *
 * Programs are as long on a device whose clock follows the load as on one whose clock is constant, so that both give
 * the same figure: what a loop costs depends a little on its length. A length that is chosen while the clock is low is
 * too short under load. Replayed (tests/bench/replay.h); the second source is the device with the constant clock.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/prepare.h"
#include "agx_runner/measure/sampler.h"
#include "tests/bench/replay.h"
#include "tests/runner/check.h"

#define CONSTANT "dvfs=command"
#define FOLLOWING "dvfs=real,hosttime=200us"
#define CLOSE 0.001 /* two steps of the counter, of the shortest difference */

struct row {
   const char *group, *name;
   enum bench_metric metric;
};

struct measured {
   uint32_t iterations, threads;
   double figure;
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

static bool measure(unsigned *failures, const char *options, const struct row *row, struct measured *measured)
{
   const struct measure_settings settings = {.samples = 9, .seed = 1, .clock = MEASURE_CLOCK_INFER};
   struct session session;
   struct sampler sampler;
   struct result result;
   char why[240];
   bool lost = false;

   if (!replay_open(&session, "m1", options)) {
      return false;
   }
   const bool started = sampler_start(&sampler, &session, &settings, why, sizeof(why));
   result_init(&result, row->name);
   struct benchmark_pair *pair = started ? prepare_pair(&session, find(row), row->metric, 1, &result, &lost) : NULL;
   const bool done = pair != NULL && sampler_measure(&sampler, pair, &result, &lost);

   CHECK(failures, done, "%s/%s on %s: %s", row->group, row->name, options, result.reason);
   if (done) {
      *measured = (struct measured){pair->sides[0].iterations, pair->sides[0].threads, result.value};
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
   };
   unsigned failures = 0;

   for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
      struct measured constant, following;

      if (!measure(&failures, CONSTANT, &rows[i], &constant) || !measure(&failures, FOLLOWING, &rows[i], &following)) {
         failures++;
         continue;
      }
      CHECK(&failures, following.iterations == constant.iterations && following.threads == constant.threads,
            "%s: %u iterations of %u threads, not %u of %u", rows[i].name, following.iterations, following.threads,
            constant.iterations, constant.threads);
      CHECK(&failures, fabs(following.figure / constant.figure - 1) <= CLOSE, "%s: %g, not %g", rows[i].name,
            following.figure, constant.figure);
   }
   return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
