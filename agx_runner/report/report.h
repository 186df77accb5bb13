/* SPDX-License-Identifier: MIT
 *
 * A run as one self-contained HTML page: no network, no script, no other file.
 */
#ifndef AGX_RUNNER_REPORT_H
#define AGX_RUNNER_REPORT_H

#include <stdio.h>

#include "agx_runner/results/history.h"
#include "agx_runner/results/result.h"

/* Kernels that `explain --format html` wrote pages of. Strings are escaped. */
struct report_pages {
   struct report_page {
      char *kernel, *device, *cycles;
      char *finding; /* the first one */
      char *body;
   } * list;
   size_t count;
};
/* Adds the page with this text. 0; -EINVAL: it is not what explain writes; -ENOMEM. */
int report_pages_add(struct report_pages *pages, const char *text);
void report_pages_finish(struct report_pages *pages);

/* Contents of the page besides the run; each may be NULL. */
struct report_extras {
   const struct history *history;
   const char *sweep; /* the CSV of `sweep ilp` */
   const struct report_pages *pages;
};
/* Without gnuplot the page says so where plots would be. 0; -EINVAL: `sweep` is none; -ENOMEM. */
int report_write(const struct result_run *run, const struct report_extras *extras, FILE *file);

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
void report_explained(const struct report_pages *pages, FILE *file);

#endif
