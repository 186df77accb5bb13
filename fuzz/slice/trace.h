/* SPDX-License-Identifier: MIT
 *
 * What the instructions of one or more launches of the same code read and wrote.
 */
#ifndef AGX_RUNNER_FUZZ_TRACE_H
#define AGX_RUNNER_FUZZ_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/trace.h"

/* An entry's address is the instruction's byte offset in the code, and its `group` the launch's number. */
struct trace {
   struct vgpu_trace_entry *entries;
   uint32_t count, capacity, launches;
};

struct agx_program;  /* isa/program.h */
struct asahi_device; /* drm/asahi.h */

#define TRACE_ALL_LANES UINT32_MAX
/* Adds the device's last launch, which must have one threadgroup; a single lane becomes lane `lane`. Returns false
 * without adding anything if the device has no trace, no room for the launch, or the launch has another size. */
bool trace_add(struct trace *trace, struct asahi_device *device, const struct agx_program *code, uint32_t lane);
void trace_finish(struct trace *trace);

#endif
