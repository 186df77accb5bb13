/* SPDX-License-Identifier: MIT
 *
 * The findings of a virtual device's checks (option check=, --check): read from the device, and printed in a line
 * each.
 */
#ifndef AGX_RUNNER_CHECK_REPORTS_H
#define AGX_RUNNER_CHECK_REPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drm/asahi.h"
#include "isa/program.h"
#include "vgpu/checks.h"

/* "hazards: r4l is read before the wait ...; main + 0x1c: iadd r8, r4, 1; kernel.cl:5; lane 0, thread 0,0,0 of
 * threadgroup 1,0,0; 64 times". The source line comes from the program, if it has lines; NULL: it is not known. */
#define CHECK_REPORT_TEXT 768
void check_report_format(const struct vgpu_check_report *report, const struct agx_program *program,
                         char text[CHECK_REPORT_TEXT]);

/* Writes "; kernel.cl:5", the source line of the instruction of a report; "; ~kernel.cl:5": the line of neighbouring
 * instructions; "": it has none. */
void check_report_line(const char *place, const struct agx_program *program, char *text, size_t size);

/* Whether a line is a report of a check, or of the check of bounds. */
bool check_report_is_one(const char *text);
bool check_report_is_bounds(const char *text);

/* "bounds, races, undefined, hazards": of enum vgpu_check bits. */
#define CHECK_NAMES_TEXT 64
void check_names(uint32_t checks, char text[CHECK_NAMES_TEXT]);

/* Calls `each` for each report of the device about the program. Returns their number, 0 on hardware and without
 * checks. */
uint32_t check_reports_each(struct asahi_device *device, const struct agx_program *program,
                            void (*found)(void *data, const char *text), void *data);
/* Discards the findings so far: the same finding is then reported again. */
void check_reports_forget(struct asahi_device *device);

/* Returns the device's spec with all checks enabled, unless it has check= already. `path`: the virtual device that
 * "auto" stands for. free() releases it; NULL: out of memory. */
char *check_device_spec(const char *spec, const char *path);
/* Whether a virtual device of that spec has checks: the option check= with another value than "off". */
bool check_spec_is_on(const char *spec);

#endif
