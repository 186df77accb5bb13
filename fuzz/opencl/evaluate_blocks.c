/* SPDX-License-Identifier: MIT
 *
 * Control flow of the evaluation of a kernel. Invariant: the mask has the lanes that are in all open blocks.
 */
#include "fuzz/opencl/machine.h"

static uint32_t true_lanes(const struct ocl_machine *machine, const struct ocl_node *node)
{
   uint32_t mask = 0;

   for (uint32_t lane = 0; lane < machine->program->lanes; lane++) {
      mask |= machine->value[node->source[0]][lane][0] != 0 ? UINT32_C(1) << lane : 0;
   }
   return mask & machine->mask;
}

/* Returns the lanes that execute a loop's body once more. */
static uint32_t in_round(const struct ocl_machine *machine, const struct ocl_block *block)
{
   uint32_t mask = 0;

   for (uint32_t lane = 0; lane < machine->program->lanes; lane++) {
      mask |= block->round < block->rounds[lane] ? UINT32_C(1) << lane : 0;
   }
   return mask & block->outer & ~block->broken;
}

bool ocl_open_block(struct ocl_machine *machine, uint32_t index)
{
   const struct ocl_node *node = &machine->program->nodes[index];

   if (machine->depth > OCL_DEPTH) {
      return false;
   }
   struct ocl_block *block = &machine->blocks[machine->depth++];
   *block = (struct ocl_block){.start = index, .outer = machine->mask, .loop = node->kind == OCL_LOOP};
   block->end = node->kind == OCL_LOOP ? OCL_ENDLOOP : node->kind == OCL_SWITCH ? OCL_ENDSWITCH : OCL_ENDIF;
   if (node->kind == OCL_SWITCH) {
      machine->mask = 0;
   } else if (block->loop) {
      for (uint32_t lane = 0; lane < machine->program->lanes; lane++) {
         const uint64_t more = node->count != 0 ? machine->value[node->source[0]][lane][0] & 3 : 0;
         block->rounds[lane] = (uint32_t)(more + node->data[0]);
      }
      machine->mask = in_round(machine, block);
   } else {
      block->taken = machine->mask = true_lanes(machine, node);
   }
   return true;
}

static struct ocl_block *inner_loop(struct ocl_machine *machine)
{
   for (unsigned i = machine->depth; i-- > 0;) {
      if (machine->blocks[i].loop) {
         return &machine->blocks[i];
      }
   }
   return NULL;
}

/* Lanes that leave a loop's body are inactive until its end. */
bool ocl_leave_loop(struct ocl_machine *machine, const struct ocl_node *node)
{
   struct ocl_block *loop = inner_loop(machine);
   const uint32_t lanes = true_lanes(machine, node);

   if (loop == NULL) {
      return false;
   }
   *(node->kind == OCL_BREAK ? &loop->broken : &loop->continued) |= lanes;
   machine->mask &= ~lanes;
   return true;
}

static uint32_t still_there(struct ocl_machine *machine, uint32_t lanes)
{
   const struct ocl_block *loop = inner_loop(machine);

   return loop == NULL ? lanes : lanes & ~loop->broken & ~loop->continued;
}

/* else, the end of an if, or the end of a loop: returns where execution continues, or UINT32_MAX if there is no such
 * block. */
uint32_t ocl_close_block(struct ocl_machine *machine, uint32_t index)
{
   const uint8_t kind = machine->program->nodes[index].kind;
   struct ocl_block *block = machine->depth != 0 ? &machine->blocks[machine->depth - 1] : NULL;

   if (block == NULL || block->end != (kind == OCL_ELSE ? OCL_ENDIF : kind)) {
      return UINT32_MAX;
   }
   if (kind == OCL_ELSE) {
      machine->mask = still_there(machine, block->outer & ~block->taken);
      return index + 1;
   }
   if (kind == OCL_ENDLOOP) {
      block->round++;
      block->continued = 0;
      machine->mask = in_round(machine, block);
      if (machine->mask != 0) {
         return block->start + 1;
      }
   }
   const uint32_t outer = block->outer;
   machine->depth--;
   machine->mask = still_there(machine, outer);
   return index + 1;
}

uint32_t ocl_turn_loop(const struct ocl_program *program, uint32_t index)
{
   unsigned depth = 1;

   while (index-- > 0) {
      const struct ocl_node *node = &program->nodes[index];
      depth += node->kind == OCL_ENDLOOP ? 1 : 0;
      if (node->kind == OCL_LOOP && --depth == 0) {
         const bool counts = node->form == OCL_FOR || node->form == OCL_FOR_ULONG || node->form >= OCL_COMPUTED_FORMS;
         return counts && (node->form < OCL_COMPUTED_FORMS || node->count == 0) ? index : UINT32_MAX;
      }
   }
   return UINT32_MAX;
}

void ocl_run_turn(struct ocl_machine *machine, uint32_t index)
{
   const struct ocl_type type = machine->program->nodes[index].type;
   const bool counts = ocl_turn_loop(machine->program, index) != UINT32_MAX;
   const struct ocl_block *loop = inner_loop(machine);
   const uint64_t turn = counts && loop != NULL ? loop->round & ocl_mask(type.base) : 0;

   for (uint32_t lane = 0; lane < machine->program->lanes; lane++) {
      for (unsigned i = 0; i < type.width; i++) {
         machine->value[index][lane][i] = turn;
      }
   }
}

/* A case of a switch: lanes come from the switch, and perhaps from the previous case. */
bool ocl_next_case(struct ocl_machine *machine, const struct ocl_node *node)
{
   struct ocl_block *block = machine->depth != 0 ? &machine->blocks[machine->depth - 1] : NULL;
   const uint32_t falls = node->data[1] != 0 ? machine->mask : 0;
   uint32_t lanes = 0;

   if (block == NULL || block->end != OCL_ENDSWITCH) {
      return false;
   }
   const uint32_t condition = machine->program->nodes[block->start].source[0];
   for (uint32_t lane = 0; lane < machine->program->lanes; lane++) {
      const bool equal = (machine->value[condition][lane][0] & 3) == node->data[0];
      lanes |= node->kind == OCL_DEFAULT || equal ? UINT32_C(1) << lane : 0;
   }
   lanes &= block->outer & ~block->taken;
   block->taken |= lanes;
   machine->mask = falls | still_there(machine, lanes);
   return true;
}
