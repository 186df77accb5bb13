/* SPDX-License-Identifier: MIT
 *
 * What a core of the timing model holds while it is simulated, for timing_core.c, which issues instructions,
 * scheduler.c, which chooses them, and steady.c, which skips time in which nothing new happens. Times are ticks.
 */
#ifndef VGPU_CORE_STATE_H
#define VGPU_CORE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/timing/code_fetch.h"
#include "vgpu/timing/core_memory.h"
#include "vgpu/timing/cost.h"
#include "vgpu/timing/path/path.h"
#include "vgpu/timing/timing_params.h"

struct vgpu_block;
struct vgpu_core_work; /* vgpu/timing/timing_core.h */
struct vgpu_recorder;

#define VGPU_SLOTS 2
#define VGPU_NEVER UINT64_MAX
#define VGPU_DUE_PORTS 8u  /* VGPU_PIPES, rounded up */
#define VGPU_WORD_BITS 64u /* of a bit set */
#define VGPU_HOST_LINE 64u /* bytes of a line of the host's cache, for speed alone */

/* A simdgroup at the time of its scheduler's snapshot. Times count from the scheduler's. */
struct vgpu_steady_simd {
   struct vgpu_walk walk;
   const struct vgpu_cost *cost;
   uint32_t turn;
   struct vgpu_result *registers; /* times as above; the writer: how many instructions before */
   int64_t ready, floor, done[VGPU_SLOTS], pending[VGPU_SLOTS][VGPU_PENDING];
   uint8_t next[VGPU_SLOTS];
   uint64_t left, turns; /* of its walk: by how much a period changes them */
};

/* A scheduler's snapshot. */
struct vgpu_steady {
   uint64_t period;                   /* ticks after which the scheduler is as it was; 0: not known */
   uint64_t until;                    /* and how long that holds: its first loop may end then */
   const struct vgpu_core_simd *from; /* looks are taken at its jumps; NULL: there is no snapshot */
   uint64_t free;
   int64_t pipes[VGPU_PIPE_OWN];
   uint8_t unit;
   uint32_t last;
   uint32_t looks, most; /* since the snapshot; after so many, a new one is taken */
};

/* A simdgroup on the core. What every instruction needs comes first. */
struct vgpu_core_simd {
   _Alignas(VGPU_HOST_LINE) const struct vgpu_cost *cost; /* the next instruction */
   const struct vgpu_cost *block_end;
   struct vgpu_result *registers;
   uint64_t floor;  /* nothing issues before */
   uint32_t number; /* of that instruction */
   uint32_t stall;  /* ticks beyond its interval that it keeps the fast pipe */
   uint32_t scheduler, place;
   const struct vgpu_block *block;
   bool split; /* a register's halves, other than r0's, may have been written apart */
   uint8_t next[VGPU_SLOTS];
   uint64_t pending[VGPU_SLOTS][VGPU_PENDING]; /* when the last ones are done, a ring */
   uint64_t done[VGPU_SLOTS];                  /* when all are */
   struct vgpu_walk walk;
   struct vgpu_service_walk services; /* of its accesses */
   uint64_t address, line;            /* of its code, while lines are fetched; the line that it has */
   uint64_t fetched;                  /* when that line is there */
   bool thin;                         /* it passes its block, for VGPU_WHAT_IF_LANES */
   uint64_t started;                  /* when its threadgroup did */
   uint32_t turn;                     /* of VGPU_UNROLL in its innermost loop, while loops are simulated unrolled */
   struct vgpu_core_group *group;
   struct vgpu_steady_simd *steady;
};

struct vgpu_core_group {
   struct vgpu_core_simd *simds;
   uint32_t count, left, waiting;
};

/* A simdgroup that is ready only after its scheduler is free. */
struct vgpu_future {
   uint64_t ready;
   uint32_t place, port;
};

struct vgpu_scheduler {
   uint32_t index;                /* in its core */
   uint64_t free;                 /* when it can issue again */
   uint64_t pipes[VGPU_PIPE_OWN]; /* when they are idle */
   uint64_t takes[VGPU_PIPES];    /* when each port takes an instruction again: earlier by its queue */
   uint8_t unit;                  /* the last one that the complex pipe used */
   uint32_t places, last, resident;
   uint32_t chosen;                 /* place that issues next */
   uint64_t *ready;                 /* by place: when its simdgroup's next instruction could issue, but for its pipe */
   uint8_t *port;                   /* by place: that instruction's port */
   uint64_t (*due)[VGPU_DUE_PORTS]; /* simdgroups that are ready when it is free, by port: bits, 64 places an entry */
   uint64_t *can;                   /* a choice's scratch: bits */
   uint32_t words;                  /* entries of `due` and `can` */
   unsigned due_ports;              /* bits: ports that have any in `due` */
   struct vgpu_future *future;      /* the others, the last one first */
   uint32_t future_count;
   struct vgpu_core_simd **at; /* by place */
   struct vgpu_steady steady;
};

struct vgpu_core {
   const struct vgpu_core_work *work;
   struct vgpu_scheduler schedulers[VGPU_SCHEDULERS];
   uint64_t turns[VGPU_SCHEDULERS]; /* of their next issues: the time times VGPU_SCHEDULERS, and which it is */
   uint32_t queues[VGPU_PIPE_OWN];  /* ticks that an issued instruction may wait in front of each pipe */
   bool plain;                      /* nothing is recorded, left out or fetched */
   unsigned stale;                  /* bits: schedulers whose next issue is to be chosen anew */
   struct vgpu_core_memory memory;
   struct vgpu_code_fetch fetch;
   struct vgpu_core_group *groups; /* as many as there is room for */
   struct vgpu_core_simd *simds;
   struct vgpu_result *registers;
   struct vgpu_steady_simd *snapshots; /* by simdgroup */
   struct vgpu_result *saved;          /* registers of the snapshots; NULL: time is not skipped */
   uint64_t started;                   /* threadgroups */
   uint64_t end;
   uint32_t simds_each;            /* room for a threadgroup's simdgroups */
   struct vgpu_recorder *recorder; /* NULL: off */
   double *owed; /* by fact: the part of an execution that is still to come, while some are left out */
};

/* The scheduler's own pipe is idle at that time. */
static inline void vgpu_core_set_pipe(const struct vgpu_core *core, struct vgpu_scheduler *scheduler, unsigned pipe,
                                      uint64_t idle)
{
   const uint64_t queue = core->queues[pipe];
   scheduler->pipes[pipe] = idle;
   scheduler->takes[pipe] = idle > queue ? idle - queue : 0;
}

/* ---- scheduler.c ---- */

/* simds: the most that it will have at a time. false: out of memory. */
bool vgpu_scheduler_init(struct vgpu_scheduler *scheduler, uint32_t simds);
void vgpu_scheduler_finish(struct vgpu_scheduler *scheduler);

/* ---- leave_out.c: the work's what-if ---- */

/* Whether the simdgroup passes the instruction that it has come to at `now`. Asked once for each. */
bool vgpu_leave_out_skips(struct vgpu_core *core, struct vgpu_core_simd *simd, uint64_t now);
/* Its access, as vgpu_core_access(). */
void vgpu_leave_out_access(struct vgpu_core *core, struct vgpu_core_simd *simd, const struct vgpu_service *service,
                           uint64_t now, struct vgpu_trip *trip);
/* Changes what it takes. */
void vgpu_leave_out(const struct vgpu_core *core, const struct vgpu_core_simd *simd, struct vgpu_cost *cost,
                    struct vgpu_trip *trip);

/* ---- steady.c ---- */

/* Something happened to the scheduler that does not follow from its own state: its past says nothing any more. */
static inline void vgpu_steady_forget(struct vgpu_scheduler *scheduler)
{
   scheduler->steady.period = 0;
   scheduler->steady.from = NULL;
   scheduler->steady.most = 1;
}
/* The simdgroup has jumped. May move all schedulers ahead in time. */
void vgpu_steady_look(struct vgpu_core *core, const struct vgpu_core_simd *simd);

#endif
