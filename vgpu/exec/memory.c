/* SPDX-License-Identifier: MIT
 *
 * Device memory of a host thread: the page walk behind its translation cache, and accesses to unmapped memory.
 */
#include "vgpu/exec/memory.h"

#include <inttypes.h>
#include <string.h>

#include "vgpu/exec/fault.h"

void vgpu_memory_init(struct vgpu_memory *memory, const struct vgpu_launch *launch)
{
   memset(memory, 0, sizeof(*memory));
   memory->vm = launch->vm;
   memory->soft = launch->soft_faults;
   memory->watched = launch->timing;
}

void vgpu_memory_finish(struct vgpu_memory *memory)
{
   vgpu_touched_finish(&memory->touched);
}

uint8_t *vgpu_memory_walk(struct vgpu_memory *memory, uint64_t va, unsigned access)
{
   uint64_t page = va >> VGPU_PAGE_SHIFT;
   size_t run;
   uint8_t *host = vgpu_vm_translate(memory->vm, page << VGPU_PAGE_SHIFT, access, &run);
   if (!host) {
      return NULL;
   }
   memory->tlb[access][page % VGPU_TLB_ENTRIES] = (struct vgpu_tlb_entry){.tag = page + 1, .host = host};
   return host + va % VGPU_PAGE;
}

void vgpu_memory_miss(struct vgpu_simd *simd, const struct vgpu_op *op, uint64_t va, bool store)
{
   struct vgpu_worker *worker = simd->worker;
   struct vgpu_memory *memory = &worker->memory;
   if (!memory->soft) {
      vgpu_raise_at(worker, op, VGPU_FAULT_MEMORY, "%s unmapped address 0x%" PRIx64, store ? "store to" : "load from",
                    va);
      return;
   }
   /* The first threadgroup's counts as the first, in whatever order host threads get to them. */
   if (memory->fault_loads + memory->fault_stores == 0 || simd->group->number < memory->fault_group) {
      memory->fault_address = va;
      memory->fault_group = simd->group->number;
      memory->fault_op = op;
   }
   if (store) {
      memory->fault_stores++;
   } else {
      memory->fault_loads++;
   }
}
