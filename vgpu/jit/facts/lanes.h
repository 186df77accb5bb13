/* SPDX-License-Identifier: MIT
 *
 * What is known about the lanes of registers when a run is compiled.
 */
#ifndef VGPU_JIT_FACTS_LANES_H
#define VGPU_JIT_FACTS_LANES_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_block;
struct vgpu_code;
struct vgpu_op;

#define VGPU_JIT_VECTORS 257u /* most lane vectors of a simdgroup, and one behind a 64-bit result in the last */

/* What is known about a register's words in a simdgroup with all lanes active. */
enum vgpu_jit_fact {
   VGPU_JIT_UNKNOWN,
   VGPU_JIT_SAME,   /* in all lanes */
   VGPU_JIT_COUNTS, /* up by one from lane to lane */
};

/* Updates what is known about registers, facts[VGPU_JIT_VECTORS] by lane vector, behind an op. positions_count: of a
 * simdgroup's threads, the position in x counts up, and those in y and z are the same. */
void vgpu_jit_take_result(const struct vgpu_op *op, bool positions_count, uint8_t *facts);

/* Tells each descriptor which of its sources are the same in all lanes (VGPU_SAME...) or count up (VGPU_COUNTING).
 * start: what is known before the first op. body: so many ops at the start are left out in a loop's first pass, before
 * which `head` is known. */
void vgpu_jit_mark_lanes(const struct vgpu_op *ops, struct vgpu_op *descriptors, uint32_t count, uint32_t body,
                         bool positions_count, const uint8_t *start, const uint8_t *head);

/* Whether all memory instructions of a straight run access lines of device memory whose places follow from that of the
 * first of several simdgroups, when these lie one after the other in x in the grid. *needed: which ops compute these
 * places. descriptors: as vgpu_jit_mark_lanes() left them. */
bool vgpu_jit_lines_follow(const struct vgpu_op *ops, const struct vgpu_op *descriptors, uint32_t count,
                           bool positions_count, bool *needed);

/* A selection of one of several registers or constants by an index: an op and those before it that make its operands.
 * from: for each index, the words from the registers' start of what is selected, or of a constant with
 * VGPU_PICK_CONSTANT. Indices below 0 select as 0 does, larger ones as the last. */
#define VGPU_PICK_INDICES 64u
#define VGPU_PICK_CONSTANT 0x80000000u
struct vgpu_pick {
   uint32_t ops; /* that select. 0: the op is none */
   bool found;   /* it replaces the op where the index is the same in all lanes */
   uint32_t index;
   int32_t index_op;
   uint32_t from[VGPU_PICK_INDICES];
};

/* Finds them among the ops of a straight run: *picks, which are zero, by op. The registers that are selected are as at
 * the run's start until then. vectors: the code's constants. *same: the registers, by lane vector, that must be the
 * same in all lanes at the run's start for the indices to be so. false: there are none. */
bool vgpu_jit_find_picks(const struct vgpu_op *ops, uint32_t count, const uint32_t *vectors, struct vgpu_pick *picks,
                         bool *same);

#endif
