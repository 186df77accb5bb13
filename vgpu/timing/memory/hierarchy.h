/* SPDX-License-Identifier: MIT
 *
 * The caches of a chip: an L1 for each core, an L2 for each die, one system-level cache, memory behind it, one TLB.
 * Loads fetch the sectors that are missing. Stores go through the L1, which does not allocate for them, and stay in the
 * L2 until they are evicted. Atomics happen in the L2.
 *
 * A launch starts with empty L1s. The other caches and the TLB keep what the launches before it left. Lines and pages
 * are tagged with the address space, and are dropped when the client changes their mapping. No source says what the
 * hardware keeps between two launches: this is a choice. Accesses of the CPU do not pass through the caches.
 *
 * Time is counted in turns: in a turn every simdgroup makes one access. A sector that one of them fetches in a turn is
 * still in flight for the others in that turn: they wait as long, but it is moved once.
 */
#ifndef VGPU_HIERARCHY_H
#define VGPU_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/timing/memory/cache.h"
#include "vgpu/timing/memory/memory_params.h"

enum vgpu_memory_level { VGPU_LEVEL_L1, VGPU_LEVEL_L2, VGPU_LEVEL_SLC, VGPU_LEVEL_DRAM, VGPU_LEVELS };

/* What the memory system had to do for an access. No padding: compared as bytes. */
struct vgpu_service {
   uint16_t passes;             /* cycles of the core's port to the L1 or to threadgroup memory */
   uint16_t lines;              /* that had to come from behind the L1 */
   uint16_t moved[VGPU_LEVELS]; /* sectors to or from that level; [0]: those of the L1 */
   uint16_t serial;             /* cycles that the atomics on one word take, one after the other */
   uint8_t level;               /* the deepest one that the access waits for: enum vgpu_memory_level */
   uint8_t flags;               /* VGPU_SERVICE_... */
};
#define VGPU_SERVICE_TLB 1u  /* it waits for a page walk */
#define VGPU_SERVICE_PAIR 2u /* it is a request of two lines side by side */

struct vgpu_hot_word {
   uint64_t address, count;
};

struct vgpu_hierarchy {
   const double *params; /* by enum vgpu_memory_param */
   uint32_t cores, dies;
   struct vgpu_cache *l1; /* by core */
   struct vgpu_cache *l2; /* by die */
   struct vgpu_cache slc, tlb;
   uint64_t turn;  /* counts on from launch to launch */
   uint64_t space; /* address space of the launch */
   /* Atomics of the launch by word, an open hash table. */
   struct vgpu_hot_word *words;
   size_t word_count, word_capacity;
   uint64_t most_atomics; /* on one word */
   bool halved;           /* loads and stores of device memory are of half as many bytes, at half their addresses */
   bool out_of_memory;
};

/* false: out of memory; finish it all the same. */
bool vgpu_hierarchy_init(struct vgpu_hierarchy *hierarchy, const double *params, uint32_t cores, uint32_t dies);
void vgpu_hierarchy_finish(struct vgpu_hierarchy *hierarchy);
/* The same on the heap. NULL: out of memory. */
struct vgpu_hierarchy *vgpu_hierarchy_create(const double *params, uint32_t cores, uint32_t dies);
void vgpu_hierarchy_destroy(struct vgpu_hierarchy *hierarchy); /* NULL is fine */
/* A launch in that address space begins. */
void vgpu_hierarchy_begin(struct vgpu_hierarchy *hierarchy, uint64_t space);
/* The mapping of the addresses [start, end) has changed. */
void vgpu_hierarchy_drop(struct vgpu_hierarchy *hierarchy, uint64_t space, uint64_t start, uint64_t end);
/* All caches are empty from now on. */
void vgpu_hierarchy_empty(struct vgpu_hierarchy *hierarchy);
static inline uint32_t vgpu_die_of(uint32_t core, uint32_t cores, uint32_t dies)
{
   return (uint32_t)((uint64_t)core * dies / cores);
}
/* The access whose spans start at *spans and end before `end` at most; returns the first span of the next one. */
const uint64_t *vgpu_hierarchy_access(struct vgpu_hierarchy *hierarchy, uint32_t core, uint64_t stack_base,
                                      const uint64_t *spans, const uint64_t *end, struct vgpu_service *service);

#endif
