/* SPDX-License-Identifier: MIT
 *
 * Arguments for a kernel that nobody has given any: the same for every driver.
 */
#ifndef AGX_RUNNER_DRIVER_GENERATED_H
#define AGX_RUNNER_DRIVER_GENERATED_H

#include <stdbool.h>
#include <stdio.h>

#include "agx_runner/driver/kernel.h"

/* Whether arguments can be made for the kernel: not for structs by value. */
bool generated_can(const struct driver_kernel *kernel);
/* Writes the kernel's entry, its arguments and a launch of four threadgroups into a request. shader: of Vulkan, whose
 * buffers have no type. Returns false if out of memory. */
bool generated_write(const struct driver_kernel *kernel, bool shader, FILE *request);
/* The launch of four threadgroups. */
struct host_launch generated_launch(const struct driver_kernel *kernel);

#endif
