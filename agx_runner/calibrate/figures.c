/* SPDX-License-Identifier: MIT
 *
 * Which figure determines which parameter, and how to find it in a survey.
 */
#include "agx_runner/calibrate/figures.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/survey/parameters.h"
#include "agx_runner/terminal/runner.h"
#include "vgpu/timing/params_file.h"
#include "util/array.h"

#define TICK 0.01       /* cycles: the unit of the model */
#define COUNTER_NS 41.7 /* step of the timestamps */
#define STEP_ERROR 2    /* largest error of a difference of two timestamps, in steps */

/* Figures of steps: one more launch, one more barrier, the first launch, the gap. */
static const struct {
   const char *parameter, *step, *quantity;
   double from, to;
} steps[] = {
    {"command/launch", "launches", "launches-no-barrier", 1, 64},
    {"command/barrier-full", "launches", "launches-full-barrier", 1, 64},
    {"command/barrier-part", "launches", "launches-bit-4", 1, 64},
    {"command/stream-start", "launches", "launches-no-barrier", 0, 1},
    {"command/stream-gap", "commands", "command-gap", 0, 64},
};

struct calibrate_figure *calibrate_figures(size_t *count)
{
   struct calibrate_figure *figures = calloc(survey_parameter_count + ARRAY_COUNT(steps), sizeof(*figures));

   *count = 0;
   for (size_t i = 0; figures != NULL && i < survey_parameter_count; i++) {
      figures[(*count)++] = (struct calibrate_figure){
          .parameter = vgpu_param_find(survey_parameters[i].parameter),
          .benchmark = survey_parameters[i].benchmark,
          .resolution = 2 * TICK,
      };
   }
   for (size_t i = 0; figures != NULL && i < ARRAY_COUNT(steps); i++) {
      const double span = steps[i].from > 0 ? steps[i].to - steps[i].from : 1;

      figures[(*count)++] = (struct calibrate_figure){
          .parameter = vgpu_param_find(steps[i].parameter),
          .step = steps[i].step,
          .quantity = steps[i].quantity,
          .from = steps[i].from,
          .to = steps[i].to,
          .resolution = STEP_ERROR * COUNTER_NS / span,
      };
   }
   return figures;
}

static double number(struct json_object *object, const char *key)
{
   return json_object_get_double(json_object_object_get(object, key));
}

static bool has(struct json_object *object, const char *key, const char *text)
{
   const char *is = json_object_get_string(json_object_object_get(object, key));

   return is != NULL && !strcmp(is, text);
}

/* Finds a benchmark's result in any step. */
static bool find_result(struct json_object *all, struct calibrate_figure *figure)
{
   bool found = false;

   json_object_object_foreach(all, name, sheet)
   {
      struct json_object *results = json_object_object_get(sheet, "results");

      (void)name;
      for (size_t i = 0; results != NULL && i < json_object_array_length(results); i++) {
         struct json_object *result = json_object_array_get_idx(results, i);

         if (has(result, "name", figure->benchmark) && has(result, "status", "pass") &&
             json_object_object_get(result, "value") != NULL) {
            figure->low = number(result, "low");
            figure->value = number(result, "value");
            figure->high = number(result, "high");
            figure->inferred =
                json_object_object_get(json_object_object_get(result, "nanoseconds"), "reference") != NULL;
            found = true;
         }
      }
   }
   return found;
}

static struct json_object *find_at(struct json_object *figures, const char *quantity, double at)
{
   for (size_t i = 0; figures != NULL && i < json_object_array_length(figures); i++) {
      struct json_object *figure = json_object_array_get_idx(figures, i);

      /* figures that involve the host's clock determine nothing */
      if (has(figure, "quantity", quantity) && number(figure, "at") >= at && number(figure, "at") <= at &&
          has(figure, "clock", "device")) {
         return figure;
      }
   }
   return NULL;
}

static bool find_step(struct json_object *all, struct calibrate_figure *figure)
{
   struct json_object *figures = json_object_object_get(json_object_object_get(all, figure->step), "figures");
   struct json_object *to = find_at(figures, figure->quantity, figure->to);
   struct json_object *from = figure->from > 0 ? find_at(figures, figure->quantity, figure->from) : NULL;

   if (to == NULL || (figure->from > 0 && from == NULL)) {
      return false;
   }
   figure->low = number(to, "low");
   figure->value = number(to, "value");
   figure->high = number(to, "high");
   if (from != NULL) {
      const double span = figure->to - figure->from;

      figure->low = (figure->low - number(from, "high")) / span;
      figure->value = (figure->value - number(from, "value")) / span;
      figure->high = (figure->high - number(from, "low")) / span;
   }
   return true;
}

bool calibrate_find(struct json_object *all, struct calibrate_figure *figure)
{
   figure->known = figure->benchmark != NULL ? find_result(all, figure) : find_step(all, figure);
   return figure->known;
}
