/* SPDX-License-Identifier: MIT
 *
 * The sets of a cache. Invariant: a set holds a line at most once, and its entries are in the order of their last use.
 */
#include "vgpu/timing/memory/cache.h"

#include <stdlib.h>
#include <string.h>

bool vgpu_cache_init(struct vgpu_cache *cache, uint64_t lines, uint32_t ways)
{
   ways = lines < ways ? (uint32_t)(lines ? lines : 1) : ways;
   cache->ways = ways;
   cache->sets = (uint32_t)(lines / ways ? lines / ways : 1);
   cache->mask = cache->sets & (cache->sets - 1) ? 0 : cache->sets - 1;
   cache->entries = calloc((size_t)cache->sets * ways, sizeof(*cache->entries));
   return cache->entries != NULL;
}

void vgpu_cache_finish(struct vgpu_cache *cache)
{
   free(cache->entries);
   cache->entries = NULL;
}

struct vgpu_cache_entry *vgpu_cache_to_front(struct vgpu_cache_entry *set, uint32_t way)
{
   struct vgpu_cache_entry entry = set[way];
   memmove(set + 1, set, way * sizeof(*set));
   set[0] = entry;
   return set;
}

/* Moves the remaining entries up, so that empty ones are replaced first. */
static void drop_in_set(struct vgpu_cache *cache, uint64_t number, uint64_t first, uint64_t end)
{
   struct vgpu_cache_entry *set = &cache->entries[(size_t)number * cache->ways];
   uint32_t kept = 0;
   for (uint32_t way = 0; way < cache->ways; way++) {
      bool gone = set[way].tag > first && set[way].tag <= end; /* a tag is a line + 1 */
      if (set[way].tag && !gone) {
         set[kept++] = set[way];
      }
   }
   memset(set + kept, 0, (cache->ways - kept) * sizeof(*set));
}

void vgpu_cache_drop(struct vgpu_cache *cache, uint64_t first, uint64_t end)
{
   const uint64_t sets = end - first < cache->sets ? end - first : cache->sets;
   for (uint64_t i = 0; i < sets; i++) {
      drop_in_set(cache, (first + i) % cache->sets, first, end);
   }
}

void vgpu_cache_empty(struct vgpu_cache *cache)
{
   memset(cache->entries, 0, (size_t)cache->sets * cache->ways * sizeof(*cache->entries));
}

struct vgpu_cache_entry *vgpu_cache_insert(struct vgpu_cache *cache, uint64_t line, struct vgpu_cache_entry *victim)
{
   struct vgpu_cache_entry *entry = vgpu_cache_to_front(vgpu_cache_set(cache, line), cache->ways - 1);
   *victim = *entry;
   *entry = (struct vgpu_cache_entry){.tag = line + 1};
   return entry;
}
