/* SPDX-License-Identifier: MIT
 *
 * What programs under `with-device` did with their virtual GPU, as vgpu/shim/report.c writes it.
 */
#ifndef AGX_RUNNER_DEVICE_REPORT_H
#define AGX_RUNNER_DEVICE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct json_object;

/* Writes the faults that processes have added since `*place`, where the next call goes on; 0 at first. For as long as
 * the processes run. */
void device_report_follow(int fd, off_t *place, FILE *out);

/* Reads the lines of `fd` and writes them as text. `stats`: with a table of the launched programs. *found: jobs
 * faulted, or checks found something. Returns an enum exit_code. */
int device_report_write(int fd, bool stats, bool *found, FILE *out);

/* The report of the one process that has used the device. */
struct device_report {
   struct json_object *close; /* NULL: no process used it, or that process did not end normally */
   uint64_t faults, soft_faults, findings, launches, instructions, cycles;
};
/* Reads it from the lines of `fd`. Returns false if they cannot be read. device_report_finish() must follow in any
 * case. */
bool device_report_read(int fd, struct device_report *report);
/* Writes its faults and the findings of its checks, a line each. */
void device_report_findings(const struct device_report *report, FILE *out);
void device_report_finish(struct device_report *report);

#endif
