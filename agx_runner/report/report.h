/* SPDX-License-Identifier: MIT
 *
 * A run as one HTML page that needs nothing else: no network, no script, no file beside it.
 */
#ifndef AGX_RUNNER_REPORT_H
#define AGX_RUNNER_REPORT_H

#include <stdio.h>

#include "agx_runner/results/history.h"
#include "agx_runner/results/result.h"

/* `history` may be NULL, and `sweep`: the CSV of `sweep ilp`. Without gnuplot the page says so where plots would be. 0;
 * -EINVAL: `sweep` is none; -ENOMEM. */
int report_write(const struct result_run *run, const struct history *history, const char *sweep, FILE *file);

/* The parts, each its own file. */
extern const char report_style[];
extern const char report_script[];

/* The kernel's source, by a link to where report_sources() puts it, and the machine code, if this program's compiler
 * makes the one that was measured. */
void report_code(const struct result_run *run, const struct result *result, FILE *file);
/* The source files that this run's kernels stand in. 0, or -ENOMEM. */
int report_sources(const struct result_run *run, FILE *file);

/* All figures against the published ones: a picture. Nothing where no row has a published figure. */
void report_overview(const struct result_run *run, FILE *file);
/* How the samples of the noisiest rows lie; how figures went from run to run. */
void report_distributions(const struct result_run *run, FILE *file);
void report_gemm(const struct result_run *run, FILE *file);
void report_layout(const struct result_run *run, FILE *file);
void report_gemm_kernels(const struct result_run *run, FILE *file);
void report_series(const struct result_run *run, FILE *file);
int report_sweep(const char *csv, FILE *file);
void report_history(const struct history *history, FILE *file);

#endif
