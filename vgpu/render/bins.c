/* SPDX-License-Identifier: MIT
 *
 * The tiles that each triangle touches, by its bounding box and scissor. Invariant: a tile's list is in the order of
 * the draws.
 */
#include <stdlib.h>

#include "util/array.h"
#include "vgpu/render/tile.h"

/* The pixels of a box that a scissor leaves; false: none. */
bool render_triangle_box(const struct render_triangle *triangle, const struct render_scissor *scissor,
                         const uint32_t min[2], const uint32_t max[2], uint32_t box[4])
{
   for (unsigned axis = 0; axis < 2; axis++) {
      const int32_t *at = axis ? triangle->y : triangle->x;
      int32_t least = at[0], most = at[0];
      for (unsigned i = 1; i < 3; i++) {
         least = at[i] < least ? at[i] : least;
         most = at[i] > most ? at[i] : most;
      }
      const int64_t low = least >> RENDER_SUBPIXELS, high = (most >> RENDER_SUBPIXELS) + 1;
      const int64_t from = min[axis] > scissor->min[axis] ? min[axis] : scissor->min[axis];
      const int64_t to = max[axis] < scissor->max[axis] ? max[axis] : scissor->max[axis];
      const int64_t start = low > from ? low : from, end = high < to ? high : to;
      if (start >= end) {
         return false;
      }
      box[axis] = (uint32_t)start;
      box[2 + axis] = (uint32_t)end;
   }
   return true;
}

bool render_bin_all(struct render_pass *pass)
{
   const struct drm_asahi_cmd_render *command = pass->command;
   pass->bins = calloc((size_t)pass->columns * pass->rows * command->layers, sizeof(*pass->bins));
   if (!pass->bins) {
      return render_out_of_memory(pass);
   }
   const uint32_t min[2] = {0, 0}, max[2] = {command->width_px, command->height_px};
   for (size_t i = 0; i < pass->triangle_count; i++) {
      const struct render_triangle *triangle = &pass->triangles[i];
      const struct render_primitive *primitive = &pass->primitives[triangle->primitive];
      uint32_t box[4];
      if (!render_triangle_box(triangle, &primitive->draw->scissors[primitive->viewport], min, max, box)) {
         continue;
      }
      for (uint32_t row = box[1] / command->utile_height_px; row <= (box[3] - 1) / command->utile_height_px; row++) {
         for (uint32_t column = box[0] / command->utile_width_px; column <= (box[2] - 1) / command->utile_width_px;
              column++) {
            struct render_bin *bin =
                &pass->bins[((size_t)primitive->layer * pass->rows + row) * pass->columns + column];
            if (!ARRAY_RESERVE_ONE(bin->triangles, bin->count)) {
               return render_out_of_memory(pass);
            }
            bin->triangles[bin->count++] = (uint32_t)i;
         }
      }
   }
   return true;
}
