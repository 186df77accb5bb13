/* SPDX-License-Identifier: MIT
 *
 * The caches of a chip: an L1 for each core (vgpu/timing/memory/requests.h), an L2 for each die, one system-level
 * cache, memory behind it, and one TLB. Loads fetch the missing sectors. Stores pass through the L1, which does not
 * allocate for them, and stay in the L2 until they are evicted. Atomics are executed in the L2.
 *
 * A launch starts with empty L1s. The other caches and the TLB keep what earlier launches left. Lines and pages are
 * tagged with the address space, and are dropped when the client changes their mapping. No source says what the
 * hardware keeps between two launches: this is a choice. Accesses of the CPU do not pass through the caches.
 *
 * Time is counted in turns: in each turn every simdgroup makes one access. A sector that one of them fetches in a turn
 * is still in flight for the others in that turn: they wait as long, but it is moved once.
 *
 * The answer of the shared levels to a line depends only on earlier requests for the same sets. So lines whose sets
 * differ in the L2 and in the last cache are served in parallel: they belong to different parts. The TLB is another
 * part.
 */
#ifndef VGPU_HIERARCHY_H
#define VGPU_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/timing/memory/cache.h"
#include "vgpu/timing/memory/memory_params.h"

enum vgpu_memory_level { VGPU_LEVEL_L1, VGPU_LEVEL_L2, VGPU_LEVEL_SLC, VGPU_LEVEL_DRAM, VGPU_LEVELS };

/* What the memory system had to do for an access. The struct has no padding, because services are compared as bytes. */
struct vgpu_service {
   uint16_t passes;             /* cycles of the core's port to the L1 or to threadgroup memory */
   uint16_t lines;              /* lines that had to come from behind the L1 */
   uint16_t moved[VGPU_LEVELS]; /* sectors moved to or from that level; [0]: those of the L1 */
   uint16_t serial;             /* cycles that serialized atomics on one word take */
   uint8_t level;               /* the deepest level that the access waits for: enum vgpu_memory_level */
   uint8_t flags;               /* VGPU_SERVICE_... */
};
#define VGPU_SERVICE_TLB 1u  /* it waits for a page walk */
#define VGPU_SERVICE_PAIR 2u /* it includes a request of two adjacent lines */
/* The access repeats one that the simdgroup made a few accesses before. Set only on demand, and used by what-ifs
 * only. */
#define VGPU_SERVICE_REPEATED 4u

enum vgpu_request_kind { VGPU_REQUEST_LOAD, VGPU_REQUEST_STORE, VGPU_REQUEST_ATOMIC };

/* A request of a core to the shared levels for one line. Small, because one host thread makes it and another one serves
 * it. */
struct vgpu_request {
   uint64_t line; /* line number, tagged with the address space */
   uint32_t turn; /* relative to the first turn of the window */
   uint8_t kind, sectors;
   uint8_t word, lanes; /* atomics: byte offset of the word in the line; number of lanes that access it */
};

struct vgpu_answer {
   uint16_t moved[VGPU_LEVELS - 1]; /* sectors to or from each level behind the L1 */
   uint8_t level;                   /* the level that the sectors come from, enum vgpu_memory_level */
};

struct vgpu_translation {
   uint64_t page; /* page number, tagged with the address space */
   uint64_t turn;
   bool walks; /* answer: the TLB misses */
};

struct vgpu_hot_word {
   uint64_t address, count;
};

/* Number of the launch's atomics by word: an open-addressing hash table. */
struct vgpu_hot_words {
   struct vgpu_hot_word *words;
   size_t count, capacity;
   uint64_t most; /* largest number for one word */
   bool out_of_memory;
};

#define VGPU_PARTS_MOST 16u

struct vgpu_hierarchy {
   const double *params; /* by enum vgpu_memory_param */
   uint32_t cores, dies;
   struct vgpu_cache *l1; /* one for each core */
   struct vgpu_cache *l2; /* one for each die */
   struct vgpu_cache slc, tlb;
   uint64_t turn;                /* continues from launch to launch */
   uint64_t space;               /* address space of the launch */
   struct vgpu_translation last; /* by vgpu_hierarchy_walks() */
   bool halved; /* loads and stores of device memory have half their bytes, at half their addresses (a what-if) */
   struct vgpu_hot_words atomics[VGPU_PARTS_MOST];
};

/* Returns false when out of memory; vgpu_hierarchy_finish() must follow in any case. */
bool vgpu_hierarchy_init(struct vgpu_hierarchy *hierarchy, const double *params, uint32_t cores, uint32_t dies);
void vgpu_hierarchy_finish(struct vgpu_hierarchy *hierarchy);
/* Allocates and initializes a hierarchy. Returns NULL when out of memory. */
struct vgpu_hierarchy *vgpu_hierarchy_create(const double *params, uint32_t cores, uint32_t dies);
void vgpu_hierarchy_destroy(struct vgpu_hierarchy *hierarchy); /* NULL is fine */
/* Call it when a launch in that address space begins. */
void vgpu_hierarchy_begin(struct vgpu_hierarchy *hierarchy, uint64_t space);
/* Call it when the mapping of the addresses [start, end) has changed. */
void vgpu_hierarchy_drop(struct vgpu_hierarchy *hierarchy, uint64_t space, uint64_t start, uint64_t end);
/* Empties all caches. */
void vgpu_hierarchy_empty(struct vgpu_hierarchy *hierarchy);
/* a launch's addresses, its stack memory included, have 45 bits, so line numbers have 38 */
#define VGPU_SPACE_SHIFT 38
#define VGPU_PAGE_LINES_SHIFT 7 /* lines of a page of 16 KiB */

static inline uint32_t vgpu_die_of(uint32_t core, uint32_t cores, uint32_t dies)
{
   return dies == 1 ? 0 : (uint32_t)((uint64_t)core * dies / cores);
}
static inline uint64_t vgpu_hierarchy_line(const struct vgpu_hierarchy *hierarchy, uint64_t line)
{
   return hierarchy->space << VGPU_SPACE_SHIFT | line;
}

/* Returns how many of a line's sectors are set. */
static inline unsigned vgpu_sector_count(unsigned sectors)
{
   static const uint8_t count[1 << VGPU_LINE / VGPU_SECTOR] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
   return count[sectors];
}

/* Returns the largest number of parts, at most `most`, that share no set. It is a power of two. */
unsigned vgpu_hierarchy_parts(const struct vgpu_hierarchy *hierarchy, unsigned most);
static inline unsigned vgpu_hierarchy_part(uint64_t line, unsigned parts)
{
   return (unsigned)line & (parts - 1);
}
/* Loads the line's sectors for a core in that turn. Adds what is moved to or from each level behind the L1 to moved[].
 * Returns the level that they come from. */
unsigned vgpu_hierarchy_load(struct vgpu_hierarchy *hierarchy, uint32_t core, uint64_t turn, uint64_t line,
                             unsigned sectors, uint16_t moved[VGPU_LEVELS - 1]);
/* Answers a core's request in that turn. `part` is the part of its line. */
void vgpu_hierarchy_serve(struct vgpu_hierarchy *hierarchy, unsigned part, uint32_t core, uint64_t turn,
                          const struct vgpu_request *request, struct vgpu_answer *answer);
void vgpu_hierarchy_translate(struct vgpu_hierarchy *hierarchy, struct vgpu_translation *translation);
/* Whether a line of the page needs a page walk in that turn. Consecutive requests for one page share a translation. */
static inline bool vgpu_hierarchy_walks(struct vgpu_hierarchy *hierarchy, uint64_t page, uint64_t turn)
{
   struct vgpu_translation *last = &hierarchy->last;
   if (last->page != page || last->turn != turn) {
      *last = (struct vgpu_translation){.page = page, .turn = turn};
      vgpu_hierarchy_translate(hierarchy, last);
   }
   return last->walks;
}
/* Returns the number of atomics on the word with the most of them. */
uint64_t vgpu_hierarchy_most_atomics(const struct vgpu_hierarchy *hierarchy);
bool vgpu_hierarchy_out_of_memory(const struct vgpu_hierarchy *hierarchy);

#endif
