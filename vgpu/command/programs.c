/* SPDX-License-Identifier: MIT
 *
 * The list of programs. Drivers use few at a time and launch the same one often, so searching from the newest entry is
 * short.
 */
#include "vgpu/command/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

#define MAX_PROGRAMS 4096u

static struct vgpu_program_use *find(struct vgpu_programs *programs, uint64_t space, uint64_t code, const char *stage)
{
   for (size_t i = programs->count; i-- > 0;) {
      if (programs->items[i].code == code && programs->items[i].space == space) {
         return &programs->items[i];
      }
   }
   if (programs->count == MAX_PROGRAMS || !ARRAY_RESERVE(programs->items, programs->capacity, programs->count + 1)) {
      return NULL;
   }
   struct vgpu_program_use *added = &programs->items[programs->count++];
   *added = (struct vgpu_program_use){.space = space, .code = code, .stage = stage};
   return added;
}

static void fill(struct vgpu_launch_info *kept, const struct vgpu_launch *launch, const struct vgpu_outcome *outcome,
                 const char *stage)
{
   *kept = (struct vgpu_launch_info){.code = launch->code,
                                     .preamble = launch->preamble,
                                     .half_registers = launch->half_registers,
                                     .preamble_half_registers = launch->preamble_half_registers,
                                     .threadgroup_bytes = launch->threadgroup_bytes,
                                     .faulted = outcome->fault != VGPU_FAULT_NONE,
                                     .instructions = outcome->instructions,
                                     .cycles = outcome->cycles,
                                     .spill_bucket = launch->spill_bucket,
                                     .uniform_count = launch->uniforms_from_count};
   for (uint32_t i = 0; i < kept->uniform_count && i < VGPU_UNIFORM_WORDS; i++) {
      const struct vgpu_uniform_from *from = &launch->uniforms_from[i];
      kept->uniforms[i] =
          (struct vgpu_uniform_words){.address = from->address, .start = from->start, .halves = from->halves};
   }
   memcpy(kept->grid, launch->grid, sizeof(kept->grid));
   memcpy(kept->group, launch->group, sizeof(kept->group));
   snprintf(kept->stage, sizeof(kept->stage), "%s", stage);
}

/* A launch that finds no memory is not kept, and neither are those after it. */
static void keep_launch(struct vgpu_programs *programs, const struct vgpu_launch *launch,
                        const struct vgpu_outcome *outcome)
{
   if (programs->ended++ != programs->launch_count || programs->launch_count == VGPU_LAUNCHES_KEPT) {
      return;
   }
   if (!ARRAY_RESERVE(programs->launches, programs->launch_capacity, programs->launch_count + 1)) {
      return;
   }
   fill(&programs->launches[programs->launch_count++], launch, outcome, "compute");
}

/* A program of a render pass, when it is launched first. */
static void keep_stage(struct vgpu_programs *programs, const struct vgpu_launch *launch, uint32_t threads,
                       uint32_t group, const struct vgpu_outcome *outcome, const char *stage)
{
   if (launch->stage && programs->stage_count < VGPU_LAUNCHES_KEPT &&
       ARRAY_RESERVE(programs->stages, programs->stage_capacity, programs->stage_count + 1)) {
      struct vgpu_launch_info *kept = &programs->stages[programs->stage_count++];
      fill(kept, launch, outcome, stage);
      memcpy(kept->grid, (const uint32_t[3]){threads, 1, 1}, sizeof(kept->grid));
      memcpy(kept->group, (const uint32_t[3]){group, 1, 1}, sizeof(kept->group));
   }
}

/* Whether it is the program's first launch. */
static bool add_use(struct vgpu_programs *programs, const struct vgpu_launch *launch, uint64_t threads,
                    const struct vgpu_outcome *outcome, const char *stage)
{
   struct vgpu_program_use *use = find(programs, launch->space, launch->code, stage);
   if (!use) {
      programs->dropped++;
      return false;
   }
   use->faults += outcome->fault != VGPU_FAULT_NONE;
   use->threads += threads;
   use->instructions += outcome->instructions;
   use->cycles += outcome->cycles;
   return !use->launches++;
}

void vgpu_programs_add_stage(struct vgpu_programs *programs, const struct vgpu_launch *launch, uint32_t threads,
                             uint32_t group, const struct vgpu_outcome *outcome, const char *stage)
{
   if (add_use(programs, launch, threads, outcome, stage)) {
      keep_stage(programs, launch, threads, group, outcome, stage);
   }
}

void vgpu_programs_add(struct vgpu_programs *programs, const struct vgpu_launch *launch,
                       const struct vgpu_outcome *outcome)
{
   keep_launch(programs, launch, outcome);
   add_use(programs, launch, (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2], outcome, "compute");
}

void vgpu_programs_finish(struct vgpu_programs *programs)
{
   free(programs->items);
   free(programs->launches);
   free(programs->stages);
   *programs = (struct vgpu_programs){0};
}
