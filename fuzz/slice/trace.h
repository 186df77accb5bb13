/* SPDX-License-Identifier: MIT
 *
 * What the instructions of one or more launches of the same code read and wrote.
 */
#ifndef AGX_RUNNER_FUZZ_TRACE_H
#define AGX_RUNNER_FUZZ_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/trace.h"

/* An entry's address is that of the instruction in the code, in bytes, and its `group` the launch's number. */
struct trace {
   struct vgpu_trace_entry *entries;
   uint32_t count, capacity, launches;
};

struct agx_program;  /* isa/program.h */
struct asahi_device; /* drm/asahi.h */

#define TRACE_ALL_LANES UINT32_MAX
/* Adds the device's last launch, of one threadgroup; of one with a single lane, that becomes `lane` of all. False, and
 * nothing is added: the device has no trace, or no room for the launch, or the launch is of another kind. */
bool trace_add(struct trace *trace, struct asahi_device *device, const struct agx_program *code, uint32_t lane);
void trace_finish(struct trace *trace);

#endif
