/* SPDX-License-Identifier: MIT
 *
 * Each time of an FFMA, and each inferred clock, is a rate: FFMAs a second. A number of cycles turns rates into
 * clocks. The right number turns most of them into operating points.
 */
#include "agx_runner/calibrate/ffma.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/results/result.h"
#include "agx_runner/statistics/stats.h"
#include "drm/operating_points.h"

#define LEAST 0.5 /* least cycles of an FFMA that are tried */
#define MOST 2.0
#define STEP 0.001
#define NEAR 0.05  /* relative difference that two kinds of code may have in the time of an FFMA: loops, occupancy */
#define ALIKE 0.03 /* two numbers with a smaller relative difference are the same */
#define HINTS_MATTER 0.01
#define RATES_MAX 16384

struct rates {
   double *hz; /* FFMAs a second on a scheduler */
   size_t count;
};

static void add_rate(struct rates *rates, double hz)
{
   if (isfinite(hz) && hz > 0 && rates->count < RATES_MAX) {
      rates->hz[rates->count++] = hz;
   }
}

static double number(struct json_object *object, const char *key)
{
   struct json_object *member;

   return json_object_object_get_ex(object, key, &member) ? json_object_get_double(member) : NAN;
}

/* Parses "396000000 528000000 ..." of the facts. */
static size_t read_points(struct json_object *steps, uint64_t points[ASAHI_OPERATING_POINTS_MAX])
{
   struct json_object *facts = json_object_object_get(json_object_object_get(steps, "facts"), "facts");
   const char *text = json_object_get_string(json_object_object_get(facts, "operating-points-hz"));
   size_t count = 0;

   for (char *end; text != NULL && count < ASAHI_OPERATING_POINTS_MAX; text = end) {
      points[count] = strtoull(text, &end, 10);
      if (end == text) {
         break;
      }
      count += points[count] > 0;
   }
   return count;
}

/* Returns the last figure of that quantity in the step "ffma", or NAN. Appends all of them to rates, unless that is
 * NULL. */
static double read_figures(struct json_object *steps, const char *quantity, struct rates *rates)
{
   struct json_object *figures = json_object_object_get(json_object_object_get(steps, "ffma"), "figures");
   double value = NAN;

   for (size_t i = 0; figures != NULL && i < json_object_array_length(figures); i++) {
      struct json_object *figure = json_object_array_get_idx(figures, i);
      const char *name = json_object_get_string(json_object_object_get(figure, "quantity"));

      if (name != NULL && !strcmp(name, quantity)) {
         value = number(figure, "value");
         if (rates != NULL) {
            add_rate(rates, 1e9 / value);
         }
      }
   }
   return value;
}

/* Reads the rates from which the samples' clocks were inferred. */
static void read_samples(struct json_object *result, struct rates *rates)
{
   struct json_object *times = json_object_object_get(result, "nanoseconds");
   struct json_object *reference = json_object_object_get(times, result_time_names[RESULT_TIME_REFERENCE]);
   const double operations = number(times, "reference_operations");

   for (size_t i = 0; json_object_is_type(reference, json_type_array) && i < json_object_array_length(reference); i++) {
      add_rate(rates, 1e9 * operations / json_object_get_double(json_object_array_get_idx(reference, i)));
   }
}

static void read_results(struct json_object *steps, struct rates *rates, double *assumed)
{
   json_object_object_foreach(steps, name, sheet)
   {
      struct json_object *results = json_object_object_get(sheet, "results");
      struct json_object *environment = json_object_object_get(json_object_object_get(sheet, "run"), "environment");
      const double cycles = number(environment, "ffma_cycles");

      (void)name;
      *assumed = cycles > 0 ? cycles : *assumed;
      for (size_t i = 0; results != NULL && i < json_object_array_length(results); i++) {
         read_samples(json_object_array_get_idx(results, i), rates);
      }
   }
}

static size_t count_fits(const struct rates *rates, const uint64_t *points, size_t count, double cycles)
{
   size_t fits = 0;

   for (size_t i = 0; i < rates->count; i++) {
      fits += asahi_operating_point_fits(points, count, cycles * rates->hz[i]);
   }
   return fits;
}

/* Returns the mean of the numbers that turn each matching rate into exactly its operating point. */
static double refine(const struct rates *rates, const uint64_t *points, size_t count, double cycles)
{
   double sum = 0;
   size_t fits = 0;

   for (size_t i = 0; i < rates->count; i++) {
      if (asahi_operating_point_fits(points, count, cycles * rates->hz[i])) {
         sum += (double)asahi_operating_point_nearest(points, count, cycles * rates->hz[i]) / rates->hz[i];
         fits++;
      }
   }
   return fits > 0 ? sum / (double)fits : NAN;
}

/* Returns the number from `least` to `most` that turns most rates into operating points; among equally good ones, the
 * nearest to `wanted`. NAN: fewer than half of them become operating points. *other: an equally good one that is
 * further away, or NAN. */
static double search(const struct rates *rates, const uint64_t *points, size_t count, double least, double most,
                     double wanted, double *other)
{
   size_t best = 0;
   double found = NAN;

   for (double cycles = least; cycles <= most; cycles += STEP) {
      const double exact = refine(rates, points, count, cycles);
      const size_t fits = isnan(exact) ? 0 : count_fits(rates, points, count, exact);

      if (fits > best || (fits == best && fits > 0 && fabs(log(exact / wanted)) < fabs(log(found / wanted)))) {
         best = fits;
         found = exact;
      }
   }
   *other = NAN;
   for (double cycles = least; cycles <= most; cycles += STEP) {
      const double exact = refine(rates, points, count, cycles);

      if (!isnan(exact) && fabs(exact / found - 1) > ALIKE && count_fits(rates, points, count, exact) >= best) {
         *other = exact;
      }
   }
   return 2 * best >= rates->count && best > 0 ? found : NAN;
}

static void solve(const struct rates *rising, const struct rates *clocks, const uint64_t *points, size_t count,
                  struct calibrate_ffma *ffma)
{
   double other = NAN;
   const double near = search(rising, points, count, LEAST, MOST, RESULT_FFMA_CYCLES, &other);

   /* with a single clock state, some number fits any operating point */
   if (!isnan(near) && isnan(other)) {
      ffma->found = search(clocks, points, count, near * (1 - NEAR), near * (1 + NEAR), near, &ffma->other);
      ffma->other = NAN;
   } else {
      ffma->found = search(clocks, points, count, LEAST, MOST, RESULT_FFMA_CYCLES, &ffma->other);
   }
   ffma->fitted = count_fits(clocks, points, count, ffma->assumed);
   ffma->fits = isnan(ffma->found) ? 0 : count_fits(clocks, points, count, ffma->found);
}

void calibrate_ffma(struct json_object *steps, struct calibrate_ffma *ffma)
{
   uint64_t points[ASAHI_OPERATING_POINTS_MAX];
   const size_t count = read_points(steps, points);
   struct rates rising = {.hz = calloc(RATES_MAX, sizeof(double))}, clocks = {.hz = calloc(RATES_MAX, sizeof(double))};

   *ffma = (struct calibrate_ffma){
       .assumed = RESULT_FFMA_CYCLES, .found = NAN, .other = NAN, .hints = NAN, .points = count > 0};
   if (rising.hz != NULL && clocks.hz != NULL) {
      ffma->hints = 1 / read_figures(steps, "ffma-without-over-with-hints", NULL);
      (void)read_figures(steps, "ffma-while-clock-rises", &rising);
      (void)read_figures(steps, "ffma-without-hints", &rising);
      read_results(steps, &clocks, &ffma->assumed);
      ffma->clocks = clocks.count;
      if (count > 0 && clocks.count > 0) {
         solve(&rising, &clocks, points, count, ffma);
      } else if (clocks.count > 0 && fabs(ffma->hints - 1) > HINTS_MATTER) {
         ffma->found = RESULT_FFMA_CYCLES / ffma->hints;
      }
   }
   free(rising.hz);
   free(clocks.hz);
}

void calibrate_ffma_print(const struct calibrate_ffma *ffma, double used)
{
   if (fabs(ffma->hints - 1) > HINTS_MATTER) {
      printf("an FFMA with register-cache hints takes %.3f of the time of one without them\n", ffma->hints);
   }
   if (ffma->clocks == 0 && fabs(used / ffma->assumed - 1) <= CALIBRATE_FFMA_ERROR) {
      return; /* no cycles depend on it */
   }
   if (fabs(used / ffma->assumed - 1) > CALIBRATE_FFMA_ERROR) {
      printf("one FFMA: %.4g cycles; the survey assumed %.4g: all cycles are corrected\n", used, ffma->assumed);
   } else {
      printf("one FFMA: %.4g cycles, as the survey assumed\n", ffma->assumed);
   }
   if (ffma->points && !isnan(ffma->found)) {
      printf("of %zu inferred clocks %zu are operating points with %.4g cycles, %zu with %.4g\n", ffma->clocks,
             ffma->fitted, ffma->assumed, ffma->fits, ffma->found);
   } else if (ffma->points) {
      printf("warning: no number of cycles turns half of the %zu inferred clocks into operating points: give "
             "--ffma-cycles if you know it\n",
             ffma->clocks);
   }
   if (!isnan(ffma->other)) {
      printf("warning: %.4g cycles fit as well, because the survey saw one clock only: give --ffma-cycles if you know "
             "it\n",
             ffma->other);
   }
   printf("\n");
}
