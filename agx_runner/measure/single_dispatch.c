/* SPDX-License-Identifier: MIT */
#include "agx_runner/measure/single_dispatch.h"

#include <math.h>
#include <string.h>

#include "agx_runner/measure/benchmark_pair.h"
#include "agx_runner/measure/residency.h"

static void keep_figure(struct result *result, double value)
{
   result->value = result->low = result->high = value;
}

/* One dispatch; its answer is compared where there is one. */
static void run_once(struct pair *pair, struct result *result, bool *lost)
{
   const struct benchmark *benchmark = pair->benchmark;
   double nanoseconds;
   char why[160] = "";

   if (!pair_run(pair, 0, &nanoseconds, result, lost)) {
      return;
   }
   if (benchmark->figure != NULL) {
      const struct bench_io io = pair_io(pair, 0);
      const double value = benchmark->figure(benchmark, pair->metric, &io, pair_output(pair), why, sizeof(why));

      if (isnan(value)) {
         result->check = RESULT_CHECK_FAIL;
         result_set(result, RESULT_FAIL, "%s", why);
         return;
      }
      if (pair->metric != BENCH_CHECK) {
         keep_figure(result, value);
      }
   }
   result->check = RESULT_CHECK_PASS;
}

const char *once_absent(const struct asahi_device_info *info)
{
   return info->atomics_64         ? NULL
          : info->generation <= 13 ? "instruction absent on G13 (M1 family)"
                                   : "on a chip of several dies its encoding may mean another (spec/isa.md 4.3)";
}

bool once_measure(struct measure *measure, const struct benchmark *benchmark, enum bench_metric metric,
                  struct result *result)
{
   bool lost = false;
   struct pair *pair = pair_create(measure->session, benchmark, metric, measure->seed, result, &lost);

   if (pair != NULL && metric == BENCH_RESIDENT) {
      resident_measure(pair, result, &lost);
   } else if (pair != NULL) {
      run_once(pair, result, &lost);
   }
   const char *absent = benchmark->needs_atomics_64 ? once_absent(measure->session->info) : NULL;
   if (absent != NULL && result->status == RESULT_FAIL && !lost) {
      char said[sizeof(result->reason)];

      memcpy(said, result->reason, sizeof(said));
      result_set(result, RESULT_SKIP, "%s: tried all the same: %.150s", absent, said);
   }
   pair_destroy(pair);
   return !lost;
}
