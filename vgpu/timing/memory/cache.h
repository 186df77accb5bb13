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
   /* the turn (hierarchy.h) in which its newest sectors arrived; they are in flight during that turn */
   uint64_t turn;
   uint8_t valid, dirty; /* sectors, bits */
   uint8_t arriving;     /* sectors that arrived in `turn` */
   uint8_t level;        /* the level that they came from: enum vgpu_memory_level */
   uint32_t request;     /* of an L1: 1 + the number of the last request that fetched these sectors */
};

/* The line that another one has replaced. */
struct vgpu_cache_victim {
   uint64_t line;
   uint8_t dirty; /* sectors, bits; 0: nothing is to be written back */
};

#define VGPU_CACHE_WAY_BITS 6u
#define VGPU_CACHE_WAYS (1u << VGPU_CACHE_WAY_BITS) /* most ways */

struct vgpu_cache {
   uint32_t sets, ways;
   uint32_t mask; /* number of sets - 1 if that number is a power of two; else 0 */
   /* The lines of each set, the most recently used first. A word has the number of the line's entry in its set in the
    * lowest VGPU_CACHE_WAY_BITS bits, and the line number + 1 above; 0 there: the entry is empty. In a set that no line
    * has used, all words are 0. */
   uint64_t *order;
   struct vgpu_cache_entry *entries; /* of each set; they do not move */
};

/* lines is rounded down to a multiple of the ways, of which there are at most VGPU_CACHE_WAYS. Returns false when out
 * of memory. */
bool vgpu_cache_init(struct vgpu_cache *cache, uint64_t lines, uint32_t ways);
void vgpu_cache_finish(struct vgpu_cache *cache);
/* Invalidates the lines of [first, end), without a write-back. */
void vgpu_cache_drop(struct vgpu_cache *cache, uint64_t first, uint64_t end);
/* Invalidates all lines, without a write-back. */
void vgpu_cache_empty(struct vgpu_cache *cache);

/* Gives the entry of the set's least recently used line to another line. `word` was the last one of the set, whose
 * other words have moved one place back. Returns the entry's number. */
uint32_t vgpu_cache_replace(const struct vgpu_cache *cache, size_t set, uint64_t word,
                            struct vgpu_cache_victim *victim);

/* Returns the entry of that line, which becomes the most recently used one. A line that is not in the cache replaces
 * the least recently used one of its set, and its entry is zeroed: the caller sets `valid`. victim->dirty is 0
 * otherwise. */
static inline struct vgpu_cache_entry *vgpu_cache_use(const struct vgpu_cache *cache, uint64_t line,
                                                      struct vgpu_cache_victim *victim)
{
   const size_t set = (size_t)(cache->mask ? line & cache->mask : line % cache->sets) * cache->ways;
   struct vgpu_cache_entry *const entries = &cache->entries[set];
   uint64_t *const order = &cache->order[set], *at = order, word = *at;
   const uint64_t *const last = order + cache->ways - 1;
   const uint64_t tag = (line + 1) << VGPU_CACHE_WAY_BITS;
   victim->dirty = 0;
   /* Each line that is passed moves one place back. */
   while ((word ^ tag) >= VGPU_CACHE_WAYS) {
      if (at == last) {
         const uint32_t way = vgpu_cache_replace(cache, set, word, victim);
         *order = tag | way;
         return &entries[way];
      }
      const uint64_t next = *++at;
      *at = word;
      word = next;
   }
   *order = word;
   return &entries[word % VGPU_CACHE_WAYS];
}

#endif
