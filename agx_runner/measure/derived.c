/* SPDX-License-Identifier: MIT
 *
 * Computes figures from other figures. A row is derived only from rows that passed, and only once.
 */
#include "agx_runner/measure/derived.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "util/array.h"

/* pipelines.md: "Workaround on 32-bit atomics". The source does not say which workaround it was. */
#define PUBLISHED "philipturner/metal-benchmarks, Nanite and 64-bit atomics, another emulation"

/* 208 KiB for a threadgroup, and three times that for a core */
#define REGISTER_FILE "Rosenzweig, Dissecting the Apple M1 GPU, part III"

/* Ratios: how many times as much `dividend` costs as `divisor`. */
static const struct {
   const char *name, *dividend, *divisor;
   double reference;
} ratios[] = {
#define RATIOS(op)                                                                                                     \
   {"atomic/" op "-few/bandwidth-ratio", "atomic/" op "-few/rate", "atomic/" op "-emulated-few/rate", 2.5},            \
       {"atomic/" op "-few/latency-ratio", "atomic/" op "-emulated-few/latency", "atomic/" op "-few/latency", 5},      \
       {"atomic/" op "-behind/bandwidth-ratio", "atomic/" op "-few/rate", "atomic/" op "-emulated-behind/rate", 2.5},  \
       {"atomic/" op "-behind/latency-ratio", "atomic/" op "-emulated-behind/latency", "atomic/" op "-few/latency",    \
        5},                                                                                                            \
       {"atomic/" op "-own/bandwidth-ratio", "atomic/" op "-own/rate", "atomic/" op "-emulated-own/rate", 2.5},        \
   {                                                                                                                   \
      "atomic/" op "-own/latency-ratio", "atomic/" op "-emulated-own/latency", "atomic/" op "-own/latency", 5          \
   }
    RATIOS("umax64"),
    RATIOS("umin64"),
};

static const struct result *find(const struct result_run *run, const char *name)
{
   for (size_t i = 0; i < run->count; i++) {
      if (!strcmp(run->results[i].name, name)) {
         return &run->results[i];
      }
   }
   return NULL;
}

/* Adds the ratio of two rows if both exist. If one has no value, the ratio gets the same reason. */
static bool add_ratio(struct result_run *run, size_t index)
{
   const struct result *dividend = find(run, ratios[index].dividend), *divisor = find(run, ratios[index].divisor);

   if (dividend == NULL || divisor == NULL || find(run, ratios[index].name) != NULL) {
      return true;
   }
   const double a = dividend->value, b = divisor->value, low = dividend->low / divisor->high,
                high = dividend->high / divisor->low;
   const bool whole = dividend->status == RESULT_PASS && divisor->status == RESULT_PASS;
   struct result *result = result_add(run, ratios[index].name);
   if (result == NULL) {
      return false;
   }
   snprintf(result->unit, sizeof(result->unit), "x");
   result->reference = ratios[index].reference;
   snprintf(result->reference_source, sizeof(result->reference_source), "%s", PUBLISHED);
   if (whole) {
      result->value = a / b;
      result->low = low;
      result->high = high;
   } else {
      result_set(result, RESULT_SKIP, "needs both %s and %s", ratios[index].dividend, ratios[index].divisor);
   }
   return true;
}

#define KIB 1024.0

/* Returns the smallest difference between two rows "occupancy/KIND-...", which is the granularity of the allocation. */
static double smallest_step(const struct result_run *run, const char *kind)
{
   double step = INFINITY;
   char prefix[32];

   snprintf(prefix, sizeof(prefix), "occupancy/%s-", kind);
   for (size_t i = 0; i < run->count; i++) {
      for (size_t j = 0; j < i; j++) {
         const struct result *a = &run->results[i], *b = &run->results[j];
         const bool both = !strncmp(a->name, prefix, strlen(prefix)) && !strncmp(b->name, prefix, strlen(prefix));

         if (both && a->value != b->value) {
            step = fmin(step, fabs(a->value - b->value));
         }
      }
   }
   return step;
}

/* Adds bounds for the register file in KiB, from the threads of the rows "occupancy/KIND-REGISTERS/residency". The
 * largest register use that ran is a lower bound. If fewer threads run than with fewer registers, that use plus one
 * step is an upper bound. */
static bool add_register_file(struct result_run *run, const char *kind, double threads_each, double published)
{
   char prefix[32], name[RESULT_NAME_MAX];
   double low = 0, high = INFINITY, most = 0;
   const double step = smallest_step(run, kind);

   snprintf(prefix, sizeof(prefix), "occupancy/%s-", kind);
   for (unsigned pass = 0; pass < 2; pass++) {
      for (size_t i = 0; i < run->count; i++) {
         const struct result *row = &run->results[i];
         const double registers =
             strncmp(row->name, prefix, strlen(prefix)) == 0 ? strtod(row->name + strlen(prefix), NULL) : 0;

         if (row->status != RESULT_PASS || registers <= 0) {
            continue;
         }
         const double bytes = 2 * registers * threads_each;
         most = fmax(most, row->value);
         low = fmax(low, row->value * bytes / KIB);
         if (pass == 1 && row->value < most && !row->lower_bound) {
            high = fmin(high, (row->value + step) * bytes / KIB);
         }
      }
   }
   if (!(low > 0) || isinf(high)) {
      return true;
   }
   snprintf(name, sizeof(name), "occupancy/register-file-%s/size", kind);
   if (find(run, name) != NULL) {
      return true;
   }
   struct result *result = result_add(run, name);
   if (result == NULL) {
      return false;
   }
   snprintf(result->unit, sizeof(result->unit), "KiB");
   snprintf(result->reference_source, sizeof(result->reference_source), "%s", REGISTER_FILE);
   result->reference = published;
   result->value = result->low = low;
   result->high = high;
   return true;
}

bool derived_add(struct result_run *run)
{
   bool added = true;

   for (size_t i = 0; added && i < ARRAY_COUNT(ratios); i++) {
      added = add_ratio(run, i);
   }
   return added && add_register_file(run, "threads", 1, 208) && add_register_file(run, "simds", 32, 624);
}
