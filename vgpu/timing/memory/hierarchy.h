/* SPDX-License-Identifier: MIT
 *
 * The caches of a chip: an L1 for each core (vgpu/timing/memory/requests.h), an L2 for each die, one system-level
 * cache, memory behind it, one TLB. Loads fetch the sectors that are missing. Stores go through the L1, which does not
 * allocate for them, and stay in the L2 until they are evicted. Atomics happen in the L2.
 *
 * A launch starts with empty L1s. The other caches and the TLB keep what the launches before it left. Lines and pages
 * are tagged with the address space, and are dropped when the client changes their mapping. No source says what the
 * hardware keeps between two launches: this is a choice. Accesses of the CPU do not pass through the caches.
 *
 * Time is counted in turns: in a turn every simdgroup makes one access. A sector that one of them fetches in a turn is
 * still in flight for the others in that turn: they wait as long, but it is moved once.
 *
 * What the shared levels answer to a line depends on the lines before it in the same sets alone. So lines whose sets
 * differ in the L2 and in the last cache are served side by side: those of different parts. The TLB is another part.
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
/* It loads or stores what the simdgroup did a few accesses before; only where that is asked for, and for nothing but
 * what-ifs. */
#define VGPU_SERVICE_REPEATED 4u

enum vgpu_request_kind {
   VGPU_REQUEST_LOAD,
   VGPU_REQUEST_LOAD_BEHIND, /* a load that waits for sectors which the request before it fetches, too */
   VGPU_REQUEST_STORE,
   VGPU_REQUEST_ATOMIC,
   VGPU_REQUEST_FLYING, /* its sectors are on the way: it asks for nothing, but waits for a request before it */
};

/* What a core asks of the shared levels for one line. */
struct vgpu_request {
   uint64_t line;   /* with its address space */
   uint32_t turn;   /* counted from the first one of the window */
   uint32_t next;   /* 1 + number of the core's next request of the same part; 0: none */
   uint32_t before; /* 1 + number of the last request in this turn that filled the same line of the L1; 0: none */
   uint32_t page;   /* number of its struct vgpu_translation */
   uint8_t kind, sectors;
   uint8_t word, lanes;            /* atomics: byte of the word in the line; how many lanes work on it */
   uint8_t level;                  /* answer: where the sectors come from, enum vgpu_memory_level */
   uint8_t moved[VGPU_LEVELS - 1]; /* answer: sectors to or from each level behind the L1 */
};

struct vgpu_translation {
   uint64_t page; /* with its address space */
   uint64_t turn;
   bool walks; /* answer */
};

struct vgpu_hot_word {
   uint64_t address, count;
};

/* Atomics of the launch by word, an open hash table. */
struct vgpu_hot_words {
   struct vgpu_hot_word *words;
   size_t count, capacity;
   uint64_t most; /* on one word */
   bool out_of_memory;
};

#define VGPU_PARTS_MOST 16u

struct vgpu_hierarchy {
   const double *params; /* by enum vgpu_memory_param */
   uint32_t cores, dies;
   struct vgpu_cache *l1; /* by core */
   struct vgpu_cache *l2; /* by die */
   struct vgpu_cache slc, tlb;
   uint64_t turn;  /* counts on from launch to launch */
   uint64_t space; /* address space of the launch */
   bool halved;    /* loads and stores of device memory are of half as many bytes, at half their addresses */
   struct vgpu_hot_words atomics[VGPU_PARTS_MOST];
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
#define VGPU_SPACE_SHIFT 38     /* addresses of a launch, its stack memory included, have 45 bits: line numbers 38 */
#define VGPU_PAGE_LINES_SHIFT 7 /* lines of a page of 16 KiB */

static inline uint32_t vgpu_die_of(uint32_t core, uint32_t cores, uint32_t dies)
{
   return (uint32_t)((uint64_t)core * dies / cores);
}
static inline uint64_t vgpu_hierarchy_line(const struct vgpu_hierarchy *hierarchy, uint64_t line)
{
   return hierarchy->space << VGPU_SPACE_SHIFT | line;
}

/* How many of a line's sectors. */
static inline unsigned vgpu_sector_count(unsigned sectors)
{
   static const uint8_t count[1 << VGPU_LINE / VGPU_SECTOR] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
   return count[sectors];
}

/* The most parts, at most `most`, that share no set: a power of two. */
unsigned vgpu_hierarchy_parts(const struct vgpu_hierarchy *hierarchy, unsigned most);
static inline unsigned vgpu_hierarchy_part(uint64_t line, unsigned parts)
{
   return (unsigned)line & (parts - 1);
}
/* Answers a core's request in that turn, other than VGPU_REQUEST_FLYING. `part` is its line's. */
void vgpu_hierarchy_serve(struct vgpu_hierarchy *hierarchy, unsigned part, uint32_t core, uint64_t turn,
                          struct vgpu_request *request);
void vgpu_hierarchy_translate(struct vgpu_hierarchy *hierarchy, struct vgpu_translation *translation);
/* Atomics on the word with the most. */
uint64_t vgpu_hierarchy_most_atomics(const struct vgpu_hierarchy *hierarchy);
bool vgpu_hierarchy_out_of_memory(const struct vgpu_hierarchy *hierarchy);

#endif
