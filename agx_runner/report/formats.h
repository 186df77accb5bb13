/* SPDX-License-Identifier: MIT
 *
 * The formats of a run's results. A new one is a row of the table in formats.c and its renderer.
 */
#ifndef AGX_RUNNER_REPORT_FORMATS_H
#define AGX_RUNNER_REPORT_FORMATS_H

#include <stdio.h>

#include "agx_runner/results/result.h"
#include "agx_runner/terminal/format.h"

extern const struct output_formats run_formats;

/* Writes the results in one of these formats; text is coloured on a terminal. 0, -ENOMEM, or -EINVAL: another format.
 * Errors of `file` are the caller's to look for. */
int run_write(const struct result_run *run, enum output_format format, FILE *file);

#endif
