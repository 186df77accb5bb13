/* SPDX-License-Identifier: MIT
 *
 * The checks' state: made with a cohort, and reset for each threadgroup. At the start of a program only the uniforms
 * that the launch or the preamble wrote are defined; threadgroup memory and the stack are not, although the emulation
 * zeroes them.
 */
#include "vgpu/exec/checks/checks.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/checks/accesses.h"
#include "vgpu/exec/stack.h"
#include "vgpu/exec/checks/log.h"
#include "vgpu/exec/checks/undefined.h"
#include "vgpu/stage.h"

static uint32_t register_words(uint32_t halves)
{
   return ((halves + 1) / 2 + VGPU_SPARE_VECTORS) * VGPU_LANES;
}

static void destroy(struct vgpu_checks *checks)
{
   for (uint32_t i = 0; checks->groups && i < checks->groups_count; i++) {
      free(checks->groups[i].undefined);
      vgpu_accesses_destroy(checks->groups[i].accesses);
   }
   for (uint32_t i = 0; checks->simds && i < checks->simds_count; i++) {
      free(checks->simds[i].stack);
   }
   vgpu_races_destroy(checks->own);
   free(checks->groups);
   free(checks->simds);
   free(checks);
}

/* Of a threadgroup; a tile is the threadgroup memory of fragments. */
static uint32_t memory_bytes(const struct vgpu_launch *launch)
{
   const uint32_t tile = launch->stage && launch->stage->tile ? launch->stage->tile_bytes : 0;
   return tile > launch->threadgroup_bytes ? tile : launch->threadgroup_bytes;
}

static struct vgpu_checks *create(const struct vgpu_launch *launch, uint32_t groups, uint32_t simds_each,
                                  uint32_t halves)
{
   struct vgpu_checks *checks = calloc(1, sizeof(*checks));
   if (!checks) {
      return NULL;
   }
   checks->launch = launch;
   checks->lanes = launch->level->lane_checks;
   checks->definedness_words = (halves + 1) / 2 * VGPU_LANES;
   checks->groups_count = groups;
   checks->simds_count = groups * simds_each;
   checks->groups = calloc(groups, sizeof(*checks->groups));
   checks->simds = calloc(checks->simds_count, sizeof(*checks->simds));
   if (launch->checks & VGPU_CHECK_RACES) {
      struct vgpu_races **kept = launch->races ? launch->races : &checks->own;
      checks->races = *kept = vgpu_races_begin(*kept);
   }
   bool made = checks->groups && checks->simds && (checks->races || !(launch->checks & VGPU_CHECK_RACES));
   for (uint32_t i = 0; made && i < groups; i++) {
      checks->groups[i].owner = checks;
      checks->groups[i].undefined = calloc(1, memory_bytes(launch) + 1);
      checks->groups[i].accesses = vgpu_accesses_create(launch->threadgroup_bytes);
      made = checks->groups[i].undefined && checks->groups[i].accesses;
      if (made) {
         checks->groups[i].accesses->local = true;
      }
   }
   if (!made) {
      destroy(checks);
      return NULL;
   }
   return checks;
}

static void start_group(struct vgpu_checks *checks, struct vgpu_threadgroup *group, uint32_t slot)
{
   group->checks = &checks->groups[slot];
   memset(group->checks->undefined, 0xff, memory_bytes(checks->launch));
   group->checks->epoch++;
   group->checks->acquired = 0;
   if (checks->races) {
      vgpu_races_start_group(group);
   }
}

/* The numbers of the vertex and the instance are there from the start. */
static void define_preloaded(struct vgpu_simd *simd)
{
   const struct vgpu_stage *stage = simd->worker->launch->stage;
   if (stage && stage->kind == VGPU_STAGE_VERTEX) {
      struct vgpu_halves halves = {{0}};
      vgpu_halves_add_range(&halves, 2 * VGPU_PRELOADED, 4);
      vgpu_undefined_define(simd, &halves, simd->launched_bits);
   }
}

static void start_simd(struct vgpu_checks *checks, struct vgpu_simd *simd, uint32_t slot)
{
   struct vgpu_simd_checks *state = &checks->simds[slot];
   simd->checks = state;
   state->owner = checks;
   memset(state->pending, 0, sizeof(state->pending));
   memset(&state->discarded, 0, sizeof(state->discarded));
   memset(state->discarded_lanes, 0, sizeof(state->discarded_lanes));
   memset(&state->undefined, 0, sizeof(state->undefined));
   state->barrier = NULL;
   if (checks->launch->checks & VGPU_CHECK_UNDEFINED) {
      uint32_t *definedness = simd->base[VGPU_REGISTERS] + checks->definedness_words;
      memset(&state->undefined, 0xff, sizeof(state->undefined));
      memset(definedness, 0xff, checks->definedness_words * sizeof(uint32_t));
      memset(definedness + checks->definedness_words, 0, VGPU_SPARE_VECTORS * VGPU_LANES * sizeof(uint32_t));
      define_preloaded(simd);
   }
   if (state->stack) {
      memset(state->stack, 0xff, state->stack_words * VGPU_LANES * sizeof(uint32_t));
   }
}

const struct vgpu_check_hooks vgpu_check_hooks = {
    .create = create,
    .destroy = destroy,
    .register_words = register_words,
    .create_ops = vgpu_check_ops_create,
    .bind = vgpu_check_bind,
    .bound = vgpu_check_bound,
    .rebind = vgpu_check_rebind,
    .start_group = start_group,
    .start_simd = start_simd,
    .control = vgpu_check_control,
    .note = vgpu_check_note,
    .texel = vgpu_check_texel,
    .release = vgpu_check_release,
};
