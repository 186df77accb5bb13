/* SPDX-License-Identifier: MIT
 *
 * Linked into a second agx-runner by tests: Mesa with a scheduler made worse. The linker takes it instead of the one in
 * Mesa's library. Each load from device memory, and each integer addition, moves as far up in its block as its operands
 * and memory operations allow, so that more values are alive at a time. Invariant: the program computes the same.
 */
#include "agx_compiler.h"

static bool defines_operand(const agx_instr *instr, const agx_instr *moved)
{
   for (unsigned s = 0; s < moved->nr_srcs; s++) {
      for (unsigned d = 0; d < instr->nr_dests; d++) {
         if (agx_is_equiv(moved->src[s], instr->dest[d])) {
            return true;
         }
      }
   }
   return false;
}

static bool may_pass(const agx_instr *moved, const agx_instr *above)
{
   const enum agx_schedule_class class = agx_opcodes_info[above->op].schedule_class;

   return above->op != AGX_OPCODE_PHI && (class == AGX_SCHEDULE_CLASS_NONE || class == AGX_SCHEDULE_CLASS_LOAD) &&
          !defines_operand(above, moved);
}

void agx_pressure_schedule(agx_context *ctx)
{
   agx_foreach_block(ctx, block)
   {
      agx_foreach_instr_in_block_safe(block, moved)
      {
         const bool moves = moved->op == AGX_OPCODE_DEVICE_LOAD || moved->op == AGX_OPCODE_IADD;
         agx_instr *above = moved;

         while (moves && above->link.prev != &block->instructions) {
            agx_instr *next = list_entry(above->link.prev, agx_instr, link);

            if (!may_pass(moved, next)) {
               break;
            }
            above = next;
         }
         if (above != moved) {
            list_del(&moved->link);
            list_addtail(&moved->link, &above->link);
         }
      }
   }
}
