/* SPDX-License-Identifier: MIT
 *
 * Every metric and every unit of the catalogue has a direction, and the one that its definition tells.
 */
#include "agx_runner/results/direction.h"

#include <string.h>

#include "agx_runner/measure/measure.h"
#include "tests/check.h"

/* By the definitions in measure.c: what is counted in cycles, nanoseconds, ulp or wrong elements is a cost, the others
 * are gains. */
static void test_catalogue(void)
{
   char name[RESULT_NAME_MAX];

   for (size_t i = 0; i < bench_count(); i++) {
      for (enum bench_metric metric = 0; metric < BENCH_METRIC_COUNT; metric++) {
         if (!(bench_at(i)->metrics & 1u << metric) || metric == BENCH_CHECK) {
            continue;
         }
         const char *unit = metric_unit(bench_at(i), metric);
         const bool cost = strcmp(unit, "cycles") == 0 || strcmp(unit, "ns") == 0 || strcmp(unit, "ulp") == 0 ||
                           strcmp(unit, "elements") == 0;
         metric_name(bench_at(i), metric, name, sizeof(name));
         CHECK(direction_is_known(name, ""), "%s: the metric has no direction", name);
         CHECK(direction_is_known("", unit), "%s: the unit '%s' has no direction", name, unit);
         CHECK(direction_more_is_better(name, "") == !cost, "%s in %s", name, unit);
         CHECK(direction_more_is_better("", unit) == !cost, "%s in %s", name, unit);
      }
   }
}

int main(void)
{

   test_catalogue();
   CHECK(!direction_is_known("frobs", "frob/s") && !direction_more_is_better("frobs", "frob/s"), "unknown");
   CHECK(!direction_more_is_better("FADD32*2", "cycles"), "a mix");
   CHECK(!direction_more_is_better("g/x/max-error", "Gop/s"), "the metric comes before the unit");
   return check_result();
}
