/* SPDX-License-Identifier: MIT
 *
 * Records where simdgroups' time goes while a core is simulated (vgpu/profile.h).
 */
#ifndef VGPU_RECORDER_H
#define VGPU_RECORDER_H

#include "vgpu/block.h"
#include "vgpu/profile.h"
#include "vgpu/timing/cost.h"

#define VGPU_RECORDER_NONE UINT32_MAX

/* A simdgroup on the core. */
struct vgpu_recorded_simd {
   uint64_t since;        /* its time is accounted for up to this tick */
   uint32_t number;       /* number in the order of simdgroups' starts */
   uint32_t event;        /* its last event; VGPU_RECORDER_NONE: it was not stored */
   uint32_t last;         /* row of its last instruction; VGPU_RECORDER_NONE: none yet */
   uint32_t reason;       /* enum vgpu_stall: what delays it until its floor */
   uint32_t waits;        /* the scoreboard slot that it waited for last */
   uint32_t loads[2];     /* by scoreboard slot: row of the operation that completes last */
   uint32_t writers[256]; /* by half register: row of the instruction that wrote it */
};

struct vgpu_recorder {
   struct vgpu_profile *profile;
   struct vgpu_recorded_simd *simds;
   const void **keys; /* hash table of struct vgpu_cost pointers */
   uint32_t *values;  /* their rows */
   size_t size, used;
   uint64_t base; /* address of the program */
   bool failed;   /* memory ran out */
};

/* One issue: the ticks at which everything that the instruction needs was available. */
struct vgpu_recorded_issue {
   uint64_t floor, fetched, operands, slot, pipe, now, end;
   uint32_t source;    /* row of the instruction whose result arrived last */
   uint32_t scheduler; /* number of the scheduler */
};

bool vgpu_recorder_init(struct vgpu_recorder *recorder, struct vgpu_profile *profile, uint64_t base, uint32_t simds);
void vgpu_recorder_finish(struct vgpu_recorder *recorder);
void vgpu_recorder_start(struct vgpu_recorder *recorder, uint32_t simd, uint64_t now);
/* The row of an instruction of the block. */
uint32_t vgpu_recorder_row(struct vgpu_recorder *recorder, const struct vgpu_block *block,
                           const struct vgpu_cost *cost);
void vgpu_recorder_issue(struct vgpu_recorder *recorder, uint32_t simd, uint32_t row,
                         const struct vgpu_recorded_issue *issue);
/* The result of the simdgroup's last issue is available at `done`. */
void vgpu_recorder_done(struct vgpu_recorder *recorder, uint32_t simd, uint64_t done);
/* The simdgroup's program ends at `end`, which may be before the issue time of its last instruction has passed. */
void vgpu_recorder_end(struct vgpu_recorder *recorder, uint32_t simd, uint64_t end);

#endif
