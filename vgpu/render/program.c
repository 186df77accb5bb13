/* SPDX-License-Identifier: MIT
 *
 * Programs of a pass: their USC words and preambles, read once for all launches that share them.
 */
#include "vgpu/render/pass.h"

#include <stdio.h>
#include <string.h>

#include "vgpu/collect/collect.h"
#include "vgpu/command/cdm.h"
#include "vgpu/exec/exec.h"

#define EXTENDED_SAMPLERS 6u /* docs/spec/uapi.md 4.2 */

static uint32_t preamble_registers(uint32_t counts)
{
   const uint32_t groups = counts >> 12 & 15;
   return 16 * (groups ? groups : 16);
}

/* The scratch memory of vertex or fragment programs. */
static const struct drm_asahi_helper_program *helper_of(const struct render_pass *pass, const struct vgpu_stage *stage)
{
   return stage->kind == VGPU_STAGE_VERTEX ? &pass->command->vertex_helper : &pass->command->fragment_helper;
}

static enum collected_stage collected_stage(const struct render_pass *pass, const struct vgpu_stage *stage)
{
   return stage->kind == VGPU_STAGE_VERTEX                        ? COLLECTED_VERTEX
          : stage->kind == VGPU_STAGE_TILE                        ? COLLECTED_END
          : pass->background && stage == &pass->background->stage ? COLLECTED_BACKGROUND
                                                                  : COLLECTED_FRAGMENT;
}

static uint64_t planted_double(const struct render_pass *pass, const char *low, const char *high, uint64_t value)
{
   return (uint64_t)render_planted(pass, high, (uint32_t)(value >> 32)) << 32 |
          render_planted(pass, low, (uint32_t)value);
}

/* The first word of each texture and sampler that the USC words load. */
static void plant_states(const struct render_pass *pass, const struct vgpu_stage *stage, struct vgpu_states *states)
{
   const bool end = stage->kind == VGPU_STAGE_TILE;
   for (uint32_t i = 0; pass->base->plant && i < VGPU_TEXTURE_STATES; i++) {
      if (vgpu_state_is_marked(states->has_texture, i)) {
         states->textures[i][0] = planted_double(pass, end ? "end_low" : "texture_low",
                                                 end ? "end_high" : "texture_high", states->textures[i][0]);
      }
   }
   for (uint32_t i = 0; pass->base->plant && i < VGPU_SAMPLER_STATES; i++) {
      if (vgpu_state_is_marked(states->has_sampler, i)) {
         states->samplers[i].word = planted_double(pass, "sampler_low", "sampler_high", states->samplers[i].word);
      }
   }
}

bool render_program(struct render_pass *pass, struct vgpu_launch *launch, struct vgpu_stage *stage, uint64_t va,
                    uint32_t counts, const char *what)
{
   enum vgpu_fault fault = VGPU_FAULT_NONE;
   char message[VGPU_MESSAGE_BYTES], why[128];
   struct vgpu_outcome outcome;
   *launch = *pass->base;
   launch->stage = stage;
   launch->threads = 1;
   launch->extended_samplers = (counts >> 9 & 7) >= EXTENDED_SAMPLERS;
   stage->samples_log2 = pass->samples_log2;
   memcpy(stage->sample_x, pass->sample_x, sizeof(stage->sample_x));
   memcpy(stage->sample_y, pass->sample_y, sizeof(stage->sample_y));
   if (!vgpu_usc_read(launch, va, &fault, message, sizeof(message))) {
      return render_fail(pass, fault, "%s: %.300s", what, message);
   }
   plant_states(pass, stage, &launch->states);
   launch->preamble_half_registers = launch->preamble ? (uint16_t)preamble_registers(counts) : 0;
   launch->scratch_words = vgpu_scratch_words(launch, helper_of(pass, stage), why, sizeof(why));
   launch->preamble_scratch = launch->scratch_words && (helper_of(pass, stage)->cfg >> 16 & 1);
   if (launch->collection) {
      vgpu_collect(launch->collection, launch, collected_stage(pass, stage), NULL);
   }
   vgpu_core_run_preamble(launch, &outcome);
   return render_add_outcome(pass, launch->postmortem, &outcome, what);
}
