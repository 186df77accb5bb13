/* SPDX-License-Identifier: MIT
 *
 * A render command from its start to its end. Invariant: what a pass allocates is freed here, however it ends.
 */
#include "vgpu/render/pass.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/command/programs.h"
#include "vgpu/exec/exec.h"
#include "vgpu/postmortem.h"
#include "vgpu/render/render.h"
#include "vgpu/spare.h"
#include "vgpu/uses.h"
#include "util/array.h"

bool render_fail(struct render_pass *pass, enum vgpu_fault fault, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   pthread_mutex_lock(&pass->lock);
   if (pass->result->fault == VGPU_FAULT_NONE) {
      pass->result->fault = fault;
      vsnprintf(pass->result->message, sizeof(pass->result->message), format, arguments);
   }
   __atomic_store_n(&pass->stop, true, __ATOMIC_RELAXED);
   pthread_mutex_unlock(&pass->lock);
   va_end(arguments);
   return false;
}

bool render_out_of_memory(struct render_pass *pass)
{
   return render_fail(pass, VGPU_FAULT_RESOURCES, "out of host memory for the render pass");
}

void render_count(struct render_pass *pass, const struct vgpu_launch *launch, uint32_t threads, uint32_t group,
                  const struct vgpu_outcome *outcome, const char *stage)
{
   pthread_mutex_lock(pass->device->lock);
   vgpu_programs_add_stage(pass->device->programs, launch, threads, group, outcome, stage);
   pthread_mutex_unlock(pass->device->lock);
}

bool render_add_outcome(struct render_pass *pass, const struct vgpu_postmortem *postmortem,
                        const struct vgpu_outcome *outcome, const char *what)
{
   const bool good = outcome->fault == VGPU_FAULT_NONE;
   pthread_mutex_lock(&pass->lock);
   pass->result->instructions += outcome->instructions;
   pass->result->thread_instructions += outcome->thread_instructions;
   vgpu_soft_faults_add(&pass->result->soft, &outcome->soft);
   if (!good && pass->result->fault == VGPU_FAULT_NONE && pass->postmortem) {
      *pass->postmortem = *postmortem;
   }
   pthread_mutex_unlock(&pass->lock);
   return good || render_fail(pass, outcome->fault, "%s: %.330s", what, outcome->message);
}

bool render_read(struct render_pass *pass, const char *what, uint64_t va, void *data, size_t size)
{
   uint64_t bad;
   return vgpu_pages_read(pass->base->pages, va, data, size, &bad) ||
          render_fail(pass, VGPU_FAULT_MEMORY, "%s: read of unmapped address 0x%" PRIx64, what, bad);
}

/* The background or end-of-tile program. */
static bool tile_program(struct render_pass *pass, const struct drm_asahi_bg_eot *from, enum vgpu_stage_kind kind,
                         const char *what, struct render_draw **to)
{
   if (!(from->usc & ~63u)) {
      return true;
   }
   struct render_draw *draw = calloc(1, sizeof(*draw));
   if (!draw) {
      return render_out_of_memory(pass);
   }
   *to = draw;
   draw->shades = true;
   draw->stage.kind = (uint8_t)kind;
   draw->stage.name = kind == VGPU_STAGE_TILE ? "end-of-tile" : "background";
   draw->stage.draw = VGPU_NO_DRAW;
   return render_program(pass, &draw->fragment, &draw->stage, pass->base->usc_base + (from->usc & ~63u),
                         from->rsrc_spec, what);
}

/* Drops the background or end-of-tile program where a planted fault says so. */
static void plant_programs(struct render_pass *pass)
{
   const struct render_draw *background = pass->background;
   const bool loads = background && background->fragment.states.has_texture[0];
   if (!render_planted(pass, loads ? "background_loads" : "background_clears", 1)) {
      free(pass->background);
      pass->background = NULL;
   }
   if (!render_planted(pass, "end_runs", 1)) {
      free(pass->end);
      pass->end = NULL;
   }
}

static void plant_command(const struct render_pass *pass, struct drm_asahi_cmd_render *command)
{
   const uint64_t high = ~(uint64_t)UINT32_MAX;
   command->flags = render_planted(pass, "flags", command->flags);
   command->layers = (uint16_t)render_planted(pass, "layers", command->layers);
   command->ppp_multisamplectl =
       (command->ppp_multisamplectl & high) | render_planted(pass, "samples_at", (uint32_t)command->ppp_multisamplectl);
   command->zls_ctrl = (command->zls_ctrl & high) | render_planted(pass, "zls_control", (uint32_t)command->zls_ctrl);
   command->isp_bgobjdepth = render_planted(pass, "clear_depth", command->isp_bgobjdepth);
   command->isp_bgobjvals = render_planted(pass, "clear_stencil", command->isp_bgobjvals);
}

/* Depth and stencil are images that no program names. */
static void tell_use(struct render_pass *pass, uint64_t address, bool loads, bool stores)
{
   if (pass->base->uses && loads) {
      vgpu_uses_add(pass->base->uses, (struct vgpu_use){.address = address});
   }
   if (pass->base->uses && stores) {
      vgpu_uses_add(pass->base->uses, (struct vgpu_use){.address = address, .writes = true});
   }
}

static void start(struct render_pass *pass)
{
   const struct drm_asahi_cmd_render *command = pass->command;
   pass->columns = (command->width_px + command->utile_width_px - 1u) / command->utile_width_px;
   pass->rows = (command->height_px + command->utile_height_px - 1u) / command->utile_height_px;
   tell_use(pass, command->depth.base, command->zls_ctrl >> 15 & 1, command->zls_ctrl >> 19 & 1);
   tell_use(pass, command->stencil.base, command->zls_ctrl >> 14 & 1, command->zls_ctrl >> 18 & 1);
   pass->samples_log2 = command->samples == 4 ? 2 : command->samples == 2 ? 1 : 0;
   for (unsigned i = 0; i < VGPU_MAX_SAMPLES; i++) {
      pass->sample_x[i] = command->ppp_multisamplectl >> 8 * i & 15;
      pass->sample_y[i] = command->ppp_multisamplectl >> (8 * i + 4) & 15;
   }
}

static void finish(struct render_pass *pass)
{
   struct vgpu_spare *spare = pass->base->spare;
   for (size_t i = 0; pass->bins && i < (size_t)pass->columns * pass->rows * pass->command->layers; i++) {
      free(pass->bins[i].triangles);
   }
   for (size_t i = 0; i < pass->draw_count; i++) {
      free(pass->draws[i]);
   }
   free(pass->bins);
   free(pass->draws);
   vgpu_spare_give(spare, pass->primitives, pass->primitive_capacity * sizeof(*pass->primitives));
   vgpu_spare_give(spare, pass->triangles, pass->triangle_capacity * sizeof(*pass->triangles));
   vgpu_spare_give(spare, pass->planes, pass->plane_capacity * sizeof(*pass->planes));
   free(pass->background);
   free(pass->end);
   pthread_mutex_destroy(&pass->lock);
}

void vgpu_render_run(const struct vgpu_stream_device *device, const struct vgpu_launch *base,
                     const struct drm_asahi_cmd_render *command, struct vgpu_command_result *result)
{
   struct vgpu_launch *own = malloc(sizeof(*own));
   if (!own) {
      result->fault = VGPU_FAULT_RESOURCES;
      snprintf(result->message, sizeof(result->message), "out of host memory for the render pass");
      return;
   }
   /* The model does not know stages. Fragments that store to one address race as the APIs let them. */
   *own = *base;
   own->timing = false;
   own->checks &= ~(unsigned)VGPU_CHECK_RACES;
   own->threads = own->checks ? 1 : own->threads;
   own->profile = NULL;
   own->trace = NULL;
   own->sampler_heap = command->sampler_heap;
   own->sampler_count = command->sampler_count;
   struct drm_asahi_cmd_render planted = *command;
   struct render_pass pass = {.command = &planted, .device = device, .base = own, .result = result};
   own->postmortem = base->postmortem ? calloc(1, sizeof(*own->postmortem)) : NULL;
   pass.postmortem = own->postmortem ? base->postmortem : NULL;
   plant_command(&pass, &planted);
   pthread_mutex_init(&pass.lock, NULL);
   start(&pass);
   if (tile_program(&pass, &command->bg, VGPU_STAGE_FRAGMENT, "background program", &pass.background) &&
       tile_program(&pass, &command->eot, VGPU_STAGE_TILE, "end-of-tile program", &pass.end)) {
      plant_programs(&pass);
      pass.clear.is_one = pass.background && render_is_clear(&pass, pass.background);
      if (render_geometry(&pass) && render_bin_all(&pass)) {
         render_tiles(&pass);
      }
   }
   finish(&pass);
   free(own->postmortem);
   free(own);
}
