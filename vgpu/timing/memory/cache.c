/* SPDX-License-Identifier: MIT
 *
 * The sets of a cache. Invariant: a line is in its set once at most, and a set's entries are in the order of their last
 * use.
 */
#include "vgpu/timing/memory/cache.h"

#include <stdlib.h>
#include <string.h>

bool vgpu_cache_init(struct vgpu_cache *cache, uint64_t lines, uint32_t ways)
{
   ways = lines < ways ? (uint32_t)(lines ? lines : 1) : ways;
   cache->ways = ways;
   cache->sets = (uint32_t)(lines / ways ? lines / ways : 1);
   cache->entries = calloc((size_t)cache->sets * ways, sizeof(*cache->entries));
   return cache->entries != NULL;
}

void vgpu_cache_finish(struct vgpu_cache *cache)
{
   free(cache->entries);
   cache->entries = NULL;
}

static struct vgpu_cache_entry *to_front(struct vgpu_cache_entry *set, uint32_t way)
{
   struct vgpu_cache_entry entry = set[way];
   memmove(set + 1, set, way * sizeof(*set));
   set[0] = entry;
   return set;
}

struct vgpu_cache_entry *vgpu_cache_find(struct vgpu_cache *cache, uint64_t line)
{
   struct vgpu_cache_entry *set = &cache->entries[(size_t)(line % cache->sets) * cache->ways];
   for (uint32_t way = 0; way < cache->ways; way++) {
      if (set[way].tag == line + 1) {
         return way ? to_front(set, way) : set;
      }
   }
   return NULL;
}

struct vgpu_cache_entry *vgpu_cache_insert(struct vgpu_cache *cache, uint64_t line, struct vgpu_cache_entry *victim)
{
   struct vgpu_cache_entry *set = &cache->entries[(size_t)(line % cache->sets) * cache->ways];
   struct vgpu_cache_entry *entry = to_front(set, cache->ways - 1);
   *victim = *entry;
   *entry = (struct vgpu_cache_entry){.tag = line + 1};
   return entry;
}
