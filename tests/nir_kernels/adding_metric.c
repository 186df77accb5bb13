/* SPDX-License-Identifier: MIT
 *
 * The metric that docs/adding-a-metric.md adds is complete with its one row: name, unit, direction, cost and timing.
 * The sources are those of the program, compiled with a metrics.h that adding_row.py made.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/metric.h"
#include "agx_runner/results/direction.h"
#include "tests/check.h"

int main(void)
{
   static const struct benchmark benchmark = {.group = "made",
                                              .name = "up",
                                              .metrics = 1u << BENCH_ISSUE_RATE,
                                              .variants = {[BENCH_ISSUE_RATE] = {16, 4, 16}}};
   const struct bench_metric_info *metric = &bench_metrics[BENCH_ISSUE_RATE];
   /* 500 operations more in 1000 ns more, at 2 GHz: 2000 cycles. */
   const struct bench_sample sample = {.shorter_ns = 1000, .longer_ns = 2000, .clock_hz = 2e9, .issues = 500};
   struct bench_variant variants[2];
   char name[64];

   metric_name(&benchmark, BENCH_ISSUE_RATE, name, sizeof(name));
   CHECK(strcmp(name, "made/up/issue-rate") == 0, "%s", name);
   CHECK(strcmp(metric_unit(&benchmark, BENCH_ISSUE_RATE), "op/cycle") == 0, "%s", metric->unit);
   CHECK(direction_is_known(name, ""), "%s", name);
   CHECK(direction_more_is_better(name, "cycles"), "the metric comes before the unit");
   CHECK(bench_is_timed(BENCH_ISSUE_RATE) && !bench_is_timed(BENCH_CHECK), "timing");
   CHECK(metric->occupancy.group * metric->occupancy.threadgroups_per_core / 32 == 24, "occupancy");
   CHECK(fabs(metric->cost(&sample) - 0.25) < 1e-12, "cost %g", metric->cost(&sample));
   metric_variants(&benchmark, BENCH_ISSUE_RATE, variants);
   CHECK(variants[0].repeat == 16 && variants[1].repeat == 32, "variants");
   CHECK(strstr(metric->definition, "issues in a cycle") != NULL && metric->formula[0] != '\0', "texts");
   return check_result();
}
