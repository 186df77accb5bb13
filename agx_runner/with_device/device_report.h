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

/* Writes an array of the last fault of each process that had one and ended, and its post-mortem (docs/running.md). An
 * enum exit_code, with a message. */
int device_report_post_mortems(int fd, const char *path);

/* What the processes that have used the device did, all together. */
struct device_report {
   /* of the process that ended last; NULL: no process used it, or none ended normally */
   struct json_object *close;
   uint64_t faults, soft_faults, findings, launches, instructions, cycles;
   char *first; /* a fault or a finding of a check; NULL: there is none */
};
/* Reads it from the lines of `fd`. Returns false if they cannot be read. device_report_finish() must follow in any
 * case. */
bool device_report_read(int fd, struct device_report *report);
/* Writes its faults and the findings of its checks, a line each. */
void device_report_findings(const struct device_report *report, FILE *out);
void device_report_finish(struct device_report *report);

#endif
