/* SPDX-License-Identifier: MIT
 *
 * Which kind of published figure a result is like, by its name, and the band that follows.
 */
#include "agx_runner/results/result.h"

#include <math.h>
#include <string.h>

#include "agx_runner/bands/bands.h"
#include "util/array.h"
#include "util/text.h"

#define FIGURES_MOST 8 /* of a kind: a longer table of bands would hide the results */

/* The first row that fits a name decides. NULL: nothing is published that it is like. */
static const struct {
   const char *prefix, *suffix, *group;
} kinds[] = {
    {"memory/gather-", "", "gathers"},
    {"memory/chase-", "", BAND_LATENCY},
    {"memory/local-chase", "", BAND_LATENCY},
    {"memory/code-", "", NULL},
    {"memory/", "/rate", BAND_BANDWIDTH},
    {"kernel/", "/dispatch", BAND_BANDWIDTH},
    {"matrix/", "/throughput", "matrix products"},
    {"matrix/", "/latency", "matrix products"},
    {"matrix/gemm-", "/dispatch", "matrix products"},
    {"launch/side-by-side-", "", "concurrent launches"},
    {"launch/barrier-", "", "barriers"},
    {"launch/", "/launch", "launches and barriers"},
    {"occupancy/", "/residency", "threads by registers"},
    {"control/", "", "empty kernel"},
    {"float/", "/raw-latency", "latency with its loop"},
    {"int/", "/raw-latency", "latency with its loop"},
    {"simd/", "/raw-latency", "latency with its loop"},
    {"quad/", "/raw-latency", "latency with its loop"},
    {"float/", "/latency", "latency"},
    {"int/", "/latency", "latency"},
    {"simd/", "/latency", "latency"},
    {"quad/", "/latency", "latency"},
};
/* Throughputs of these groups are of one instruction, or of a sequence. */
static const char *const arithmetic[] = {"float/", "int/", "simd/", "quad/"};

static bool starts_with(const char *text, const char *prefix)
{
   return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* A mix has no metric behind its operations, and a count behind each of them. */
static bool is_mix(const char *name)
{
   return strchr(name, '*') != NULL || strchr(name, ';') != NULL;
}

static const char *group_of(const struct result *result)
{
   if (is_mix(result->name)) {
      return result->occupancy <= BAND_FEW_MOST ? BAND_FEW_SIMDGROUPS : BAND_ARITHMETIC;
   }
   for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
      if (starts_with(result->name, kinds[i].prefix) && util_has_suffix(result->name, kinds[i].suffix)) {
         return kinds[i].group;
      }
   }
   for (size_t i = 0; i < ARRAY_COUNT(arithmetic); i++) {
      if (starts_with(result->name, arithmetic[i]) && util_has_suffix(result->name, "/throughput")) {
         return result->sequence[0] != '\0' ? "throughput of sequences" : "throughput of instructions";
      }
   }
   return NULL;
}

bool result_band(const struct result_run *run, const struct result *result, struct result_band *band)
{
   const char *group = group_of(result);

   if (!run->device.is_virtual || !isfinite(result->value) || group == NULL) {
      return false;
   }
   /* the error is model / published - 1, of either sign */
   *band = (struct result_band){.errors = error_band(group)};
   if (band->errors == NULL) {
      return false;
   }
   const double error = band->errors->ninetieth / 100;
   band->low = result->value / (1 + error);
   band->high = error < 1 ? result->value / (1 - error) : INFINITY;
   return true;
}

void result_band_text(const struct result *result, const struct result_band *band, char text[RESULT_BAND_TEXT])
{
   if (isinf(band->high)) {
      snprintf(text, RESULT_BAND_TEXT, "%.3g %s or more", band->low, result->unit);
   } else {
      snprintf(text, RESULT_BAND_TEXT, "%.3g to %.3g %s", band->low, band->high, result->unit);
   }
}

/* Prints the figures of one kind, which begins with result number `first`. */
static void print_kind(const struct result_run *run, const struct error_band *errors, size_t first, FILE *file)
{
   size_t count = 0;

   fprintf(file, "%s: this model errs by %.1f %% (median) and %.1f %% (nine in ten) against %u %s figures:\n",
           errors->group, errors->median, errors->ninetieth, errors->figures, errors->role);
   for (size_t i = first; i < run->count; i++) {
      const struct result *result = &run->results[i];
      struct result_band band;
      char text[RESULT_BAND_TEXT];

      if (!result_band(run, result, &band) || band.errors != errors || ++count > FIGURES_MOST) {
         continue;
      }
      result_band_text(result, &band, text);
      fprintf(file, "   %s: %s\n", result->name, text);
   }
   if (count > FIGURES_MOST) {
      fprintf(file, "   and %zu more figures (JSON has the bands of all)\n", count - FIGURES_MOST);
   }
}

void result_print_bands(const struct result_run *run, FILE *file)
{
   for (size_t i = 0; i < run->count; i++) {
      struct result_band band, before;
      bool first = result_band(run, &run->results[i], &band);

      for (size_t k = 0; first && k < i; k++) {
         first = !result_band(run, &run->results[k], &before) || before.errors != band.errors;
      }
      if (first) {
         print_kind(run, band.errors, i, file);
      }
   }
}
