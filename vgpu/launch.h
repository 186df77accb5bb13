/* SPDX-License-Identifier: MIT
 *
 * A launch: what the driver and the command stream hand to the cores, and what comes back. All rooms of the virtual GPU
 * share it, so it includes none of them, and declares no functions of theirs.
 */
#ifndef VGPU_LAUNCH_H
#define VGPU_LAUNCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/checks.h"
#include "vgpu/pages.h"

#define VGPU_LANES 32u         /* threads of a simdgroup */
#define VGPU_PLACE_BYTES 160   /* text of a place in a program: vgpu/exec/fault.h */
#define VGPU_WHERE_BYTES 192   /* text of where an address lies: vgpu/exec/fault.h */
#define VGPU_MESSAGE_BYTES 384 /* text of a fault */

/* Of a simdgroup that is out of budget, and of a launch that is larger than its limit; the argument is the limit. */
#define VGPU_BUDGET_MESSAGE                                                                                            \
   "a simdgroup did not end within %" PRIu64                                                                           \
   " simdgroup instructions of its own: it is endless (the virtual device's "                                          \
   "option budget=)"
#define VGPU_WORK_MESSAGE                                                                                              \
   "the launch did not end within %" PRIu64 " simdgroup instructions, those of all its threadgroups together (the "    \
   "virtual device's option work=)"

struct vgpu_chip;         /* vgpu/timing/chip.h */
struct vgpu_profile;      /* vgpu/profile.h */
struct vgpu_trace;        /* vgpu/trace.h */
struct vgpu_params;       /* vgpu/timing/timing_params.h */
struct vgpu_hierarchy;    /* vgpu/timing/memory/hierarchy.h */
struct vgpu_host_threads; /* vgpu/host_threads.h */
struct vgpu_compiler;     /* vgpu/native.h */
struct vgpu_kept;         /* vgpu/exec/kept.c */
struct vgpu_spare;        /* vgpu/spare.h */
struct vgpu_level;        /* vgpu/exec/exec.h */
struct vgpu_postmortem;   /* vgpu/postmortem.h */
struct vgpu_collection;   /* vgpu/collect/collect.h */
struct vgpu_plant;        /* vgpu/render/plant.h */
struct vgpu_stage;        /* vgpu/stage.h */
struct vgpu_uses;         /* vgpu/uses.h */

/* The exact bytes of a buffer, as the client has told them (VGPU_IOCTL_RANGE). */
#define VGPU_RANGE_NAME 64u
struct vgpu_range {
   uint64_t start, bytes;
   bool freed;
   bool internal;              /* the client's own: no message names it, and shaders do not write to it */
   char name[VGPU_RANGE_NAME]; /* "buffer 1 (in)"; "": it has none */
};

/* Texture and sampler state registers: USC words and preambles load descriptors and samplers into them. */
#define VGPU_TEXTURE_STATES 256u
#define VGPU_SAMPLER_STATES 32u
struct vgpu_states {
   uint64_t has_texture[VGPU_TEXTURE_STATES / 64], has_sampler[1]; /* which ones are loaded */
   uint64_t textures[VGPU_TEXTURE_STATES][3];
   struct {
      uint64_t word;
      uint32_t border[4]; /* the colour, where the sampler has one of its own */
   } samplers[VGPU_SAMPLER_STATES];
};

static inline void vgpu_state_mark(uint64_t *marks, uint32_t number)
{
   marks[number / 64] |= UINT64_C(1) << number % 64;
}

static inline bool vgpu_state_is_marked(const uint64_t *marks, uint32_t number)
{
   return marks[number / 64] >> number % 64 & 1;
}

/* Threadgroup memory as pixels, row by row: imageblocks of compute programs. */
struct vgpu_tile {
   uint8_t width, height; /* pixels; 0: it has none */
   uint8_t samples_log2;
   uint8_t sample_bytes;
};

/* One launch: what the CDM stream and the USC words said. */
struct vgpu_launch {
   const struct vgpu_chip *chip;
   /* Parameters of the timing model. NULL: vgpu_params_default. */
   const struct vgpu_params *params;
   /* of the timing model: the caches as the previous launch left them; NULL: empty ones, for this launch alone */
   struct vgpu_hierarchy *caches;
   struct vgpu_profile *profile;   /* where the launch's time goes (vgpu/profile.h); NULL: not recorded */
   struct vgpu_trace *trace;       /* what its instructions read and write; NULL: not recorded. With checks alone */
   uint64_t space;                 /* tells address spaces apart in them */
   const struct vgpu_pages *pages; /* the address space */
   bool soft_faults;               /* shader accesses to unmapped memory: loads 0, stores vanish (else a hard fault) */
   bool strict;                    /* reserved bits of the stream and of USC words must be zero */
   bool timing;                    /* compute cycles too */
   bool each_core;                 /* simulate also a core with the same work as another: to measure the simulation */
   unsigned threads;               /* host threads to use, >= 1 */
   struct vgpu_host_threads *host; /* them, kept from launch to launch; NULL: they are started for this launch */
   uint64_t budget;                /* instructions of one simdgroup before ETIMEDOUT; 0: there is no limit */
   uint64_t work;                  /* instructions of all of them before ETIMEDOUT */
   uint32_t grid[3];               /* threads */
   uint32_t group[3];              /* threads of a threadgroup; the product is 1..1024 */
   uint64_t usc_base;              /* VA that code offsets count from */
   uint64_t code;                  /* VA of the main program */
   uint64_t preamble;              /* VA of the preamble, 0: none */
   uint16_t half_registers, preamble_half_registers;
   uint16_t uniforms[512];         /* initial values, half words */
   uint16_t uniforms_written[512]; /* the bits of each that have a value; for VGPU_CHECK_UNDEFINED */
   /* Where they came from, in the order of the USC words; those past the last are counted only. */
   struct vgpu_uniform_from {
      uint64_t address;
      uint16_t start, halves;
   } uniforms_from[32];
   uint32_t uniforms_from_count;
   struct vgpu_outside {
      uint32_t bytes; /* 0: none */
      uint64_t address;
   } preamble_outside; /* the first that the preamble read outside of all buffers; with checks */
   struct vgpu_states states;
   bool extended_samplers; /* each of the USC words' has a border colour behind it */
   struct vgpu_tile tile;
   struct vgpu_stage *stage;       /* of a render pass; NULL: compute */
   const struct vgpu_plant *plant; /* faults planted into render passes; NULL: none */
   uint32_t threadgroup_bytes;     /* allocated */
   uint32_t threadgroup_rest;      /* of these, at the end, the client has told that it did not ask for so many */
   uint32_t fragment_properties;   /* the USC word; 0: none */
   uint32_t spill_bucket;          /* REGISTERS bits 18..21: 0 none; n: up to 8 << (n - 1) words a thread */
   uint64_t sampler_heap;          /* VA of samplers that programs name by number */
   uint32_t sampler_count;
   uint32_t scratch_words; /* that the job's helper and scratch header provide to each thread; 0: none do */
   bool preamble_scratch;
   const struct vgpu_level *level;  /* the build of the semantics to run: vgpu_best_level() */
   struct vgpu_compiler *compiler;  /* of blocks to host code; NULL: the interpreter runs all of them */
   unsigned checks;                 /* enum vgpu_check bits; with any, one host thread runs the launch */
   const struct vgpu_range *ranges; /* of buffers, that the client has told; for VGPU_CHECK_BOUNDS and messages */
   size_t range_count;
   const struct vgpu_range *threadgroups; /* likewise, of threadgroup memory: they start at the USC words' addresses */
   size_t threadgroup_count;
   struct vgpu_uses *uses;     /* the command's images, which the launch adds; NULL: nobody asks */
   struct vgpu_check_log *log; /* of the checks; used by the thread that runs the launch */
   struct vgpu_races **races;  /* likewise: memory of VGPU_CHECK_RACES, kept for the next launch; NULL: it is not */
   struct vgpu_postmortem *postmortem; /* filled when the launch ends with a fault; NULL: it is not */
   struct vgpu_collection *collection; /* of the programs that are launched; NULL: they are not collected */
   struct vgpu_kept *kept;             /* decoded programs of earlier launches; NULL: they are not kept */
   struct vgpu_spare *spare;           /* the host's memory of earlier launches; NULL: it is not kept */
   /* May be NULL. True when the client has aborted the job, or closes the device: end soon, with VGPU_FAULT_TIMEOUT.
    * Reading it every few thousand instructions is enough. */
   const atomic_bool *cancel;
};

enum vgpu_fault {
   VGPU_FAULT_NONE,
   VGPU_FAULT_MEMORY,      /* MMU fault: stream, USC words, instruction fetch, or any access without soft faults */
   VGPU_FAULT_STREAM,      /* a command stream or USC block that no hardware would take */
   VGPU_FAULT_INSTRUCTION, /* unknown, or absent on this chip */
   VGPU_FAULT_SCRATCH,     /* stack used without scratch memory, or past its end */
   VGPU_FAULT_RESOURCES,   /* threadgroup memory or registers beyond the core's */
   VGPU_FAULT_TIMEOUT,     /* a simdgroup out of budget, too much work, or a barrier that not all simdgroups reach */
};

/* Lanes' accesses to unmapped memory that did not fault. Address and place are those of the first one: of the main
 * program if it has any, else of the preamble. */
struct vgpu_soft_faults {
   uint64_t loads, stores;  /* stores: atomics too */
   uint64_t preamble_loads; /* of the loads: a compiler may move loads there that the source does not execute */
   uint64_t address;
   char place[VGPU_PLACE_BYTES]; /* "main + 0x1c: load r4, ..." */
   char where[VGPU_WHERE_BYTES]; /* vgpu_address_print() of the address */
};

struct vgpu_outcome {
   enum vgpu_fault fault;
   char message[VGPU_MESSAGE_BYTES]; /* for the kernel-log line: unit, place, address */
   uint64_t cycles;                  /* modelled duration; 0 with timing off */
   bool without_caches;              /* too many accesses for the caches' model: cycles are as if the L2 had all data */
   uint64_t instructions, thread_instructions;
   struct vgpu_soft_faults soft;
};

#endif
