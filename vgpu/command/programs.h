/* SPDX-License-Identifier: MIT
 *
 * Statistics of the programs of a device: one entry for each address from which code was launched.
 */
#ifndef VGPU_PROGRAMS_H
#define VGPU_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

#include "vgpu/launch.h"
#include "vgpu/vgpu.h"

struct vgpu_program_use {
   uint64_t space, code; /* the address space's number, and the GPU address of the main program */
   const char *stage;    /* "compute", "vertex", "fragment", "background", "end-of-tile": a literal */
   uint64_t launches, faults;
   uint64_t threads;      /* of all grids */
   uint64_t instructions; /* one per simdgroup */
   uint64_t cycles;       /* modelled; 0 with timing=off */
};

struct vgpu_programs {
   struct vgpu_launch_info *launches; /* the first VGPU_LAUNCHES_KEPT ones */
   size_t launch_count, launch_capacity;
   struct vgpu_launch_info *stages; /* the first launch of each of render passes' programs, as many at most */
   size_t stage_count, stage_capacity;
   uint64_t ended; /* all launches that ended, also those that are not in `launches` */
   struct vgpu_program_use *items;
   size_t count, capacity;
   uint64_t dropped; /* launches that found no memory for an entry */
};

void vgpu_programs_add(struct vgpu_programs *programs, const struct vgpu_launch *launch,
                       const struct vgpu_outcome *outcome);
/* The same for a launch of a render pass, which is not among `launches`; its time is not modelled. threads, and those
 * of a threadgroup, are in a line. */
void vgpu_programs_add_stage(struct vgpu_programs *programs, const struct vgpu_launch *launch, uint32_t threads,
                             uint32_t group, const struct vgpu_outcome *outcome, const char *stage);
void vgpu_programs_finish(struct vgpu_programs *programs);

#endif
