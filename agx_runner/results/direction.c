/* SPDX-License-Identifier: MIT
 *
 * Whether a figure is better when it is higher or lower: the row of its metric tells (nir_kernels/metrics.h), else the
 * table of units.
 */
#include "agx_runner/results/direction.h"

#include <stddef.h>
#include <string.h>

#include "nir_kernels/metrics.h"
#include "util/array.h"

struct direction {
   const char *word;
   bool more_is_better;
};

static const struct direction units[] = {
    {"cycles", false},       {"ulp", false},    {"elements", false}, {"ns", false},        {"us", false},
    {"ms", false},           {"s", false},      {"bytes", false},    {"x", true},          {"KiB", true},
    {"op/cycle/core", true}, {"threads", true}, {"launches", true},  {"simdgroups", true}, {"op/s", true},
    {"Gop/s", true},         {"GB/s", true},    {"TFLOP/s", true},   {"TOP/s", true},      {"word/cycle/core", true},
};

/* Finds the direction by the metric, else by the unit. Returns false if neither is known. */
static bool find(const char *name, const char *unit, bool *more_is_better)
{
   const char *slash = strrchr(name, '/');
   const char *metric = slash != NULL ? slash + 1 : name;

   for (size_t i = 0; i < BENCH_METRIC_COUNT; i++) {
      if (strcmp(bench_metrics[i].name, metric) == 0) {
         *more_is_better = bench_metrics[i].more_is_better;
         return true;
      }
   }
   for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
      if (strcmp(units[i].word, unit) == 0) {
         *more_is_better = units[i].more_is_better;
         return true;
      }
   }
   return false;
}

bool direction_more_is_better(const char *name, const char *unit)
{
   bool more = false;

   return find(name, unit, &more) && more;
}

bool direction_is_known(const char *name, const char *unit)
{
   bool more;

   return find(name, unit, &more);
}
