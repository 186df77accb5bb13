/* SPDX-License-Identifier: MIT
 *
 * sweep gemm: D = A B by size, kernel, form and shape of tiles: a row a cell, and a plot.
 */
#ifndef AGX_RUNNER_SWEEP_GEMM_H
#define AGX_RUNNER_SWEEP_GEMM_H

#include <stdbool.h>
#include <stdio.h>

#include "agx_runner/process/selection.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/values.h"

/* Selects cells. Each word is a form ("mixed"), a kernel ("local"), a size ("512", "33x65x97") or an order of operands
 * ("nt": B lies transposed); a cell is taken that one word of each kind names, and kinds without a word take all. Cells
 * that take long (struct benchmark, large) are taken with `full`, or when their size is named. An enum exit_code;
 * messages are printed. selection_finish() must follow. */
int sweep_gemm_select(struct selection *selection, const char *const *words, size_t count, bool full);

/* One row for each result of a GEMM, also for those that did not pass. */
void sweep_gemm_csv(const struct result_run *run, FILE *file);
/* An SVG, by gnuplot: square sizes, a panel for each form. An enum exit_code; messages are printed. */
int sweep_gemm_plot(const struct result_run *run, const char *path);

#endif
