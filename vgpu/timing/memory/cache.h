/* SPDX-License-Identifier: MIT
 *
 * A set-associative cache of tags with least-recently-used replacement. Each sector of a line has its own valid and
 * dirty bits. It holds no data. A TLB is such a cache whose lines are pages.
 */
#ifndef VGPU_CACHE_H
#define VGPU_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_cache_entry {
   uint64_t tag; /* line number + 1; 0: empty */
   /* the turn (hierarchy.h) in which its newest sectors arrived; they are in flight during that turn */
   uint64_t turn;
   uint8_t valid, dirty; /* sectors, bits */
   uint8_t arriving;     /* sectors that arrived in `turn` */
   uint8_t level;        /* the level that they came from: enum vgpu_memory_level */
   uint32_t request;     /* of an L1: 1 + the number of the last request that fetched these sectors */
};

struct vgpu_cache {
   uint32_t sets, ways;
   uint32_t mask;                    /* number of sets - 1 if that number is a power of two; else 0 */
   struct vgpu_cache_entry *entries; /* the entries of each set, the most recently used first */
};

/* lines is rounded down to a multiple of the ways. Returns false when out of memory. */
bool vgpu_cache_init(struct vgpu_cache *cache, uint64_t lines, uint32_t ways);
void vgpu_cache_finish(struct vgpu_cache *cache);
static inline struct vgpu_cache_entry *vgpu_cache_set(const struct vgpu_cache *cache, uint64_t line)
{
   const uint64_t set = cache->mask ? line & cache->mask : line % cache->sets;
   return &cache->entries[set * cache->ways];
}
/* Makes the entry of that way the most recently used one of its set, and returns where it is then. */
struct vgpu_cache_entry *vgpu_cache_to_front(struct vgpu_cache_entry *set, uint32_t way);
/* Returns the entry of that line and makes it the most recently used one; NULL: the line is not cached. */
static inline struct vgpu_cache_entry *vgpu_cache_find(const struct vgpu_cache *cache, uint64_t line)
{
   struct vgpu_cache_entry *set = vgpu_cache_set(cache, line);
   for (uint32_t way = 0; way < cache->ways; way++) {
      if (set[way].tag == line + 1) {
         return way ? vgpu_cache_to_front(set, way) : set;
      }
   }
   return NULL;
}
/* Invalidates the lines of [first, end), without a write-back. */
void vgpu_cache_drop(struct vgpu_cache *cache, uint64_t first, uint64_t end);
/* Invalidates all lines, without a write-back. */
void vgpu_cache_empty(struct vgpu_cache *cache);
/* Inserts a line that is not in the cache. *victim: the entry that it replaces; its tag may be 0. */
struct vgpu_cache_entry *vgpu_cache_insert(struct vgpu_cache *cache, uint64_t line, struct vgpu_cache_entry *victim);

#endif
