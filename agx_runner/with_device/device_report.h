/* SPDX-License-Identifier: MIT
 *
 * What programs under `with-device` did with their virtual GPU, as vgpu/shim/report.c writes it.
 */
#ifndef AGX_RUNNER_DEVICE_REPORT_H
#define AGX_RUNNER_DEVICE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

/* Reads the lines of `fd` and writes them as text. `stats`: with a table of the launched programs. Returns an enum
 * exit_code. */
int device_report_write(int fd, bool stats, FILE *out);

#endif
