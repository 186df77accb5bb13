/* SPDX-License-Identifier: MIT
 *
 * What each instruction of a launch read and wrote, in every lane (option trace of the virtual device, with check=).
 * A preamble, which one lane executes, comes before main. Invariant: recording changes nothing that a program does.
 */
#ifndef VGPU_TRACE_H
#define VGPU_TRACE_H

#include <stdint.h>
#include <stdlib.h>

#define VGPU_TRACE_LANES 32u
#define VGPU_TRACE_SOURCES 10u /* operands, and what a store stores */
#define VGPU_TRACE_RESULTS 4u
#define VGPU_TRACE_MOST 8192u /* instructions that a trace keeps: the first ones */

enum vgpu_trace_kind { VGPU_TRACE_REGISTER, VGPU_TRACE_UNIFORM };
/* Which memory an instruction touches. An offset into the stack is a lane's own. */
enum vgpu_trace_memory { VGPU_TRACE_NO_MEMORY, VGPU_TRACE_DEVICE, VGPU_TRACE_THREADGROUP, VGPU_TRACE_STACK };

struct vgpu_trace_value {
   uint8_t kind;                    /* enum vgpu_trace_kind */
   uint8_t bits;                    /* 16, 32 or 64 */
   uint8_t data;                    /* of a store or an atomic: what it stores */
   uint16_t half;                   /* the first half register, or half uniform */
   uint64_t lane[VGPU_TRACE_LANES]; /* raw: before modifiers and extension */
};

/* One instruction that one simdgroup executed. */
struct vgpu_trace_entry {
   uint64_t address;     /* GPU address */
   uint32_t group, simd; /* threadgroup, linear; simdgroup in it */
   uint32_t preamble;    /* whether it is the preamble's */
   uint32_t exec, after; /* mask of the lanes that executed it; of those that execute the next one */
   uint32_t source_count, result_count;
   uint32_t memory;                   /* enum vgpu_trace_memory */
   uint32_t reads, writes;            /* whether it reads and writes that */
   uint32_t element;                  /* bytes; component i is `element` bytes behind component i - 1 */
   uint64_t access[VGPU_TRACE_LANES]; /* addresses of the first component */
   struct vgpu_trace_value sources[VGPU_TRACE_SOURCES], results[VGPU_TRACE_RESULTS];
};

struct vgpu_trace {
   struct vgpu_trace_entry *entries;
   uint32_t count, capacity;
   uint64_t dropped; /* that came after VGPU_TRACE_MOST, or for want of memory */
};

static inline void vgpu_trace_finish(struct vgpu_trace *trace)
{
   free(trace->entries);
   *trace = (struct vgpu_trace){.entries = NULL};
}

#endif
