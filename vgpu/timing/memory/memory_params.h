/* SPDX-License-Identifier: MIT
 *
 * The parameters of the memory system: one row a parameter, with a value for each chip, its source, and the sources
 * that contradict it. Option params= replaces values (vgpu/timing/params_file.h).
 */
#ifndef VGPU_MEMORY_PARAMS_H
#define VGPU_MEMORY_PARAMS_H

#include <stddef.h>

#define VGPU_CHIPS 8u /* rows of vgpu/timing/chip.c; each parameter has a value for each of them, in that order */

#define VGPU_LINE 128u /* bytes: results/reference/core_memory.csv, Global Cache Line */
/* Bytes: the smallest unit that a cache fetches. A stride sweep on an M1 Max shows 32 (memory.csv, l1_line and
 * l2_line), which contradicts the 128 above unless lines have sectors. That they have is our interpretation
 * (docs/spec/memory.md): confidence L. */
#define VGPU_SECTOR 32u
#define VGPU_BANKS_MOST 256u

enum vgpu_memory_param {
   VGPU_MEMORY_L1_BYTES,
   VGPU_MEMORY_L1_WAYS,
   VGPU_MEMORY_L1_BANDWIDTH, /* bytes a cycle for each core */
   VGPU_MEMORY_L1_QUEUE,     /* cycles of accesses that may queue in front of it */
   VGPU_MEMORY_L1_MISSES,    /* lines that a core can wait for at once */
   VGPU_MEMORY_L2_BYTES,     /* of the whole chip; each die has its fraction */
   VGPU_MEMORY_L2_WAYS,
   VGPU_MEMORY_L2_LATENCY, /* cycles from issue to use; the L1's is the latency of class LOAD */
   VGPU_MEMORY_L2_BANDWIDTH,
   VGPU_MEMORY_SLC_BYTES,
   VGPU_MEMORY_SLC_WAYS,
   VGPU_MEMORY_SLC_LATENCY,
   VGPU_MEMORY_SLC_BANDWIDTH,
   VGPU_MEMORY_DRAM_LATENCY,
   VGPU_MEMORY_DRAM_BANDWIDTH, /* bytes a second, nominal */
   VGPU_MEMORY_DRAM_EFFICIENCY,
   VGPU_MEMORY_DRAM_PAIR, /* efficiency of requests of two adjacent lines */
   VGPU_MEMORY_TLB_ENTRIES,
   VGPU_MEMORY_TLB_WAYS,
   VGPU_MEMORY_TLB_LATENCY, /* cycles that a TLB miss adds */
   VGPU_MEMORY_LOCAL_BANKS,
   VGPU_MEMORY_ATOMIC_WORD, /* cycles between two atomics on one word, at the L2 */
   VGPU_MEMORY_CODE_BYTES,  /* bytes of a core's instruction cache */
   VGPU_MEMORY_CODE_WAYS,
   VGPU_MEMORY_CODE_LATENCY,   /* cycles until a line of code is there */
   VGPU_MEMORY_CODE_BANDWIDTH, /* bytes a cycle for each core */
   VGPU_MEMORY_PARAMS
};

struct vgpu_memory_row {
   const char *name; /* "memory/l1-bytes" */
   const char *unit;
   double value[VGPU_CHIPS];
   double low, high; /* limits of the values that option params= accepts */
   char confidence;  /* H, M or L as in memory.csv; '-': there is no source */
   const char *source;
   const char *why; /* why this value was chosen, and what contradicts it */
};
extern const struct vgpu_memory_row vgpu_memory_rows[VGPU_MEMORY_PARAMS];

#endif
