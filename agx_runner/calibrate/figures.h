/* SPDX-License-Identifier: MIT
 *
 * The figures that calibrate compares, read from sheets of a survey or of a virtual device.
 */
#ifndef AGX_RUNNER_FIGURES_H
#define AGX_RUNNER_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/* The figure that determines a parameter, and its values. */
struct calibrate_figure {
   size_t parameter;      /* index in vgpu/timing/params_file.h */
   const char *benchmark; /* NULL: it is a figure of a step */
   /* A figure of a step: (quantity at `to` less quantity at `from`) over (to - from); from 0: quantity at `to`. */
   const char *step, *quantity;
   double from, to;
   double resolution; /* resolution of the figure, in the parameter's unit */

   bool known;    /* the survey has the figure */
   bool inferred; /* it is in cycles of an inferred clock */
   double low, value, high;
};

/* Returns all figures that a survey could have; free() releases them. NULL: out of memory. */
struct calibrate_figure *calibrate_figures(size_t *count);
/* Finds the figure's values in a survey's "steps", or in those of a virtual device. Returns false if it is missing. */
bool calibrate_find(struct json_object *steps, struct calibrate_figure *figure);

#endif
