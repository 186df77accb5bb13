/* SPDX-License-Identifier: MIT
 *
 * An instruction may access several registers one behind the other: words of an address, components of a vector. So
 * registers are renamed by groups: the finest in which each instruction's are in one group. Within a group they keep
 * their order.
 */
#include "vgpu/jit/rename.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/jit/facts/memory.h"

#define VECTORS VGPU_JIT_VECTORS

/* Some of an op's registers one behind the other, as lane vectors [first, end). */
struct range {
   uint32_t first, end;
};

static struct range range_of(uint32_t vector, uint8_t size)
{
   const uint32_t first = vector / VGPU_LANES;
   return (struct range){first, first + (size == 64 ? 2 : 1)};
}

static bool is_register(const struct vgpu_source *source)
{
   return source->size && source->space != VGPU_CONSTANTS && source->space != VGPU_LITERALS;
}

/* Those of an op, of a run's descriptors: the registers that emit.c names. */
static unsigned ranges_of(const struct vgpu_op *op, const struct vgpu_op *descriptor,
                          struct range ranges[ISA_MAX_SOURCES + 1])
{
   unsigned count = 0;
   if (vgpu_jit_is_fence(op)) {
      return 0;
   }
   if (vgpu_jit_is_memory(op)) {
      vgpu_jit_memory_data(op, &ranges[0].first, &ranges[0].end);
      count = ranges[0].end > ranges[0].first;
   } else if (op->dst.present) {
      ranges[count++] = range_of(op->dst.vector, op->dst.size);
   }
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      if (is_register(&descriptor->src[n])) {
         ranges[count++] = range_of(descriptor->src[n].vector, descriptor->src[n].size);
      }
   }
   return count;
}

/* New numbers for all registers of `joined`, which tells of each whether it is in one group with the one before. */
struct numbers {
   bool joined[VECTORS];
   uint32_t to[VECTORS]; /* 0: none yet, or r0's */
   uint32_t next;
};

static void join(struct numbers *numbers, const struct range *range)
{
   for (uint32_t vector = range->first + 1; vector < range->end; vector++) {
      numbers->joined[vector] = true;
   }
}

/* Numbers the group of that register, unless it has numbers. */
static void number(struct numbers *numbers, uint32_t vector, uint32_t *places)
{
   uint32_t first = vector;
   while (numbers->joined[first]) {
      first--;
   }
   if (first == 0 || numbers->to[first]) {
      return;
   }
   do {
      places[numbers->next] = first * VGPU_LANES;
      numbers->to[first++] = numbers->next++;
   } while (first < VECTORS && numbers->joined[first]);
}

static void number_all(struct numbers *numbers, const struct vgpu_emit *emit, uint32_t *places)
{
   struct range ranges[ISA_MAX_SOURCES + 1];
   for (uint32_t i = 0; i < emit->count; i++) {
      for (unsigned n = ranges_of(&emit->ops[i], &emit->descriptors[i], ranges); n > 0; n--) {
         join(numbers, &ranges[n - 1]);
      }
   }
   /* r0's group comes first. */
   places[0] = 0;
   for (numbers->next = 1; numbers->next < VECTORS && numbers->joined[numbers->next]; numbers->next++) {
      numbers->to[numbers->next] = numbers->next;
      places[numbers->next] = numbers->next * VGPU_LANES;
   }
   for (uint32_t i = 0; i < emit->count; i++) {
      const unsigned count = ranges_of(&emit->ops[i], &emit->descriptors[i], ranges);
      for (unsigned n = 0; n < count; n++) {
         number(numbers, ranges[n].first, places);
      }
   }
}

static void rename_source(const struct numbers *numbers, struct vgpu_source *source)
{
   if (is_register(source)) {
      source->vector = numbers->to[source->vector / VGPU_LANES] * VGPU_LANES;
   }
}

static void rename_op(const struct numbers *numbers, const struct vgpu_op *op, struct vgpu_op *renamed)
{
   const bool data = vgpu_jit_is_memory(op), fence = vgpu_jit_is_fence(op);
   if (!fence && (data || op->dst.present)) {
      renamed->dst.vector = numbers->to[op->dst.vector / VGPU_LANES] * VGPU_LANES;
      renamed->dst.half = (uint16_t)(numbers->to[op->dst.half / 2u] * 2u + op->dst.half % 2u);
   }
   for (unsigned n = 0; !fence && n < ISA_MAX_SOURCES; n++) {
      rename_source(numbers, &renamed->src[n]);
   }
}

bool vgpu_jit_rename(struct vgpu_emit *emit, struct vgpu_renamed *renamed)
{
   struct numbers numbers = {.next = 1};
   renamed->ops = calloc(emit->count, sizeof(*renamed->ops));
   renamed->descriptors = calloc(emit->count, sizeof(*renamed->descriptors));
   if (!renamed->ops || !renamed->descriptors) {
      vgpu_jit_rename_finish(renamed);
      return false;
   }
   number_all(&numbers, emit, renamed->places);
   for (uint32_t i = 0; i < emit->count; i++) {
      renamed->ops[i] = emit->ops[i];
      renamed->descriptors[i] = emit->descriptors[i];
      rename_op(&numbers, &emit->ops[i], &renamed->ops[i]);
      rename_op(&numbers, &emit->ops[i], &renamed->descriptors[i]);
   }
   for (uint32_t vector = 0; vector < numbers.next; vector++) {
      renamed->facts[vector] = emit->facts[renamed->places[vector] / VGPU_LANES];
   }
   emit->ops = renamed->ops;
   emit->descriptors = renamed->descriptors;
   emit->facts = renamed->facts;
   emit->places = renamed->places;
   return true;
}

void vgpu_jit_rename_finish(struct vgpu_renamed *renamed)
{
   free(renamed->ops);
   free(renamed->descriptors);
   *renamed = (struct vgpu_renamed){.ops = NULL};
}
