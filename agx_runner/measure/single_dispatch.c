/* SPDX-License-Identifier: MIT
 *
 * One dispatch gives one figure without an interval, because no time is measured.
 */
#include "agx_runner/measure/single_dispatch.h"

#include <math.h>

#include "agx_runner/measure/run.h"

void single_dispatch_measure(struct benchmark_pair *pair)
{
   struct result *result = pair->session->result;
   const struct benchmark *benchmark = pair->benchmark;
   char why[160] = "";

   if (!run_side(pair, 0)) {
      return;
   }
   if (benchmark->finding != NULL) {
      benchmark->finding(benchmark_pair_output(pair, 0), result->finding, sizeof(result->finding));
   }
   if (benchmark->figure != NULL) {
      const struct bench_io io = benchmark_pair_io(pair, 0);
      const double value =
          benchmark->figure(benchmark, pair->metric, &io, benchmark_pair_output(pair, 0), why, sizeof(why));

      if (isnan(value)) {
         result->check = RESULT_CHECK_FAIL;
         result_set(result, RESULT_FAIL, "%s", why);
         return;
      }
      if (pair->metric != BENCH_CHECK) {
         result->value = result->low = result->high = value;
      }
   }
   result->check = RESULT_CHECK_PASS;
}
