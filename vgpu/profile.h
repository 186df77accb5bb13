/* SPDX-License-Identifier: MIT
 *
 * Where the modelled time of a launch went, by instruction. All times are ticks, VGPU_PROFILE_TICKS a cycle, of the
 * core that takes longest. Invariant: each tick of a simdgroup, from its start to its end, belongs to the issue or to
 * one stall of one instruction.
 */
#ifndef VGPU_PROFILE_H
#define VGPU_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define VGPU_PROFILE_TICKS 100u
#define VGPU_PROFILE_PIPES 6u  /* by enum vgpu_pipe */
#define VGPU_PROFILE_LEVELS 4u /* L1, L2, last cache, DRAM */

/* Why a simdgroup does not issue. */
enum vgpu_stall {
   VGPU_STALL_OPERAND,   /* the result of an earlier instruction is not ready */
   VGPU_STALL_PIPE,      /* the instruction's pipe is taken */
   VGPU_STALL_MEMORY,    /* a wait for a scoreboard slot, or the end of the program, for loads and stores under way */
   VGPU_STALL_SLOT,      /* the scoreboard slot has no room */
   VGPU_STALL_CONTROL,   /* the next instruction after a jump or a change of the exec mask is not there yet */
   VGPU_STALL_FETCH,     /* the instruction's line of code is not there: the instruction cache does not hold it */
   VGPU_STALL_BARRIER,   /* other simdgroups have not arrived */
   VGPU_STALL_SCHEDULER, /* the scheduler issues for other simdgroups */
   VGPU_STALLS
};

/* The same work simulated with one change, to compute the gain of that change. "At no cost": without issue, pipe and
 * latency. */
enum vgpu_what_if {
   VGPU_WHAT_IF_OPERAND,   /* every result is ready at once */
   VGPU_WHAT_IF_COMPLEX,   /* no instructions of the complex pipe */
   VGPU_WHAT_IF_CROSS,     /* no cross-lane instructions */
   VGPU_WHAT_IF_WIDE,      /* no additions of 64-bit integers */
   VGPU_WHAT_IF_BANKS,     /* threadgroup memory without bank conflicts */
   VGPU_WHAT_IF_LATENCY,   /* device memory as fast as the L1 */
   VGPU_WHAT_IF_BANDWIDTH, /* half as many bytes of device memory */
   VGPU_WHAT_IF_SECTORS,   /* accesses move no more sectors than their lanes need */
   VGPU_WHAT_IF_LOADS,  /* no access to addresses just accessed by the simdgroup, no load of one address by all lanes */
   VGPU_WHAT_IF_NARROW, /* loads and stores of 8 and 16 bits are as many as if each moved 16 bytes */
   VGPU_WHAT_IF_ATOMICS,   /* atomics that do not wait for others on the same word */
   VGPU_WHAT_IF_SPILLS,    /* loads and stores of the stack at no cost, by the register allocator */
   VGPU_WHAT_IF_ARRAYS,    /* likewise, by private arrays */
   VGPU_WHAT_IF_FETCH,     /* an instruction cache that holds all code */
   VGPU_WHAT_IF_LOOPS,     /* innermost loops are unrolled VGPU_UNROLL times (vgpu/timing/loops.h) */
   VGPU_WHAT_IF_BRANCHES,  /* jumps forward, and conditions outside of loops' counting, take no longer than others */
   VGPU_WHAT_IF_BARRIER,   /* no simdgroup waits at a barrier */
   VGPU_WHAT_IF_OCCUPANCY, /* the next step of occupancy: fewer registers or less threadgroup memory */
   VGPU_WHAT_IF_LANES,     /* each instruction is executed only as often as its active lanes would fill simdgroups */
   VGPU_WHAT_IF_FILLED,    /* as many threads in whole simdgroups */
   /* These change the number of threadgroups. Their ticks are scaled to the launch's number of threadgroups. */
   VGPU_WHAT_IF_FULL, /* as many threadgroups as the chip holds at a time */
   VGPU_WHAT_IF_TAIL, /* only as many as fill the cores in whole rounds */
   VGPU_WHAT_IF_EVEN, /* each threadgroup takes its equal part of all instructions */
   VGPU_WHAT_IFS
};

/* Parts of the program that the client asks about: each is left out, at no cost. */
#define VGPU_PROFILE_PARTS 8u
#define VGPU_PROFILE_NO_PART 0u
struct vgpu_profile_range {
   uint64_t start, end; /* bytes from the program's start */
   uint32_t part;       /* 1 to VGPU_PROFILE_PARTS */
};

/* What a profile measures besides its default contents. */
struct vgpu_profile_plan {
   const struct vgpu_profile_range *ranges; /* of instructions that belong to a part */
   size_t range_count;
   uint64_t array_bytes; /* of each thread's stack memory, from byte 0 on: private arrays; the rest is spills */
   bool record_only;     /* no what-if is simulated */
   bool cold;            /* the launch begins with empty caches */
   /* Called in the middle of the launch, by the thread that runs it, before each simulation. NULL: not. */
   void (*progress)(void *data, unsigned done, unsigned all);
   void *data;
};

/* What limits the threadgroups of a core. */
enum vgpu_occupancy_limit { VGPU_LIMIT_THREADS, VGPU_LIMIT_REGISTERS, VGPU_LIMIT_LOCAL, VGPU_LIMIT_GRID };

/* One instruction. */
struct vgpu_profile_row {
   uint64_t address; /* bytes from the program's start */
   uint64_t executions, issue;
   uint64_t stalls[VGPU_STALLS];
   uint64_t source;      /* the instruction that it waited for longest: its address */
   uint64_t source_time; /* ticks that it waited for `source`; 0: it waited for none */
   double lanes;         /* that were active, in the mean over the whole launch: 0 to 32 */
   uint64_t repeated;    /* of its loads: of what the simdgroup had loaded shortly before */
   uint64_t uniform;     /* of its loads: of one address for all lanes */
};

struct vgpu_profile_sum {
   uint64_t launches;                    /* the rest is of the last one */
   uint64_t ticks;                       /* of the core */
   uint64_t simds;                       /* that ran on it */
   uint64_t simd_time;                   /* from start to end, all of them: the sum of all rows' issue and stalls */
   uint64_t pipes[VGPU_PROFILE_PIPES];   /* busy; a scheduler's pipes: the four schedulers together */
   uint64_t levels[VGPU_PROFILE_LEVELS]; /* busy */
   uint64_t what_if[VGPU_WHAT_IFS];      /* ticks then; 0: does not apply */
   uint64_t parts[VGPU_PROFILE_PARTS];   /* by part - 1: ticks without it; 0: it took too little time to be simulated */
   uint64_t atomic_ticks; /* that the atomics on one word take one after the other, of the whole launch */
   uint64_t groups, room; /* threadgroups of the core in all, at a time */
   uint64_t half_registers, next_half_registers; /* now; at the next step of occupancy, 0: there is none */
   uint64_t next_room;                           /* threadgroups at a time then */
   uint64_t group_simds;
   uint64_t cores, busy_cores;                 /* of the chip; that have a threadgroup */
   uint64_t launch_groups;                     /* threadgroups of the launch */
   uint64_t longest_group, longest, usual;     /* the threadgroup of the most instructions; its number; the median */
   uint64_t code_bytes, code_cache_bytes;      /* from the first to the last instruction that was executed */
   uint64_t instructions, thread_instructions; /* of the whole launch */
   uint32_t limit;                             /* enum vgpu_occupancy_limit */
   uint32_t failed;                            /* out of memory: the rest is zero */
};

/* One execution of an instruction by a simdgroup. Times are ticks from the start of the core's work. */
struct vgpu_profile_event {
   uint32_t simd, scheduler; /* numbers: simdgroups in the order of their start */
   uint64_t address;
   uint64_t since, issue, end; /* the simdgroup waits from `since` on, issues from `issue` to `end` */
   uint64_t done;              /* its result, or its memory operation, is there */
   uint32_t stall, pad;        /* enum vgpu_stall: why it waited the longest; VGPU_STALLS: it did not wait */
};
#define VGPU_PROFILE_EVENTS_MOST (1u << 18) /* events that a profile keeps: the first ones */

struct vgpu_profile {
   struct vgpu_profile_sum sum;
   struct vgpu_profile_row *rows; /* by address */
   size_t count;
   struct vgpu_profile_event *events; /* in the order of issue */
   size_t event_count, event_capacity;
   uint64_t events_dropped;              /* that came after VGPU_PROFILE_EVENTS_MOST */
   const struct vgpu_profile_plan *plan; /* NULL: nothing special is asked */
};

static inline void vgpu_profile_finish(struct vgpu_profile *profile)
{
   free(profile->rows);
   free(profile->events);
   *profile = (struct vgpu_profile){.plan = profile->plan};
}

#endif
