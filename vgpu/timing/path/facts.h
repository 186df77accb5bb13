/* SPDX-License-Identifier: MIT
 *
 * Facts about each instruction that a launch executed, besides its cost: how many lanes were active, which part of the
 * program it belongs to, and what its accesses moved. A launch with a profile has such a table.
 */
#ifndef VGPU_FACTS_H
#define VGPU_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/profile.h"
#include "vgpu/timing/memory/hierarchy.h"

struct isa_insn;   /* isa/isa.h */
struct vgpu_blob;  /* vgpu/timing/memory/intern.h */
struct vgpu_block; /* vgpu/block.h */

struct vgpu_fact {
   const struct isa_insn *insn;
   uint64_t address; /* bytes from the program's start */
   double lanes;     /* active lanes, averaged over the whole launch */
   uint32_t part;    /* part of the plan; VGPU_PROFILE_NO_PART: none */
   bool is_array;    /* a load or store of the stack that accesses a private array */
   bool is_load;     /* it loads device memory */
   uint32_t bytes;   /* bytes that each lane moves; 0: it is no load or store of device memory */
   /* Of the recorded core: executions; sectors that its accesses moved at each level, and the least that their lanes
    * needed. */
   uint64_t executions, moved[VGPU_LEVELS];
   double needed;
   /* accesses that the simdgroup had made shortly before; accesses of one sector for all lanes */
   uint64_t repeated, uniform;
};

/* Sorted by insn. */
struct vgpu_facts {
   struct vgpu_fact *items;
   size_t count;
};

/* paths: arrays of struct vgpu_step. base: the program's address. Takes the lanes that the blocks have counted and
 * resets them to zero. Returns false when out of memory; vgpu_facts_finish() must follow in any case. */
bool vgpu_facts_find(struct vgpu_facts *facts, const struct vgpu_blob *paths, uint32_t path_count,
                     const struct vgpu_profile_plan *plan, uint64_t base);
void vgpu_facts_finish(struct vgpu_facts *facts);
/* Whether the access is a load of one address for all lanes. */
static inline bool vgpu_is_uniform(const struct vgpu_fact *fact, const struct vgpu_service *service)
{
   return fact->is_load && service->moved[VGPU_LEVEL_L1] == 1 && fact->lanes * fact->bytes > 2 * VGPU_SECTOR;
}
/* Returns NULL if the launch did not execute the instruction. */
struct vgpu_fact *vgpu_facts_of(const struct vgpu_facts *facts, const struct isa_insn *insn);

#endif
