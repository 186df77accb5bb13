/* SPDX-License-Identifier: MIT
 *
 * The parameters of the timing model by name, and the file that option params= reads: a line "NAME VALUE" for each
 * parameter that differs from its published value, in the unit of its row (cycles for the times of instructions). "#"
 * starts a comment. Example:
 *
 *    latency/rcp 6.75
 *    command/launch 250
 */
#ifndef VGPU_PARAMS_FILE_H
#define VGPU_PARAMS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "vgpu/timing/timing_params.h"

#define VGPU_PARAM_NAME 48 /* bytes, the terminating 0 included */

size_t vgpu_param_count(void);
/* "interval/fadd32", "latency/fadd32", "core/bypass", "memory/l1-bytes", "forward/32/1", "command/launch". */
void vgpu_param_name(size_t index, char name[VGPU_PARAM_NAME]);
/* Returns vgpu_param_count() if no parameter has that name. */
size_t vgpu_param_find(const char *name);
const char *vgpu_param_unit(size_t index);
/* Where its default comes from: a file of results/reference and a row, or "none": nothing is published. */
const char *vgpu_param_source(size_t index);
double vgpu_param_get(const struct vgpu_params *params, size_t index);
/* Returns false if the value is out of range, or if the parameter is the size of an array and cannot change. */
bool vgpu_param_set(struct vgpu_params *params, size_t index, double value);

/* Changes the parameters that the file names. Returns 0, or a negative errno with a message that names file and
 * line. */
int vgpu_params_read(struct vgpu_params *params, const char *path, char *message, size_t message_size);

#endif
