/* SPDX-License-Identifier: MIT
 *
 * Executes both orders symbolically: an instruction writes a hash of itself and of everything that it reads, memory
 * included. Two orders are equivalent if each instruction has the same inputs in both, the registers and memory end
 * with the same symbols, and no result is used before its wait.
 *
 * Invariant: the registers that an instruction reads and writes come from the timing model's costs
 * (vgpu/timing/cost.c), not from effects.c, so that a mistake there cannot hide itself.
 */
#include "agx_runner/schedule/verify.h"

#include <stdlib.h>

#define HALVES 256
#define SPACES 4

struct symbols {
   uint64_t halves[HALVES];
   uint64_t memory[SPACES];
   bool discarded[HALVES];
   uint32_t loader[HALVES]; /* 1 + the operation in flight that writes the register; 0: none */
   uint8_t *under_way;      /* by node: 1 + the slot on which it is in flight; 0: it is not */
   const char *wrong;
};

/* The inputs of each node, and what is in flight when it runs. */
struct trace {
   uint64_t *inputs; /* by node; 0: it has not run */
   uint8_t *waited;  /* [node * count + other]: the async operation `other` is not in flight when the node runs */
   struct symbols end;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
   hash = (hash ^ value) * UINT64_C(0xff51afd7ed558ccd);
   return (hash ^ hash >> 32) * UINT64_C(0xc4ceb9fe1a85ec53) + 1;
}

static const struct vgpu_cost *cost_of(const struct schedule_block *block, uint32_t node)
{
   return &block->code->blocks.costs[block->first + node];
}

static void wait_for(struct symbols *now, uint32_t count, unsigned slot)
{
   for (uint32_t i = 0; i < count; i++) {
      if (now->under_way[i] == slot + 1) {
         now->under_way[i] = 0;
         for (unsigned half = 0; half < HALVES; half++) {
            now->loader[half] = now->loader[half] == i + 1 ? 0 : now->loader[half];
         }
      }
   }
}

static void use(struct symbols *now, unsigned half)
{
   if (now->loader[half]) {
      now->wrong = "a register is used before the wait for its load";
   }
}

/* Returns a hash of everything that the node depends on. */
static uint64_t inputs_of(const struct schedule_block *block, uint32_t node, struct symbols *now)
{
   const struct schedule_effects *effects = &schedule_node_of(block, node)->effects;
   const struct vgpu_cost *cost = cost_of(block, node);
   uint64_t hash = mix(1, node);

   for (unsigned i = 0; i < cost->read_count; i++) {
      use(now, cost->reads[i]);
      if (now->discarded[cost->reads[i]]) {
         now->wrong = "a register is read after its last use";
      }
      hash = mix(hash, now->halves[cost->reads[i]]);
   }
   for (unsigned space = 0; space < SPACES; space++) {
      if ((effects->loads | effects->stores) >> space & 1 || effects->fence) {
         hash = mix(hash, now->memory[space]);
      }
   }
   for (unsigned half = 0; effects->fence && half < HALVES; half++) {
      hash = mix(hash, now->halves[half]);
   }
   return hash;
}

static void discard(const struct isa_insn *insn, struct symbols *now)
{
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      const struct isa_operand *source = &insn->src[n];

      if (source->kind == ISA_REG && source->discard && source->value >= 0) {
         const unsigned halves = source->size / 16u * (source->count ? source->count : 1u);

         for (unsigned half = (unsigned)source->value; half < (unsigned)source->value + halves && half < HALVES;
              half++) {
            now->discarded[half] = true;
         }
      }
   }
}

static void run_node(const struct schedule_block *block, const struct schedule_item *item, struct symbols *now,
                     struct trace *trace)
{
   const uint32_t node = item->node;
   const struct schedule_effects *effects = &schedule_node_of(block, node)->effects;
   const struct vgpu_cost *cost = cost_of(block, node);
   const uint64_t inputs = inputs_of(block, node, now);

   trace->inputs[node] = trace->inputs[node] == 0 ? inputs : 1; /* 1: it has run twice */
   for (uint32_t other = 0; other < block->count; other++) {
      trace->waited[(size_t)node * block->count + other] = now->under_way[other] == 0;
   }
   discard(&schedule_node_of(block, node)->insn, now);
   for (unsigned i = 0; i < cost->write_count; i++) {
      use(now, cost->writes[i]);
      now->halves[cost->writes[i]] = mix(inputs, cost->writes[i]);
      now->discarded[cost->writes[i]] = false;
      now->loader[cost->writes[i]] = effects->async ? node + 1 : 0;
   }
   for (unsigned space = 0; space < SPACES; space++) {
      if (effects->stores >> space & 1 || effects->fence) {
         now->memory[space] = mix(inputs, space);
      }
   }
   now->under_way[node] = effects->async ? (uint8_t)(item->slot + 1) : 0;
}

static void run(const struct schedule_block *block, const struct schedule_item *items, uint32_t count,
                struct trace *trace)
{
   struct symbols *now = &trace->end;

   for (unsigned half = 0; half < HALVES; half++) {
      now->halves[half] = mix(2, half);
   }
   for (uint32_t i = 0; i < count; i++) {
      const struct schedule_item *item = &items[i];

      if (item->node == SCHEDULE_NONE || schedule_node_of(block, item->node)->effects.wait) {
         wait_for(now, block->count, item->slot);
      }
      if (item->node != SCHEDULE_NONE &&
          (!schedule_node_of(block, item->node)->effects.wait || schedule_node_of(block, item->node)->effects.fence)) {
         run_node(block, item, now, trace);
      }
   }
}

/* Must async operation `other` complete before `node` issues? It must if it did so in the block's own order. */
static bool must_find_ended(const struct schedule_block *block, uint32_t node, uint32_t other)
{
   const struct schedule_effects *a = &schedule_node_of(block, other)->effects,
                                 *b = &schedule_node_of(block, node)->effects;

   return other < node && a->async && (b->fence || a->stores & (b->loads | b->stores) || a->loads & b->stores);
}

static const char *compare(const struct schedule_block *block, const struct trace *own, const struct trace *other)
{
   for (uint32_t i = 0; i < block->count; i++) {
      if (own->inputs[i] != other->inputs[i]) {
         return "an instruction has other operands, or finds other memory";
      }
      for (uint32_t k = 0; k < i; k++) {
         const size_t at = (size_t)i * block->count + k;

         if (own->inputs[i] && must_find_ended(block, i, k) && own->waited[at] && !other->waited[at]) {
            return "a wait before a barrier, a jump or an access to the same memory is gone";
         }
      }
      if (other->end.under_way[i] && other->end.under_way[i] != own->end.under_way[i]) {
         return "an operation is under way at the end, and was not";
      }
   }
   for (unsigned half = 0; half < HALVES; half++) {
      if (own->end.halves[half] != other->end.halves[half]) {
         return "a register ends with another value";
      }
   }
   for (unsigned space = 0; space < SPACES; space++) {
      if (own->end.memory[space] != other->end.memory[space]) {
         return "stores have another order";
      }
   }
   return other->end.wrong;
}

static bool trace_init(struct trace *trace, uint32_t count)
{
   *trace = (struct trace){.inputs = calloc(count, sizeof(*trace->inputs)),
                           .waited = calloc((size_t)count * count, sizeof(*trace->waited)),
                           .end = {.under_way = calloc(count, sizeof(*trace->end.under_way))}};
   return trace->inputs != NULL && trace->waited != NULL && trace->end.under_way != NULL;
}

static void trace_finish(struct trace *trace)
{
   free(trace->inputs);
   free(trace->waited);
   free(trace->end.under_way);
}

const char *schedule_verify(const struct schedule_block *block, const struct schedule_item *items, uint32_t count)
{
   struct schedule_item *original = calloc(block->count, sizeof(*original));
   struct trace own, other;
   const char *wrong = "out of memory";
   const bool ready = trace_init(&own, block->count), both = trace_init(&other, block->count);

   if (ready && both && original != NULL) {
      run(block, original, schedule_original(block, original), &own);
      run(block, items, count, &other);
      wrong = own.end.wrong != NULL ? "the program itself uses a register too early" : compare(block, &own, &other);
   }
   trace_finish(&own);
   trace_finish(&other);
   free(original);
   return wrong;
}
