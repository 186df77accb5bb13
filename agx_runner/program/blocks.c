/* SPDX-License-Identifier: MIT
 *
 * Decodes a program into basic blocks with the cost of each instruction.
 */
#include "agx_runner/program/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/timing/timing.h"

#define DEFAULT_GROUP 256 /* threads of a threadgroup, if the kernel requires no number */

void blocks_finish(struct blocks *blocks)
{
   free(blocks->at);
   free(blocks->leader);
   free(blocks->depth);
   free(blocks->costs);
   *blocks = (struct blocks){0};
}

/* Whether another block begins after the instruction. */
static bool ends_block(const struct isa_insn *insn)
{
   return isa_is_branch(insn) || isa_is_end(insn);
}

/* A block begins at the target of a branch; the instructions between a backward branch and its target are a loop. */
static void mark_branch(struct blocks *blocks, uint32_t branch, int64_t target)
{
   for (uint32_t i = 0; i < blocks->count; i++) {
      blocks->leader[i] |= (int64_t)blocks->at[i] == target;
      if (i <= branch && (int64_t)blocks->at[i] >= target && blocks->depth[i] < UINT8_MAX) {
         blocks->depth[i]++;
      }
   }
}

bool blocks_decode(const struct agx_program *program, uint32_t start, uint32_t size, struct blocks *blocks)
{
   const uint32_t most = size / 2 + 1; /* no instruction is shorter */
   struct isa_insn insn;

   *blocks = (struct blocks){.start = start,
                             .at = calloc(most + 1, sizeof(*blocks->at)),
                             .leader = calloc(most + 1, sizeof(*blocks->leader)),
                             .depth = calloc(most + 1, sizeof(*blocks->depth)),
                             .costs = calloc(most, sizeof(*blocks->costs))};
   if (blocks->at == NULL || blocks->leader == NULL || blocks->depth == NULL || blocks->costs == NULL) {
      return false;
   }
   blocks->leader[0] = true;
   for (uint32_t at = start; at < start + size; at += insn.length) {
      isa_decode(program->set, program->code + at, start + size - at, &insn);
      blocks->at[blocks->count] = at;
      vgpu_cost_of(&insn, &vgpu_params_default, &blocks->costs[blocks->count++]);
      blocks->leader[blocks->count] = ends_block(&insn);
   }
   blocks->at[blocks->count] = start + size;
   for (uint32_t i = 0; i < blocks->count; i++) {
      isa_decode(program->set, program->code + blocks->at[i], blocks->at[i + 1] - blocks->at[i], &insn);
      if (isa_is_branch(&insn)) {
         mark_branch(blocks, i, (int64_t)blocks->at[i] + insn.mod[ISA_MOD_TARGET]);
      }
   }
   return true;
}

uint32_t blocks_end(const struct blocks *blocks, uint32_t first)
{
   uint32_t end = first + 1;

   while (end < blocks->count && !blocks->leader[end]) {
      end++;
   }
   return end;
}

bool blocks_is_padding(const struct blocks *blocks, uint32_t first)
{
   return first > 0 && blocks->costs[first].kind == VGPU_COST_STOP && blocks->costs[first - 1].kind == VGPU_COST_STOP;
}

static unsigned per_scheduler(uint32_t simds)
{
   return simds > VGPU_SCHEDULERS ? simds / VGPU_SCHEDULERS : 1;
}

struct blocks_occupancy blocks_occupancy(const struct agx_program *program)
{
   const struct vgpu_launch least = {.half_registers = 1, .group = {32, 1, 1}};
   struct vgpu_launch launch = {
       .half_registers = program->half_registers,
       .threadgroup_bytes = program->threadgroup_bytes,
       .group = {DEFAULT_GROUP, 1, 1},
   };

   if (program->workgroup_size[0] != 0) {
      memcpy(launch.group, program->workgroup_size, sizeof(launch.group));
   }
   const uint32_t core = vgpu_timing_residency(&launch).simds;
   return (struct blocks_occupancy){core, per_scheduler(core), per_scheduler(vgpu_timing_residency(&least).simds)};
}
