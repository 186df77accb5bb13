/* SPDX-License-Identifier: MIT
 *
 * The figures that calibrate compares, taken out of sheets: of a survey, and of a virtual device.
 */
#ifndef AGX_RUNNER_FIGURES_H
#define AGX_RUNNER_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/* What decides a parameter, and how it was found. */
struct calibrate_figure {
   size_t parameter;      /* vgpu/timing/params_file.h */
   const char *benchmark; /* NULL: a step's */
   /* A step's: (quantity at `to` less quantity at `from`) over (to - from); from 0: quantity at `to`. */
   const char *step, *quantity;
   double from, to;
   double resolution; /* of the figure, in the parameter's unit */

   bool known;    /* the survey has it */
   bool inferred; /* cycles of an inferred clock */
   double low, value, high;
};

/* All figures that a survey could have; free() them. NULL: out of memory. */
struct calibrate_figure *calibrate_figures(size_t *count);
/* The figure's values in a survey's "steps", or in the same from a virtual device. False: it is not there. */
bool calibrate_find(struct json_object *steps, struct calibrate_figure *figure);

#endif
