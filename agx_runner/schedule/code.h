/* SPDX-License-Identifier: MIT
 *
 * A program's main part as instructions with their effects, in blocks, and the orders that a block may have.
 *
 * A block is divided by fences (schedule_effects.fence). Only instructions between two fences change places. Waits are
 * no part of an order: they are put where they are needed when the code is made (emit.c).
 */
#ifndef AGX_RUNNER_SCHEDULE_CODE_H
#define AGX_RUNNER_SCHEDULE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agx_runner/program/blocks.h"
#include "agx_runner/schedule/effects.h"
#include "isa/isa.h"
#include "isa/program.h"
#include "vgpu/timing/cost.h"

#define SCHEDULE_BLOCK_MOST 2048 /* instructions of a block whose orders are searched */
#define SCHEDULE_NONE UINT32_MAX

struct schedule_node {
   struct isa_insn insn;
   struct schedule_effects effects;
   uint32_t at;        /* bytes from the start of main */
   uint32_t waited_at; /* async: the node whose wait ends it; SCHEDULE_NONE: none in the block */
};

struct schedule_code {
   const struct agx_program *program;
   struct blocks blocks;
   struct schedule_node *nodes;  /* blocks.count */
   bool unknown[SCHEDULE_SLOTS]; /* operations of the slot may be under way where a block begins, but for the first */
};

/* Messages are printed; an enum exit_code. EXIT_SKIPPED: orders of this program cannot be told (a message says why).
 * schedule_code_finish() must follow in any case. */
int schedule_code_init(struct schedule_code *code, const struct agx_program *program);
void schedule_code_finish(struct schedule_code *code);

/* Why an instruction must come after another one. Bits. */
enum schedule_dependency {
   SCHEDULE_TRUE = 1,    /* it reads what the other one writes */
   SCHEDULE_ANTI = 2,    /* it writes or discards what the other one reads */
   SCHEDULE_OUTPUT = 4,  /* both write or discard the same */
   SCHEDULE_MEMORY = 8,  /* both touch the same memory, and one stores */
   SCHEDULE_WAITED = 16, /* as MEMORY, and there was a wait for the other one in between */
};

/* One block with its dependencies. */
struct schedule_block {
   const struct schedule_code *code;
   uint32_t first, count; /* nodes */
   uint8_t *dependencies; /* [i * count + j], i < j: enum schedule_dependency bits; 0: j may come before i */
   uint32_t *segment;     /* by node: number of the part between two fences; SCHEDULE_NONE: a fence, or a wait */
   bool loops;            /* it stands in a loop */
};

/* `ignored`: enum schedule_dependency bits that are left out, for tests of the proof. Message and EXIT_FAILED: out of
 * memory. schedule_block_finish() must follow in any case. */
int schedule_block_init(struct schedule_block *block, const struct schedule_code *code, uint32_t first, uint32_t end,
                        unsigned ignored);
void schedule_block_finish(struct schedule_block *block);

static inline const struct schedule_node *schedule_node_of(const struct schedule_block *block, uint32_t i)
{
   return &block->code->nodes[block->first + i];
}

static inline uint8_t schedule_depends(const struct schedule_block *block, uint32_t i, uint32_t j)
{
   return block->dependencies[(size_t)i * block->count + j];
}

/* An order of a block. */
struct schedule_order {
   uint32_t *nodes; /* `length` numbers of nodes in the block: all but the waits that may move */
   uint32_t length;
   uint8_t *waits; /* by node: bit s: wait for slot s before it, though it does not need to */
   uint8_t *slots; /* by node, of async ones: the scoreboard slot */
};

/* The order that the block has. EXIT_FAILED: out of memory; schedule_order_finish() must follow in any case. */
int schedule_order_init(struct schedule_order *order, const struct schedule_block *block);
void schedule_order_finish(struct schedule_order *order);
void schedule_order_copy(struct schedule_order *to, const struct schedule_order *from, uint32_t count);

/* An instruction of the code that is made: a node of the block, or a wait that is put in. */
struct schedule_item {
   uint32_t node; /* SCHEDULE_NONE: a wait */
   uint8_t slot;  /* of the wait, or of an async node */
};

/* Items that an order can have at most. */
static inline uint32_t schedule_items_most(uint32_t count)
{
   return count * (SCHEDULE_SLOTS + 1) + SCHEDULE_SLOTS;
}
/* The block in that order with the waits that it needs. Returns the number of items. */
uint32_t schedule_emit(const struct schedule_block *block, const struct schedule_order *order,
                       struct schedule_item *items);
/* The block as it is. Returns the number of items. */
uint32_t schedule_original(const struct schedule_block *block, struct schedule_item *items);

#endif
