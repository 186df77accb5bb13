/* SPDX-License-Identifier: MIT
 *
 * The address stream of a simdgroup: one access for each memory instruction that it executed, in order, with the spans
 * of memory that its lanes touched. Execution records it; the caches of vgpu/timing/memory/hierarchy.c replay it. It
 * holds no data.
 *
 * Invariant: an instruction that accesses memory appends exactly one access, even when no lane is active.
 */
#ifndef VGPU_ACCESSES_H
#define VGPU_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/launch.h"

enum vgpu_access_kind {
   VGPU_ACCESS_NONE, /* no lane was active */
   VGPU_ACCESS_LOAD,
   VGPU_ACCESS_STORE,
   VGPU_ACCESS_ATOMIC,     /* one span for each word; `size` is the number of lanes that access it */
   VGPU_ACCESS_LOCAL,      /* threadgroup memory: `size` is the cycles that its banks need */
   VGPU_ACCESS_STACK_LOAD, /* the address is relative to the simdgroup's stack memory */
   VGPU_ACCESS_STACK_STORE,
};

/* A span in a word: address in bits 0 to 43, size in bits 44 to 59, kind in bits 60 to 62. Bit 63 marks the first span
 * of an access. */
#define VGPU_SPAN_FIRST (UINT64_C(1) << 63)
#define VGPU_SPAN_ADDRESS ((UINT64_C(1) << 44) - 1)
#define VGPU_SPAN_SIZE_SHIFT 44
#define VGPU_SPAN_KIND_SHIFT 60
#define VGPU_SPAN_SIZE_MAX 0xFFFFu

static inline uint64_t vgpu_span_make(unsigned kind, uint64_t address, unsigned size)
{
   return (uint64_t)kind << VGPU_SPAN_KIND_SHIFT | (uint64_t)size << VGPU_SPAN_SIZE_SHIFT |
          (address & VGPU_SPAN_ADDRESS);
}
static inline unsigned vgpu_span_kind(uint64_t span)
{
   return span >> VGPU_SPAN_KIND_SHIFT & 7;
}
static inline unsigned vgpu_span_size(uint64_t span)
{
   return span >> VGPU_SPAN_SIZE_SHIFT & VGPU_SPAN_SIZE_MAX;
}
static inline uint64_t vgpu_span_address(uint64_t span)
{
   return span & VGPU_SPAN_ADDRESS;
}

struct vgpu_accesses {
   uint64_t *spans;
   size_t count, capacity;
   unsigned banks; /* of threadgroup memory, for vgpu_access_banks() */
   bool out_of_memory;
};

void vgpu_accesses_grow(struct vgpu_accesses *accesses);
void vgpu_accesses_finish(struct vgpu_accesses *accesses);

static inline void vgpu_access_append(struct vgpu_accesses *accesses, uint64_t span)
{
   if (__builtin_expect(accesses->count == accesses->capacity, 0)) {
      vgpu_accesses_grow(accesses);
      if (accesses->count == accesses->capacity) {
         return;
      }
   }
   accesses->spans[accesses->count++] = span;
}

/* All lanes touch one contiguous range: size > 0, at most VGPU_SPAN_SIZE_MAX. */
static inline void vgpu_access_run(struct vgpu_accesses *accesses, unsigned kind, uint64_t address, unsigned size)
{
   vgpu_access_append(accesses, VGPU_SPAN_FIRST | vgpu_span_make(kind, address, size));
}

/* Each lane of `lanes` touches `size` bytes. Lanes that share a sector share its span. */
void vgpu_access_lanes(struct vgpu_accesses *accesses, unsigned kind, const uint64_t *address, uint32_t lanes,
                       unsigned size);
/* Each lane of `lanes` executes an atomic on the word at its address. */
void vgpu_access_atomic(struct vgpu_accesses *accesses, const uint64_t *address, uint32_t lanes, unsigned size);
/* Threadgroup memory. serial: lanes that access the same word are serialized (an atomic). */
void vgpu_access_banks(struct vgpu_accesses *accesses, const uint64_t *address, uint32_t lanes, unsigned size,
                       bool serial);
/* The instruction had no active lane. */
static inline void vgpu_access_none(struct vgpu_accesses *accesses)
{
   vgpu_access_append(accesses, VGPU_SPAN_FIRST);
}

#endif
