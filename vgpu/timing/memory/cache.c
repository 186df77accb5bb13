/* SPDX-License-Identifier: MIT
 *
 * The sets of a cache. Invariant: a set holds a line at most once, its lines are in the order of their last use, with
 * the empty entries behind them, and the words of a set that has been used name each of its entries once.
 */
#include "vgpu/timing/memory/cache.h"

#include <stdlib.h>
#include <string.h>

bool vgpu_cache_init(struct vgpu_cache *cache, uint64_t lines, uint32_t ways)
{
   ways = ways < VGPU_CACHE_WAYS ? ways : VGPU_CACHE_WAYS;
   ways = lines < ways ? (uint32_t)(lines ? lines : 1) : ways;
   cache->ways = ways;
   cache->sets = (uint32_t)(lines / ways ? lines / ways : 1);
   cache->mask = cache->sets & (cache->sets - 1) ? 0 : cache->sets - 1;
   cache->order = calloc((size_t)cache->sets * ways, sizeof(*cache->order));
   cache->entries = calloc((size_t)cache->sets * ways, sizeof(*cache->entries));
   return cache->order && cache->entries;
}

void vgpu_cache_finish(struct vgpu_cache *cache)
{
   free(cache->order);
   free(cache->entries);
   cache->order = NULL;
   cache->entries = NULL;
}

uint32_t vgpu_cache_replace(const struct vgpu_cache *cache, size_t set, uint64_t word, struct vgpu_cache_victim *victim)
{
   uint64_t *const order = &cache->order[set];
   const uint32_t last = cache->ways - 1;
   if (last > 0 && word == 0 && order[last] == 0) { /* no line has used the set */
      for (uint32_t way = 0; way < last; way++) {
         order[way + 1] = way;
      }
      word = last;
   }
   struct vgpu_cache_entry *entry = &cache->entries[set + word % VGPU_CACHE_WAYS];
   *victim = (struct vgpu_cache_victim){.line = (word >> VGPU_CACHE_WAY_BITS) - 1, .dirty = entry->dirty};
   *entry = (struct vgpu_cache_entry){0};
   return word % VGPU_CACHE_WAYS;
}

/* Moves the remaining lines up, so that empty entries are replaced first. */
static void drop_in_set(struct vgpu_cache *cache, uint64_t set, uint64_t first, uint64_t end)
{
   uint64_t *const order = &cache->order[set * cache->ways], empty[VGPU_CACHE_WAYS];
   uint32_t kept = 0, gone = 0;
   for (uint32_t way = 0; way < cache->ways; way++) {
      const uint64_t word = order[way], tag = word >> VGPU_CACHE_WAY_BITS; /* a line + 1 */
      if (tag == 0 || (tag > first && tag <= end)) {
         empty[gone++] = word % VGPU_CACHE_WAYS;
         cache->entries[set * cache->ways + word % VGPU_CACHE_WAYS] = (struct vgpu_cache_entry){0};
      } else {
         order[kept++] = word;
      }
   }
   memcpy(order + kept, empty, gone * sizeof(*order));
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
   memset(cache->order, 0, (size_t)cache->sets * cache->ways * sizeof(*cache->order));
   memset(cache->entries, 0, (size_t)cache->sets * cache->ways * sizeof(*cache->entries));
}
