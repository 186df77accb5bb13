/* SPDX-License-Identifier: MIT
 *
 * sweep gemm: D = A B by size, kernel, form and tile shape: a row for each cell, and a plot.
 */
#ifndef AGX_RUNNER_SWEEP_GEMM_H
#define AGX_RUNNER_SWEEP_GEMM_H

#include <stdbool.h>
#include <stdio.h>

#include "agx_runner/runs/selection.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/values.h"

/* Selects cells. Each word is a form ("mixed"), a kernel ("local"), a size ("512", "33x65x97") or an order of operands
 * ("nt": B is transposed). A cell is selected if one word of each kind names it; a kind without words selects all.
 * Cells that take long (struct benchmark, large) need `full`, or their size must be named. Prints messages; returns an
 * enum exit_code. selection_finish() must follow. */
int sweep_gemm_select(struct selection *selection, const char *const *words, size_t count, bool full);

/* Writes one row for each result of a GEMM, including those that did not pass. */
void sweep_gemm_csv(const struct result_run *run, FILE *file);
/* Draws an SVG with gnuplot: square sizes, a panel for each form. Prints messages; returns an enum exit_code. */
int sweep_gemm_plot(const struct result_run *run, const char *path);

#endif
