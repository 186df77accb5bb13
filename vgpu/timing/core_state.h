/* SPDX-License-Identifier: MIT
 *
 * The state of a core of the timing model while it is simulated, shared by timing_core.c, which issues instructions,
 * scheduler.c, which selects them, and steady.c, which skips time in which a loop repeats itself. Times are ticks.
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
struct vgpu_core_work;   /* vgpu/timing/timing_core.h */
struct vgpu_feed_stream; /* vgpu/timing/memory/feed.h */
struct vgpu_recorder;

#define VGPU_SLOTS 2
#define VGPU_NEVER UINT64_MAX
#define VGPU_DUE_PORTS 16u /* VGPU_PORTS, rounded up */
#define VGPU_WORD_BITS 64u /* bits of an entry of a bit set */
#define VGPU_HOST_LINE 64u /* bytes of the host's cache line; it matters for speed alone */

/* A simdgroup at the time of its scheduler's snapshot. Times are relative to the scheduler's. */
struct vgpu_steady_simd {
   struct vgpu_walk walk;
   const struct vgpu_cost *cost;
   uint32_t turn;
   struct vgpu_result *registers; /* times are relative as above; `writer` is how many instructions ago */
   int64_t ready, floor, done[VGPU_SLOTS], pending[VGPU_SLOTS][VGPU_PENDING];
   uint8_t next[VGPU_SLOTS];
   uint64_t left, turns; /* by how much one period changes these members of its walk */
};

/* A scheduler's snapshot. */
struct vgpu_steady {
   uint64_t period; /* ticks after which the scheduler is in the same state again; 0: not known */
   uint64_t until;  /* tick until which the period holds, because its first loop may end then */
   /* the simdgroup at whose jumps the scheduler is compared; NULL: there is no snapshot */
   const struct vgpu_core_simd *from;
   uint64_t free;
   int64_t pipes[VGPU_PORTS];
   uint8_t unit;
   uint32_t last;
   uint32_t looks, most; /* comparisons since the snapshot, and their limit, after which a new snapshot is taken */
};

/* A simdgroup on the core. Members that every instruction uses come first. */
struct vgpu_core_simd {
   _Alignas(VGPU_HOST_LINE) const struct vgpu_cost *cost; /* the next instruction */
   const struct vgpu_cost *block_end;
   struct vgpu_result *registers;
   uint64_t floor;  /* tick before which nothing issues */
   uint32_t number; /* number of that instruction */
   uint32_t stall;  /* ticks beyond its interval for which it occupies the fast pipe */
   uint32_t scheduler, place;
   const struct vgpu_block *block;
   bool split; /* the halves of a register other than r0 may have been written separately */
   uint8_t next[VGPU_SLOTS];
   /* ring of the ticks at which the last operations complete, by scoreboard slot */
   uint64_t pending[VGPU_SLOTS][VGPU_PENDING];
   uint64_t done[VGPU_SLOTS]; /* tick at which all operations of a slot complete */
   struct vgpu_walk walk;
   struct vgpu_service_walk services; /* services of its accesses */
   struct vgpu_feed_stream *fed;      /* where they come from while they are made; NULL: all of them are made */
   /* address of its next instruction, and the line that it has fetched, while lines are fetched */
   uint64_t address, line;
   uint64_t fetched; /* tick at which that line arrives */
   bool thin;        /* it skips the instructions of its block, for VGPU_WHAT_IF_LANES */
   uint64_t started; /* tick at which its threadgroup started */
   /* iteration of VGPU_UNROLL of its innermost loop, while loops are simulated unrolled */
   uint32_t turn;
   struct vgpu_core_group *group;
   struct vgpu_steady_simd *steady;
};

struct vgpu_core_group {
   struct vgpu_core_simd *simds;
   uint32_t count, left, waiting;
};

/* A simdgroup that will be ready after its scheduler is free. */
struct vgpu_future {
   uint64_t ready;
   uint32_t place, port;
};

struct vgpu_scheduler {
   uint32_t index;             /* index in its core */
   uint64_t free;              /* tick at which it can issue again */
   uint64_t pipes[VGPU_PORTS]; /* by port: ticks at which its pipes are idle */
   /* tick at which each port accepts an instruction: earlier than idle by its queue */
   uint64_t takes[VGPU_PORTS];
   uint8_t unit; /* the unit that the complex pipe used last */
   uint32_t places, last, resident;
   uint32_t chosen; /* the place that issues next */
   /* by place: tick at which its simdgroup's next instruction could issue if its pipe were free */
   uint64_t *ready;
   uint8_t *port; /* by place: the port of that instruction */
   /* simdgroups that are ready when the scheduler is free, by port: bits, 64 places an entry */
   uint64_t (*due)[VGPU_DUE_PORTS];
   uint64_t *can;      /* scratch bits for a choice */
   uint32_t words;     /* entries of `due` and `can` */
   unsigned due_ports; /* bits: ports that have simdgroups in `due` */
   /* the other simdgroups, the first one to be ready first: entries [future_first, future_end) of `future_room` */
   struct vgpu_future *future;
   uint32_t future_first, future_end, future_room;
   struct vgpu_core_simd **at; /* by place */
   struct vgpu_steady steady;
};

struct vgpu_core {
   const struct vgpu_core_work *work;
   struct vgpu_scheduler schedulers[VGPU_SCHEDULERS];
   /* for each scheduler: the tick of its next issue times VGPU_SCHEDULERS, plus its index */
   uint64_t turns[VGPU_SCHEDULERS];
   uint32_t queues[VGPU_PORTS]; /* ticks that an issued instruction may wait in front of each pipe */
   bool plain;                  /* nothing is recorded, left out or fetched: the fast path */
   unsigned stale;              /* bits: schedulers whose next issue must be chosen again */
   struct vgpu_core_memory memory;
   struct vgpu_code_fetch fetch;
   struct vgpu_core_group *groups; /* one for each threadgroup that fits on the core */
   struct vgpu_core_simd *simds;
   struct vgpu_result *registers;
   struct vgpu_steady_simd *snapshots; /* by simdgroup */
   struct vgpu_result *saved;          /* registers of the snapshots; NULL: time is not skipped */
   uint64_t started;                   /* threadgroups that have started */
   uint64_t end;
   uint32_t simds_each;            /* most simdgroups of a threadgroup */
   struct vgpu_recorder *recorder; /* NULL: nothing is recorded */
   /* by fact: the fraction of an execution that is still to be simulated, while some executions are left out */
   double *owed;
};

/* Sets the tick at which the scheduler's own pipe is idle. */
static inline void vgpu_core_set_pipe(const struct vgpu_core *core, struct vgpu_scheduler *scheduler, unsigned pipe,
                                      uint64_t idle)
{
   const uint64_t queue = core->queues[pipe];
   scheduler->pipes[pipe] = idle;
   scheduler->takes[pipe] = idle > queue ? idle - queue : 0;
}

/* ---- scheduler.c ---- */

/* simds: most simdgroups at a time. Returns false when out of memory. */
bool vgpu_scheduler_init(struct vgpu_scheduler *scheduler, uint32_t simds);
void vgpu_scheduler_finish(struct vgpu_scheduler *scheduler);

/* ---- leave_out.c: the changes of a what-if ---- */

/* Whether the simdgroup skips the instruction that it has reached at `now`. Call it once for each. */
bool vgpu_leave_out_skips(struct vgpu_core *core, struct vgpu_core_simd *simd, uint64_t now);
/* Like vgpu_core_access(), for an access that the what-if changes. */
void vgpu_leave_out_access(struct vgpu_core *core, struct vgpu_core_simd *simd, const struct vgpu_service *service,
                           uint64_t now, struct vgpu_trip *trip);
/* Changes the cost of an instruction as the what-if demands. */
void vgpu_leave_out(const struct vgpu_core *core, const struct vgpu_core_simd *simd, struct vgpu_cost *cost,
                    struct vgpu_trip *trip);

/* ---- steady.c ---- */

/* Discards the scheduler's snapshot: something happened that does not follow from its own state. */
static inline void vgpu_steady_forget(struct vgpu_scheduler *scheduler)
{
   scheduler->steady.period = 0;
   scheduler->steady.from = NULL;
   scheduler->steady.most = 1;
}
/* Call it when the simdgroup has jumped. It may advance all schedulers in time. */
void vgpu_steady_look(struct vgpu_core *core, const struct vgpu_core_simd *simd);

#endif
