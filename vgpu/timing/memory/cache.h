/* SPDX-License-Identifier: MIT
 *
 * A set-associative cache of tags with least-recently-used replacement. Each sector of a line is valid and dirty on its
 * own. It holds no data. A TLB is one too, with a page for a line.
 */
#ifndef VGPU_CACHE_H
#define VGPU_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_cache_entry {
   uint64_t tag;         /* line number + 1; 0: empty */
   uint64_t turn;        /* when its newest sectors came: they are still in flight in that turn */
   uint8_t valid, dirty; /* sectors, bits */
   uint8_t arriving;     /* sectors that came in `turn` */
   uint8_t level;        /* and from where: enum vgpu_memory_level */
   uint32_t request;     /* an L1: 1 + number of the last request that fetched them */
};

struct vgpu_cache {
   uint32_t sets, ways;
   uint32_t mask;                    /* sets - 1 if that is a power of two less one; else 0 */
   struct vgpu_cache_entry *entries; /* of a set: the most recently used first */
};

/* lines: rounded down to a multiple of the ways. false: out of memory. */
bool vgpu_cache_init(struct vgpu_cache *cache, uint64_t lines, uint32_t ways);
void vgpu_cache_finish(struct vgpu_cache *cache);
/* The entry of that line, which becomes the most recently used one; NULL: it is not there. */
struct vgpu_cache_entry *vgpu_cache_find(struct vgpu_cache *cache, uint64_t line);
/* Removes the lines of [first, end), without a write-back. */
void vgpu_cache_drop(struct vgpu_cache *cache, uint64_t first, uint64_t end);
/* Removes all lines, without a write-back. */
void vgpu_cache_empty(struct vgpu_cache *cache);
/* Puts in a line that is not there. *victim: the entry that had to go; its tag may be 0. */
struct vgpu_cache_entry *vgpu_cache_insert(struct vgpu_cache *cache, uint64_t line, struct vgpu_cache_entry *victim);

#endif
