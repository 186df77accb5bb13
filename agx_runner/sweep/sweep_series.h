/* SPDX-License-Identifier: MIT
 *
 * sweep bandwidth, sweep atomics, sweep launch: rows of the catalogue whose names end in a number are the points of a
 * curve (memory/local-stride-4 is the point at 4 of the series local-stride).
 */
#ifndef AGX_RUNNER_SWEEP_SERIES_H
#define AGX_RUNNER_SWEEP_SERIES_H

#include <stdbool.h>
#include <stdio.h>

#include "agx_runner/runs/selection.h"
#include "agx_runner/results/result.h"

/* Whether it is "bandwidth", "atomics" or "launch". */
bool sweep_series_is(const char *sweep);
/* Whether a result is a point of the series that the words name; without words, of any series of the sweep. */
bool sweep_series_has(const char *sweep, const char *const *words, size_t count, const char *result);
/* Whether a word names a series of the sweep; names: all of them, for a message. */
bool sweep_series_knows(const char *sweep, const char *word, char *names, size_t size);
/* Selects the points of the series that the words name ("local-stride"), without words those of all series of the
 * sweep. Prints messages; returns an enum exit_code. selection_finish() must follow. */
int sweep_series_select(struct selection *selection, const char *sweep, const char *const *words, size_t count);
/* Writes one row for each point, including those without a figure. */
void sweep_series_csv(const struct result_run *run, FILE *file);
/* Draws an SVG with gnuplot: a panel for each quantity of which the run has figures. Prints messages; returns an enum
 * exit_code. */
int sweep_series_plot(const struct result_run *run, const char *path);

/* How many panels of all sweeps have at least two points in this run. */
unsigned sweep_series_panels(const struct result_run *run);
/* Writes gnuplot's commands for them, in a layout with at most three panels side by side. */
void sweep_series_script(const struct result_run *run, FILE *script);

#endif
