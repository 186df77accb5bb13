/* SPDX-License-Identifier: MIT
 *
 * The post-mortem of a job that a virtual device aborted (vgpu/postmortem.h), with the program's source lines.
 */
#ifndef AGX_RUNNER_POSTMORTEM_H
#define AGX_RUNNER_POSTMORTEM_H

#include <stddef.h>
#include <stdint.h>

#include "drm/asahi.h"
#include "isa/program.h"

/* Calls line() with each line of the post-mortem of the device's last job, which failed with `error`, a negative errno
 * of asahi_submit(). No call: the job was not aborted, or the device is hardware. program: for source lines; NULL:
 * none. address() writes the name of an address of the device, or ""; NULL: there are no names. */
void postmortem_each(struct asahi_device *device, int error, const struct agx_program *program,
                     void (*address)(void *data, uint64_t address, char *text, size_t size),
                     void (*line)(void *data, const char *text), void *data);
/* A line() that writes to stderr. */
void postmortem_print_line(void *data, const char *text);

#endif
