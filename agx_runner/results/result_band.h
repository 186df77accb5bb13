/* SPDX-License-Identifier: MIT
 *
 * What a figure of a virtual device is worth: where a machine's figure would lie by the errors that the timing model
 * has in published figures of its kind (agx_runner/bands/bands.h). Invariant: a figure of hardware has no band, and
 * neither has one of a kind of which nothing is published.
 */
#ifndef AGX_RUNNER_RESULT_BAND_H
#define AGX_RUNNER_RESULT_BAND_H

#include "agx_runner/bands/bands.h"
#include "agx_runner/results/result.h"

struct result_band {
   const struct error_band *errors;
   double low, high; /* in the figure's unit; high INFINITY: the model may be too slow by any factor */
};

/* Returns false if the result has none. */
bool result_band(const struct result_run *run, const struct result *result, struct result_band *band);
/* Writes "92.5 to 418 cycles". */
#define RESULT_BAND_TEXT 96
void result_band_text(const struct result *result, const struct result_band *band, char text[RESULT_BAND_TEXT]);
/* Prints the bands of all results, by kind. */
void result_print_bands(const struct result_run *run, FILE *file);

#endif
