/* SPDX-License-Identifier: MIT
 *
 * Two tables say which way a figure is better: by its metric, else by its unit.
 */
#include "agx_runner/results/direction.h"

#include <stddef.h>
#include <string.h>

struct direction {
   const char *word;
   bool more_is_better;
};

static const struct direction metrics[] = {
    {"throughput", false}, /* cycles for an operation, despite its name */
    {"latency", false},
    {"raw-latency", false},
    {"control", false},
    {"max-error", false},
    {"mean-error", false},
    {"rate", true},
    {"resident", true},
    /* derived.c: how many times better the hardware's 64-bit atomics are than emulated ones; the register file. */
    {"bandwidth-ratio", true},
    {"latency-ratio", true},
    {"size", true},
};

static const struct direction units[] = {
    {"cycles", false}, {"ulp", false},       {"ns", false},  {"us", false},   {"ms", false},
    {"s", false},      {"bytes", false},     {"x", true},    {"KiB", true},   {"op/cycle/core", true},
    {"threads", true}, {"simdgroups", true}, {"op/s", true}, {"Gop/s", true}, {"GB/s", true},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct direction *find(const struct direction *table, size_t count, const char *word)
{
   for (size_t i = 0; i < count; i++) {
      if (strcmp(table[i].word, word) == 0) {
         return &table[i];
      }
   }
   return NULL;
}

static const struct direction *find_either(const char *name, const char *unit)
{
   const char *slash = strrchr(name, '/');
   const struct direction *found = find(metrics, COUNT(metrics), slash != NULL ? slash + 1 : name);

   return found != NULL ? found : find(units, COUNT(units), unit);
}

bool direction_more_is_better(const char *name, const char *unit)
{
   const struct direction *found = find_either(name, unit);

   return found != NULL && found->more_is_better;
}

bool direction_is_known(const char *name, const char *unit)
{
   return find_either(name, unit) != NULL;
}
