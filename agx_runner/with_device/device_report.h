/* SPDX-License-Identifier: MIT
 *
 * What programs under `with-device` did with their virtual GPU, as vgpu/shim/report.c writes it.
 */
#ifndef AGX_RUNNER_DEVICE_REPORT_H
#define AGX_RUNNER_DEVICE_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Writes the faults that processes have added since `*place`, where the next call goes on; 0 at first. For as long as
 * the processes run. */
void device_report_follow(int fd, off_t *place, FILE *out);

/* Reads the lines of `fd` and writes them as text. `stats`: with a table of the launched programs. *found: jobs
 * faulted, or checks found something. Returns an enum exit_code. */
int device_report_write(int fd, bool stats, bool *found, FILE *out);

#endif
