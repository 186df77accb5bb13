/* SPDX-License-Identifier: MIT
 *
 * Device memory as seen by a core: translation with a small cache for each host thread, and the handling of accesses
 * without a translation.
 */
#ifndef VGPU_MEMORY_H
#define VGPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/launch.h"

#define VGPU_TLB_ENTRIES 256u
#define VGPU_PAGE_SHIFT 14u

struct vgpu_op;

/* Sums of atomic additions whose result nobody has read yet: one slot for words whose addresses differ by a multiple of
 * this. */
#define VGPU_SUMS 256u
struct vgpu_sums {
   bool on;
   struct {
      uint32_t *word; /* NULL: none */
      uint32_t sum;
   } slots[VGPU_SUMS];
};

struct vgpu_memory {
   const struct vgpu_pages *pages;
   struct vgpu_tlb_entry {
      uint64_t tag; /* page number + 1; 0: empty */
      uint8_t *host;
   } tlb[4][VGPU_TLB_ENTRIES]; /* by enum vgpu_access bits */
   bool soft;                  /* faults are soft */
   uint64_t fault_loads, fault_stores, fault_address;
   uint64_t fault_group; /* threadgroup of the first fault, and its instruction */
   const struct vgpu_op *fault_op;
   struct vgpu_sums sums;
   uint8_t *(*walk)(struct vgpu_memory *memory, uint64_t va,
                    unsigned access); /* vgpu_memory_walk() for compiled code */
};

/* It is zero. */
void vgpu_memory_init(struct vgpu_memory *memory, const struct vgpu_launch *launch);

/* Adds the pending sums to their words, and ends the mode. */
void vgpu_memory_end_sums(struct vgpu_memory *memory);

/* The slow half of vgpu_memory_at(). */
uint8_t *vgpu_memory_walk(struct vgpu_memory *memory, uint64_t va, unsigned access);

/* Buffers lie at multiples of large powers of two. */
static inline size_t vgpu_tlb_slot(uint64_t page)
{
   return (page ^ page >> 8) % VGPU_TLB_ENTRIES;
}

/* Executes an atomic addition at once or, while sums are enabled, when they end. */
static inline void vgpu_memory_add(struct vgpu_memory *memory, uint32_t *word, uint32_t value)
{
   if (!memory->sums.on) {
      __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
      return;
   }
   const size_t slot = (uintptr_t)word / sizeof(*word) % VGPU_SUMS;
   if (memory->sums.slots[slot].word == word) {
      memory->sums.slots[slot].sum += value;
      return;
   }
   if (memory->sums.slots[slot].word) {
      __atomic_fetch_add(memory->sums.slots[slot].word, memory->sums.slots[slot].sum, __ATOMIC_RELAXED);
   }
   memory->sums.slots[slot].word = word;
   memory->sums.slots[slot].sum = value;
}

/* vgpu_memory_at() without the walk: NULL when the cache does not have the page. */
static inline uint8_t *vgpu_memory_cached(const struct vgpu_memory *memory, uint64_t va, unsigned access)
{
   const uint64_t page = va >> VGPU_PAGE_SHIFT;
   const struct vgpu_tlb_entry *entry = &memory->tlb[access][vgpu_tlb_slot(page)];
   return entry->tag == page + 1 ? entry->host + va % VGPU_PAGE : NULL;
}

/* Host memory behind va, good to the end of its page; NULL: not mapped for that access. */
static inline uint8_t *vgpu_memory_at(struct vgpu_memory *memory, uint64_t va, unsigned access)
{
   uint64_t page = va >> VGPU_PAGE_SHIFT;
   const struct vgpu_tlb_entry *entry = &memory->tlb[access][vgpu_tlb_slot(page)];
   if (__builtin_expect(entry->tag == page + 1, 1)) {
      return entry->host + va % VGPU_PAGE;
   }
   return vgpu_memory_walk(memory, va, access);
}

#endif
