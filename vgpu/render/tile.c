/* SPDX-License-Identifier: MIT
 *
 * The tiles of a pass, each from its background to its end, on all host threads. Invariant: tiles share nothing but
 * memory that programs write themselves, so the picture does not depend on which thread shades which tile.
 */
#include "vgpu/render/tile.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/host_threads.h"
#include "vgpu/spare.h"

static bool shade(struct render_tile *tile, const struct render_bin *bin)
{
   const struct render_pass *pass = tile->pass;
   memset(tile->memory, 0, tile->bytes);
   if (tile->undefined) {
      memset(tile->undefined, 0xff, tile->bytes);
   }
   if (!render_zls_load(tile) || !render_background(tile)) {
      return false;
   }
   for (size_t i = 0; i < bin->count; i++) {
      if (__atomic_load_n(&pass->stop, __ATOMIC_RELAXED) || !render_raster(tile, &pass->triangles[bin->triangles[i]])) {
         return false;
      }
   }
   return render_flush(tile) && render_end(tile) && render_zls_store(tile);
}

/* `data`: the pass; index: of the tile, layer by layer. */
static void work(void *data, unsigned index)
{
   struct render_pass *pass = data;
   const struct drm_asahi_cmd_render *command = pass->command;
   const struct render_bin *bin = &pass->bins[index];
   const uint32_t column = index % pass->columns, row = index / pass->columns % pass->rows;
   if (__atomic_load_n(&pass->stop, __ATOMIC_RELAXED) ||
       (!bin->count && !(command->flags & DRM_ASAHI_RENDER_PROCESS_EMPTY_TILES))) {
      return;
   }
   struct vgpu_spare *spare = pass->base->spare;
   struct render_tile *tile = vgpu_spare_take(spare, sizeof(*tile)); /* render_zls_load() fills in depth and stencil */
   if (!tile) {
      render_out_of_memory(pass);
      return;
   }
   tile->pass = pass;
   tile->draw = NULL;
   tile->count = 0;
   tile->postmortem.fault = VGPU_FAULT_NONE;
   memset(tile->used, 0, sizeof(tile->used));
   tile->layer = index / (pass->columns * pass->rows);
   tile->width = command->utile_width_px;
   tile->height = command->utile_height_px;
   tile->origin[0] = column * tile->width;
   tile->origin[1] = row * tile->height;
   tile->end[0] = tile->origin[0] + tile->width < command->width_px ? tile->origin[0] + tile->width : command->width_px;
   tile->end[1] =
       tile->origin[1] + tile->height < command->height_px ? tile->origin[1] + tile->height : command->height_px;
   tile->bytes = (tile->width * tile->height * command->sample_size_B) << pass->samples_log2;
   tile->memory = vgpu_spare_take(spare, tile->bytes);
   const bool checks = pass->base->checks & VGPU_CHECK_UNDEFINED;
   tile->undefined = checks ? malloc(tile->bytes + 1) : NULL;
   if (!tile->memory || (checks && !tile->undefined)) {
      render_out_of_memory(pass);
   } else {
      shade(tile, bin);
   }
   free(tile->undefined);
   vgpu_spare_give(spare, tile->memory, tile->bytes);
   vgpu_spare_give(spare, tile, sizeof(*tile));
}

void render_tiles(struct render_pass *pass)
{
   const unsigned count = pass->columns * pass->rows * pass->command->layers;
   if (pass->base->host && pass->base->threads > 1) {
      vgpu_host_threads_run(pass->base->host, count, work, pass);
      return;
   }
   for (unsigned i = 0; i < count; i++) {
      work(pass, i);
   }
}
