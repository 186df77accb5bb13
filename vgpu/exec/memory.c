/* SPDX-License-Identifier: MIT
 *
 * Device memory of a host thread: the page walk behind its translation cache. An access without a translation is not
 * cached.
 */
#include "vgpu/exec/memory.h"

#include <string.h>

void vgpu_memory_init(struct vgpu_memory *memory, const struct vgpu_launch *launch)
{
   memory->pages = launch->pages;
   memory->soft = launch->soft_faults;
   memory->walk = vgpu_memory_walk;
}

void vgpu_memory_end_sums(struct vgpu_memory *memory)
{
   for (size_t slot = 0; memory->sums.on && slot < VGPU_SUMS; slot++) {
      if (memory->sums.slots[slot].word) {
         __atomic_fetch_add(memory->sums.slots[slot].word, memory->sums.slots[slot].sum, __ATOMIC_RELAXED);
         memory->sums.slots[slot].word = NULL;
      }
   }
   memory->sums.on = false;
}

uint8_t *vgpu_memory_walk(struct vgpu_memory *memory, uint64_t va, unsigned access)
{
   uint64_t page = va >> VGPU_PAGE_SHIFT;
   size_t run;
   uint8_t *host = vgpu_pages_translate(memory->pages, page << VGPU_PAGE_SHIFT, access, &run);
   if (!host) {
      return NULL;
   }
   memory->tlb[access][vgpu_tlb_slot(page)] = (struct vgpu_tlb_entry){.tag = page + 1, .host = host};
   return host + va % VGPU_PAGE;
}
