/* SPDX-License-Identifier: MIT
 *
 * Collects the facts of facts.h from the blocks of a launch's paths. Invariant: each instruction has one row.
 */
#include "vgpu/timing/path/facts.h"

#include <stdlib.h>

#include "isa/formats.h"
#include "isa/isa.h"
#include "vgpu/block.h"
#include "vgpu/timing/memory/intern.h"
#include "vgpu/timing/path/path.h"
#include "util/array.h"

static int by_insn(const void *a, const void *b)
{
   const struct vgpu_fact *x = a, *y = b;
   return ((uintptr_t)x->insn > (uintptr_t)y->insn) - ((uintptr_t)x->insn < (uintptr_t)y->insn);
}

static uint32_t part_at(const struct vgpu_profile_plan *plan, uint64_t address)
{
   for (size_t i = 0; plan && i < plan->range_count; i++) {
      if (address >= plan->ranges[i].start && address < plan->ranges[i].end) {
         return plan->ranges[i].part;
      }
   }
   return VGPU_PROFILE_NO_PART;
}

static bool is_stack(const struct isa_insn *insn)
{
   return insn->op == ISA_OP_STACK_LOAD || insn->op == ISA_OP_STACK_STORE;
}

/* Whether the instruction accesses a private array. The register allocator addresses spilled registers by numbers below
 * the arrays. */
static bool is_array(const struct isa_insn *insn, const struct vgpu_profile_plan *plan)
{
   if (!is_stack(insn)) {
      return false;
   }
   for (unsigned i = 0; i < ISA_MAX_SOURCES; i++) {
      if (insn->src[i].kind == ISA_IMM) {
         return plan && insn->src[i].value >= 0 && (uint64_t)insn->src[i].value < plan->array_bytes;
      }
   }
   return true; /* the index is a register, which the program computed */
}

static uint32_t bytes_of(const struct isa_insn *insn)
{
   if (insn->op != ISA_OP_LOAD && insn->op != ISA_OP_STORE) {
      return 0;
   }
   const struct isa_format_info *format = &isa_formats[insn->mod[ISA_MOD_FORMAT] & 15];
   const unsigned elements =
       format->components ? 1 : (unsigned)__builtin_popcount((unsigned)insn->mod[ISA_MOD_MASK] & 15);
   return format->size * elements;
}

static bool add(struct vgpu_facts *facts, size_t *capacity, const struct vgpu_fact *fact)
{
   if (!ARRAY_RESERVE(facts->items, *capacity, facts->count + 1)) {
      return false;
   }
   facts->items[facts->count++] = *fact;
   return true;
}

/* Adds the instructions of a block, and takes its count of lanes. Call it once for each block. */
static bool add_block(struct vgpu_facts *facts, size_t *capacity, const struct vgpu_block *block,
                      const struct vgpu_profile_plan *plan, uint64_t base)
{
   struct vgpu_block_lanes *counted = block->lanes;
   uint64_t address = block->address - base;
   if (!counted || counted->simds == 0) {
      return true;
   }
   const double lanes = (double)counted->lanes / (double)counted->simds;
   *counted = (struct vgpu_block_lanes){0};
   for (uint32_t i = 0; i < block->length; i++) {
      const struct isa_insn *insn = &block->insns[i];
      const struct vgpu_fact fact = {.insn = insn,
                                     .address = address,
                                     .lanes = lanes,
                                     .part = part_at(plan, address),
                                     .is_array = is_array(insn, plan),
                                     .is_load = insn->op == ISA_OP_LOAD,
                                     .bytes = bytes_of(insn)};
      if (!add(facts, capacity, &fact)) {
         return false;
      }
      address += insn->length;
   }
   return true;
}

bool vgpu_facts_find(struct vgpu_facts *facts, const struct vgpu_blob *paths, uint32_t path_count,
                     const struct vgpu_profile_plan *plan, uint64_t base)
{
   size_t capacity = 0;
   bool done = true;
   *facts = (struct vgpu_facts){0};
   for (uint32_t i = 0; i < path_count && done; i++) {
      const struct vgpu_step *step = paths[i].data, *end = step + paths[i].size / sizeof(*step);
      for (; step < end && done; step++) {
         for (const struct vgpu_block *block = step->first; block && done; block = block->next) {
            done = add_block(facts, &capacity, block, plan, base);
            if (block == step->last) {
               break;
            }
         }
      }
   }
   if (facts->count > 0) {
      qsort(facts->items, facts->count, sizeof(*facts->items), by_insn);
   }
   return done;
}

void vgpu_facts_finish(struct vgpu_facts *facts)
{
   free(facts->items);
   *facts = (struct vgpu_facts){0};
}

struct vgpu_fact *vgpu_facts_of(const struct vgpu_facts *facts, const struct isa_insn *insn)
{
   const struct vgpu_fact key = {.insn = insn};
   return facts && facts->count > 0 ? bsearch(&key, facts->items, facts->count, sizeof(*facts->items), by_insn) : NULL;
}
