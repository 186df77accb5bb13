/* SPDX-License-Identifier: MIT
 *
 * Room for the threadgroups that one host thread runs at a time, and their state at the start.
 */
#ifndef VGPU_COHORT_H
#define VGPU_COHORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/timing/path/path.h"
#include "vgpu/exec/scheduler.h"

/* Per-lane facts of a simdgroup that only depend on its threadgroup's size. */
struct vgpu_thread_ids {
   _Alignas(64) uint32_t ids[3][VGPU_LANES];
   uint32_t launched[VGPU_LANES];
   uint32_t launched_bits;
};

struct vgpu_cohort {
   struct vgpu_worker *worker;
   uint32_t group_capacity; /* threadgroups that fit */
   uint32_t placed;         /* in slots 0, 1, ... */
   uint32_t counts[3];      /* threadgroups of the grid */
   uint32_t simds_each;     /* of a whole threadgroup */
   uint32_t register_words; /* of a simdgroup */
   uint32_t stack_limit;    /* words a lane */
   uint16_t half_registers;
   void *block; /* what follows but `paths` and `checks` */
   size_t block_bytes;
   struct vgpu_threadgroup *groups;
   struct vgpu_simd *simds;
   struct vgpu_thread_ids *thread_ids;
   struct vgpu_path *paths; /* NULL: not recorded */
   unsigned banks;          /* of threadgroup memory, as the timing model has them */
   uint32_t *registers;
   struct vgpu_checks *checks; /* NULL: off */
   uint8_t *memory;
   uint32_t memory_bytes; /* of a threadgroup */
};

/* false: out of memory; then nothing is left behind. */
bool vgpu_cohort_init(struct vgpu_cohort *cohort, struct vgpu_worker *worker, uint16_t half_registers,
                      uint32_t stack_limit, bool record);
void vgpu_cohort_finish(struct vgpu_cohort *cohort);

/* How many threadgroups the grid has in each direction; the product, or UINT64_MAX when it is larger. */
uint64_t vgpu_group_count(const struct vgpu_launch *launch, uint32_t count[3]);

/* Places the threadgroup of that number in slot `slot` (slots 0, 1, ... in order) at its entry. Adds its simdgroups
 * to simds[*count]. */
void vgpu_cohort_place(struct vgpu_cohort *cohort, uint32_t slot, uint64_t number, const struct vgpu_block *entry,
                       struct vgpu_simd **simds, unsigned *count);

#endif
