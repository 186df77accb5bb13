/* SPDX-License-Identifier: MIT
 *
 * Turns an order into code: inserts waits where they are needed. Invariants: no half register is read or written while
 * an operation that writes it is in flight; a slot has at most VGPU_PENDING operations; and at fences and at the
 * block's end, nothing is in flight that was not in flight in the original code.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/schedule/code.h"
#include "agx_runner/terminal/runner.h"

/* ---- Orders ---- */

int schedule_order_init(struct schedule_order *order, const struct schedule_block *block)
{
   *order = (struct schedule_order){
       .nodes = calloc(block->count, sizeof(*order->nodes)),
       .waits = calloc(block->count, sizeof(*order->waits)),
       .slots = calloc(block->count, sizeof(*order->slots)),
   };
   if (order->nodes == NULL || order->waits == NULL || order->slots == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   uint8_t waits = 0;
   for (uint32_t i = 0; i < block->count; i++) {
      const struct schedule_effects *effects = &schedule_node_of(block, i)->effects;

      order->slots[i] = effects->slot;
      if (effects->wait && !effects->fence) {
         waits |= (uint8_t)(1u << effects->slot);
         continue;
      }
      order->waits[i] = waits;
      waits = 0;
      order->nodes[order->length++] = i;
   }
   return EXIT_OK;
}

void schedule_order_finish(struct schedule_order *order)
{
   free(order->nodes);
   free(order->waits);
   free(order->slots);
   *order = (struct schedule_order){0};
}

void schedule_order_copy(struct schedule_order *to, const struct schedule_order *from, uint32_t count)
{
   memcpy(to->nodes, from->nodes, from->length * sizeof(*to->nodes));
   memcpy(to->waits, from->waits, count * sizeof(*to->waits));
   memcpy(to->slots, from->slots, count * sizeof(*to->slots));
   to->length = from->length;
}

uint32_t schedule_original(const struct schedule_block *block, struct schedule_item *items)
{
   for (uint32_t i = 0; i < block->count; i++) {
      items[i] = (struct schedule_item){i, schedule_node_of(block, i)->effects.slot};
   }
   return block->count;
}

/* ---- Waits ---- */

/* The operations of a slot that are in flight. */
struct under_way {
   struct schedule_halves writes;
   uint32_t nodes[VGPU_PENDING];
   uint32_t count;
};

struct emitter {
   const struct schedule_block *block;
   const struct schedule_order *order;
   struct schedule_item *items;
   uint32_t count;
   struct under_way slots[SCHEDULE_SLOTS];
};

static void wait_for(struct emitter *emitter, unsigned slot)
{
   if (emitter->slots[slot].count > 0) {
      emitter->items[emitter->count++] = (struct schedule_item){SCHEDULE_NONE, (uint8_t)slot};
      emitter->slots[slot] = (struct under_way){.count = 0};
   }
}

/* Whether the operation was in flight on the same slot in the original code, at node `at` (or at the block's end). */
static bool was_under_way(const struct emitter *emitter, uint32_t node, uint32_t at)
{
   const struct schedule_node *original = schedule_node_of(emitter->block, node);

   return emitter->order->slots[node] == original->effects.slot && node < at &&
          (original->waited_at == SCHEDULE_NONE || original->waited_at > emitter->block->first + at);
}

/* Waits for everything that was not in flight at node `at` in the original code. */
static void settle(struct emitter *emitter, uint32_t at)
{
   for (unsigned s = 0; s < SCHEDULE_SLOTS; s++) {
      const struct under_way *slot = &emitter->slots[s];
      bool needed = false;

      for (uint32_t i = 0; i < slot->count; i++) {
         needed |= !was_under_way(emitter, slot->nodes[i], at);
      }
      if (needed) {
         wait_for(emitter, s);
      }
   }
}

static bool needs_wait(const struct emitter *emitter, uint32_t node, unsigned s)
{
   const struct schedule_effects *effects = &schedule_node_of(emitter->block, node)->effects;
   const struct under_way *slot = &emitter->slots[s];

   if (schedule_meet(&slot->writes, &effects->reads) || schedule_meet(&slot->writes, &effects->writes)) {
      return true;
   }
   for (uint32_t i = 0; i < slot->count; i++) {
      if (slot->nodes[i] < node && schedule_depends(emitter->block, slot->nodes[i], node) & SCHEDULE_WAITED) {
         return true;
      }
   }
   return effects->async && emitter->order->slots[node] == s && slot->count == VGPU_PENDING;
}

static void emit_node(struct emitter *emitter, uint32_t node)
{
   const struct schedule_effects *effects = &schedule_node_of(emitter->block, node)->effects;
   const uint8_t slot = emitter->order->slots[node];

   if (effects->fence) {
      settle(emitter, node);
   }
   for (unsigned s = 0; s < SCHEDULE_SLOTS; s++) {
      if (emitter->order->waits[node] >> s & 1 || needs_wait(emitter, node, s)) {
         wait_for(emitter, s);
      }
   }
   emitter->items[emitter->count++] = (struct schedule_item){node, slot};
   if (effects->wait) {
      emitter->slots[effects->slot] = (struct under_way){.count = 0};
   }
   if (effects->async) {
      struct under_way *busy = &emitter->slots[slot];

      busy->nodes[busy->count++] = node;
      for (unsigned i = 0; i < 4; i++) {
         busy->writes.bits[i] |= effects->writes.bits[i];
      }
   }
}

uint32_t schedule_emit(const struct schedule_block *block, const struct schedule_order *order,
                       struct schedule_item *items)
{
   struct emitter emitter = {.block = block, .order = order, .items = items};

   for (uint32_t i = 0; i < order->length; i++) {
      emit_node(&emitter, order->nodes[i]);
   }
   settle(&emitter, block->count);
   return emitter.count;
}
