/* SPDX-License-Identifier: MIT
 *
 * A program's main part as instructions with their effects, in blocks, and the orders that a block may have.
 *
 * A block is divided by fences (schedule_effects.fence). Instructions move between two fences only. An order does not
 * contain waits: emit.c inserts them where they are needed when it makes the code.
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

#define SCHEDULE_BLOCK_MOST 2048 /* most instructions of a block whose orders are searched */
#define SCHEDULE_NONE UINT32_MAX

struct schedule_node {
   struct isa_insn insn;
   struct schedule_effects effects;
   uint32_t at;        /* byte offset from the start of main */
   uint32_t waited_at; /* async nodes: the node of the wait; SCHEDULE_NONE: there is none in the block */
};

struct schedule_code {
   const struct agx_program *program;
   struct blocks blocks;
   struct schedule_node *nodes; /* blocks.count of them */
   /* operations on the slot may be in flight at the start of a block other than the first */
   bool unknown[SCHEDULE_SLOTS];
};

/* Prints messages; returns an enum exit_code. EXIT_SKIPPED: orders of this program cannot be analysed (a message has
 * the reason). schedule_code_finish() must follow in any case. */
int schedule_code_init(struct schedule_code *code, const struct agx_program *program);
void schedule_code_finish(struct schedule_code *code);

/* Reasons why an instruction must come after another one, as bits. */
enum schedule_dependency {
   SCHEDULE_TRUE = 1,    /* it reads what the other one writes */
   SCHEDULE_ANTI = 2,    /* it writes or discards what the other one reads */
   SCHEDULE_OUTPUT = 4,  /* both write or discard the same register */
   SCHEDULE_MEMORY = 8,  /* both access the same memory, and one of them stores */
   SCHEDULE_WAITED = 16, /* as MEMORY, and the program waits for the other one in between */
};

/* One block with its dependencies. */
struct schedule_block {
   const struct schedule_code *code;
   uint32_t first, count; /* index of the first node, and number of nodes */
   uint8_t *dependencies; /* [i * count + j], i < j: bits of enum schedule_dependency; 0: j may come before i */
   uint32_t *segment;     /* by node: index of the part between two fences; SCHEDULE_NONE: a fence, or a wait */
   bool loops;            /* the block is in a loop */
};

/* `ignored`: bits of enum schedule_dependency that are left out, to test the verification. Out of memory: prints a
 * message and returns EXIT_FAILED. schedule_block_finish() must follow in any case. */
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
   uint32_t *nodes; /* `length` node indices in the block: all but the waits that may move */
   uint32_t length;
   uint8_t *waits; /* by node: bit s: wait for slot s before it, even if that is not needed */
   uint8_t *slots; /* by async node: the scoreboard slot */
};

/* Initializes the order with the block's own. EXIT_FAILED: out of memory; schedule_order_finish() must follow in any
 * case. */
int schedule_order_init(struct schedule_order *order, const struct schedule_block *block);
void schedule_order_finish(struct schedule_order *order);
void schedule_order_copy(struct schedule_order *to, const struct schedule_order *from, uint32_t count);

/* An instruction of the new code: a node of the block, or an inserted wait. */
struct schedule_item {
   uint32_t node; /* SCHEDULE_NONE: an inserted wait */
   uint8_t slot;  /* slot of the wait or of an async node */
};

/* Returns the largest number of items of an order. */
static inline uint32_t schedule_items_most(uint32_t count)
{
   return count * (SCHEDULE_SLOTS + 1) + SCHEDULE_SLOTS;
}
/* Emits the block in that order with the waits that it needs. Returns the number of items. */
uint32_t schedule_emit(const struct schedule_block *block, const struct schedule_order *order,
                       struct schedule_item *items);
/* Emits the block unchanged. Returns the number of items. */
uint32_t schedule_original(const struct schedule_block *block, struct schedule_item *items);

#endif
