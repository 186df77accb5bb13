/* SPDX-License-Identifier: MIT
 *
 * One plot: a script for gnuplot, whose SVG goes on the page.
 */
#ifndef AGX_RUNNER_REPORT_PLOTS_H
#define AGX_RUNNER_REPORT_PLOTS_H

#include <stdbool.h>
#include <stdio.h>

/* A stream for the script; width and height in pixels. NULL: out of memory. */
FILE *report_plot_start(char **text, size_t *length, unsigned width, unsigned height);
/* Ends the script, and puts what it draws on the page. False: gnuplot is not there. */
bool report_plot_finish(FILE *script, char **text, size_t *length, const char *caption, FILE *file);

#endif
