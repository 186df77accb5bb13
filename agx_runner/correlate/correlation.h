/* SPDX-License-Identifier: MIT
 *
 * The published figures beside the model's: factor of each, and the errors of each group and role. Invariant: every
 * chosen figure is a row, with a factor or with the reason why it has none.
 */
#ifndef AGX_RUNNER_CORRELATION_H
#define AGX_RUNNER_CORRELATION_H

#include "agx_runner/correlate/figures.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/values.h"

struct correlated {
   const struct figure *figure;
   double model;  /* in the unit of the figure; NAN: none */
   double factor; /* model / published; 1 within the published bounds. Of changes, of what they change. NAN: none */
   double error;  /* the factor's distance from 1, in percent */
   const char *reason; /* why there is none */
};

struct error_summary {
   char name[64]; /* of the group */
   enum figure_role role;
   size_t count;
   double median, ninetieth, worst; /* absolute errors in percent */
};

struct correlation {
   const struct result_run *run;
   struct correlated *rows; /* the largest errors first, then those without a model's value */
   size_t count, judged;
   struct error_summary *summaries; /* of each role, named "all", and of each group and role */
   size_t summary_count;
};

/* False: out of memory. correlation_finish() must follow in any case. */
bool correlation_make(struct correlation *correlation, const struct result_run *run,
                      const struct string_list *patterns);
void correlation_finish(struct correlation *correlation);

/* Writers. Errors of `file` are the caller's to look for. */
void correlation_write_text(const struct correlation *correlation, FILE *file);
void correlation_write_csv(const struct correlation *correlation, FILE *file);
int correlation_write_json(const struct correlation *correlation, FILE *file);      /* 0 or -ENOMEM */
void correlation_write_markdown(const struct correlation *correlation, FILE *file); /* docs/correlation.md */
void correlation_plot(const void *correlation, FILE *script);                       /* for gnuplot_write() */

/* The summaries as CSV, and their check against such a file: EXIT_OK, or EXIT_FAILED after a message for each summary
 * of blind figures that got worse, or that the file does not have. */
void correlation_write_summaries(const struct correlation *correlation, FILE *file);
int correlation_check(const struct correlation *correlation, const char *path);

#endif
