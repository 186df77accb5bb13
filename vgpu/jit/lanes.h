/* SPDX-License-Identifier: MIT
 *
 * What is known about the lanes of registers when a run is compiled.
 */
#ifndef VGPU_JIT_LANES_H
#define VGPU_JIT_LANES_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_op;

/* Tells each descriptor which of its sources are the same in all lanes (VGPU_SAME) or count up (VGPU_COUNTING). body:
 * so many ops at the start are left out in a loop's first pass. positions_count: of a simdgroup's threads, the position
 * in x counts up, and those in y and z are the same. */
void vgpu_jit_mark_lanes(const struct vgpu_op *ops, struct vgpu_op *descriptors, uint32_t count, uint32_t body,
                         bool positions_count);

/* Whether all memory instructions of a straight run access lines of device memory whose places follow from that of the
 * first of several simdgroups, when these lie one after the other in x in the grid. *needed: which ops compute these
 * places. descriptors: as vgpu_jit_mark_lanes() left them. */
bool vgpu_jit_lines_follow(const struct vgpu_op *ops, const struct vgpu_op *descriptors, uint32_t count,
                           bool positions_count, bool *needed);

#endif
