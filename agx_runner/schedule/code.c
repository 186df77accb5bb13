/* SPDX-License-Identifier: MIT
 *
 * Decodes a program for scheduling, and finds the dependencies of a block. Invariant: an instruction whose effects are
 * not fully known is a fence, and a program is refused if such an instruction could jump anywhere.
 */
#include "agx_runner/schedule/code.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"

/* ---- The program ---- */

static const char *refusal(const struct isa_insn *insn)
{
   if (insn->row == NULL || insn->op == ISA_OP_UNKNOWN) {
      return "it has instructions that are not known";
   }
   switch (isa_flow(insn)) {
   case ISA_FLOW_CALL:
   case ISA_FLOW_CALL_REG:
   case ISA_FLOW_RETURN:
      return "it has calls";
   default:
      return insn->op == ISA_OP_STACK_GET_PTR ? "it takes the address of its stack" : NULL;
   }
}

/* Whether the instruction may be followed by another one than the next, or the next one may be reached from
 * elsewhere. */
static bool ends_block(const struct schedule_code *code, uint32_t i)
{
   return i + 1 == code->blocks.count || code->blocks.leader[i + 1];
}

/* Tracks the scoreboard through each block: finds the wait of each async node, and the slots with operations in flight
 * at the end of a block. Returns whether unknown[] has changed. */
static bool follow_slots(struct schedule_code *code)
{
   bool busy[SCHEDULE_SLOTS] = {false}, changed = false;
   uint32_t from = 0;

   for (uint32_t i = 0; i < code->blocks.count; i++) {
      struct schedule_node *node = &code->nodes[i];

      if (code->blocks.leader[i]) {
         from = i;
         for (unsigned s = 0; s < SCHEDULE_SLOTS; s++) {
            busy[s] = i > 0 && code->unknown[s];
         }
      }
      node->waited_at = SCHEDULE_NONE;
      if (node->effects.wait) {
         busy[node->effects.slot] = false;
         for (uint32_t k = from; k < i; k++) {
            if (code->nodes[k].effects.async && code->nodes[k].effects.slot == node->effects.slot &&
                code->nodes[k].waited_at == SCHEDULE_NONE) {
               code->nodes[k].waited_at = i;
            }
         }
      }
      busy[node->effects.slot] |= node->effects.async;
      const enum isa_flow flow = isa_flow(&node->insn);
      if (ends_block(code, i) && flow != ISA_FLOW_STOP && flow != ISA_FLOW_TRAP) {
         for (unsigned s = 0; s < SCHEDULE_SLOTS; s++) {
            changed |= busy[s] && !code->unknown[s];
            code->unknown[s] |= busy[s];
         }
      }
   }
   return changed;
}

/* Fixes a wait for operations that an earlier block may have left in flight in its place. */
static void keep_waits(struct schedule_code *code)
{
   bool unknown[SCHEDULE_SLOTS] = {false};

   for (uint32_t i = 0; i < code->blocks.count; i++) {
      struct schedule_effects *effects = &code->nodes[i].effects;

      if (code->blocks.leader[i]) {
         for (unsigned s = 0; s < SCHEDULE_SLOTS; s++) {
            unknown[s] = i > 0 && code->unknown[s];
         }
      }
      if (effects->wait && unknown[effects->slot]) {
         effects->fence = true;
         unknown[effects->slot] = false;
      }
   }
}

int schedule_code_init(struct schedule_code *code, const struct agx_program *program)
{
   *code = (struct schedule_code){.program = program};
   if (!blocks_decode(program, program->main_offset, program->main_size, &code->blocks)) {
      return complain(EXIT_FAILED, "out of memory");
   }
   code->nodes = calloc(code->blocks.count, sizeof(*code->nodes));
   if (code->nodes == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (uint32_t i = 0; i < code->blocks.count; i++) {
      struct schedule_node *node = &code->nodes[i];
      const uint32_t at = code->blocks.at[i];

      isa_decode(program->set, program->code + at, code->blocks.at[i + 1] - at, &node->insn);
      node->at = at - program->main_offset;
      const char *why = refusal(&node->insn);
      if (why != NULL) {
         note("%s: its orders are not searched: %s (at 0x%04x)", agx_program_name(program), why, node->at);
         return EXIT_SKIPPED;
      }
      schedule_effects_of(&node->insn, &node->effects);
   }
   while (follow_slots(code)) {
   }
   keep_waits(code);
   return EXIT_OK;
}

void schedule_code_finish(struct schedule_code *code)
{
   blocks_finish(&code->blocks);
   free(code->nodes);
   *code = (struct schedule_code){0};
}

/* ---- A block's dependencies ---- */

/* Returns the reasons why node j, which comes after node i, may not be moved before it. */
static unsigned dependency(const struct schedule_block *block, uint32_t i, uint32_t j)
{
   const struct schedule_node *before = schedule_node_of(block, i);
   const struct schedule_effects *a = &before->effects, *b = &schedule_node_of(block, j)->effects;
   unsigned why = 0;

   why |= schedule_meet(&a->writes, &b->reads) ? SCHEDULE_TRUE : 0;
   why |= schedule_meet(&a->reads, &b->writes) || schedule_meet(&a->reads, &b->discards) ? SCHEDULE_ANTI : 0;
   why |= schedule_meet(&a->writes, &b->writes) || schedule_meet(&a->discards, &b->reads) ||
                  schedule_meet(&a->discards, &b->writes)
              ? SCHEDULE_OUTPUT
              : 0;
   if ((a->stores & (b->loads | b->stores)) | (a->loads & b->stores)) {
      why |= SCHEDULE_MEMORY;
      why |= a->async && before->waited_at < block->first + j ? SCHEDULE_WAITED : 0;
   }
   return why;
}

int schedule_block_init(struct schedule_block *block, const struct schedule_code *code, uint32_t first, uint32_t end,
                        unsigned ignored)
{
   const uint32_t count = end - first;
   uint32_t segment = 0;

   *block = (struct schedule_block){
       .code = code,
       .first = first,
       .count = count,
       .dependencies = calloc((size_t)count * count, sizeof(*block->dependencies)),
       .segment = calloc(count, sizeof(*block->segment)),
       .loops = code->blocks.depth[first] > 0,
   };
   if (block->dependencies == NULL || block->segment == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (uint32_t j = 0; j < count; j++) {
      const struct schedule_effects *effects = &schedule_node_of(block, j)->effects;

      segment += effects->fence;
      block->segment[j] = effects->fence || effects->wait ? SCHEDULE_NONE : segment;
      for (uint32_t i = 0; i < j && block->segment[j] != SCHEDULE_NONE; i++) {
         if (block->segment[i] == segment) {
            block->dependencies[(size_t)i * count + j] = (uint8_t)(dependency(block, i, j) & ~ignored);
         }
      }
   }
   return EXIT_OK;
}

void schedule_block_finish(struct schedule_block *block)
{
   free(block->dependencies);
   free(block->segment);
   *block = (struct schedule_block){0};
}
