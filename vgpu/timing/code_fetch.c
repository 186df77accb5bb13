/* SPDX-License-Identifier: MIT
 *
 * See code_fetch.h. Invariant: a line that one simdgroup has fetched is not fetched again for another one until it is
 * evicted.
 */
#include "vgpu/timing/code_fetch.h"

bool vgpu_code_fetch_init(struct vgpu_code_fetch *fetch, const struct vgpu_params *params, uint64_t code_bytes)
{
   const double *memory = params->memory;
   *fetch = (struct vgpu_code_fetch){
       .on = code_bytes > (uint64_t)memory[VGPU_MEMORY_CODE_BYTES],
       .latency = (uint64_t)(memory[VGPU_MEMORY_CODE_LATENCY] * VGPU_TICKS),
       .line = (uint64_t)(VGPU_LINE * VGPU_TICKS / memory[VGPU_MEMORY_CODE_BANDWIDTH]),
   };
   return !fetch->on || vgpu_cache_init(&fetch->cache, (uint64_t)memory[VGPU_MEMORY_CODE_BYTES] / VGPU_LINE,
                                        (uint32_t)memory[VGPU_MEMORY_CODE_WAYS]);
}

void vgpu_code_fetch_finish(struct vgpu_code_fetch *fetch)
{
   vgpu_cache_finish(&fetch->cache);
}

static uint64_t ask(struct vgpu_code_fetch *fetch, uint64_t line, uint64_t now)
{
   struct vgpu_cache_victim victim;
   struct vgpu_cache_entry *entry = vgpu_cache_use(&fetch->cache, line, &victim);
   if (!entry->valid) {
      const uint64_t asked = fetch->free > now ? fetch->free : now;
      entry->valid = 1;
      entry->turn = asked + fetch->latency;
      fetch->free = asked + fetch->line;
   }
   return entry->turn;
}

uint64_t vgpu_code_fetch_line(struct vgpu_code_fetch *fetch, uint64_t line, uint64_t now)
{
   const uint64_t there = ask(fetch, line, now);
   (void)ask(fetch, line + 1, now);
   return there;
}
