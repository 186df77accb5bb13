/* SPDX-License-Identifier: MIT
 *
 * Which samples a triangle covers: those inside of its three edges, or on one that is a top or a left edge, as all APIs
 * have it. Positions have RENDER_SUBPIXELS bits behind the point, and all arithmetic is exact.
 */
#include <string.h>

#include "vgpu/exec/exec.h"
#include "vgpu/exec/rows.h"
#include "vgpu/render/tile.h"

#define ONE (1 << RENDER_SUBPIXELS)

/* a x + b y + c >= 0 inside, x and y in fixed point. */
struct edge {
   int64_t a, b, c;
};

/* The triangle is clockwise on the screen. A left edge goes up, a top edge goes right. */
static void make_edges(const struct render_triangle *triangle, struct edge edges[3])
{
   for (unsigned i = 0; i < 3; i++) {
      const unsigned next = (i + 1) % 3;
      const int64_t dx = (int64_t)triangle->x[next] - triangle->x[i], dy = (int64_t)triangle->y[next] - triangle->y[i];
      const bool owns = dy < 0 || (dy == 0 && dx > 0);
      edges[i] = (struct edge){-dy, dx, dy * triangle->x[i] - dx * triangle->y[i] - (owns ? 0 : 1)};
   }
}

/* Whether all places of the box lie inside. */
static bool is_inside(const struct edge edges[3], const uint32_t box[4])
{
   for (unsigned i = 0; i < 3; i++) {
      const int64_t near_x = (int64_t)box[edges[i].a > 0 ? 0 : 2] * ONE;
      const int64_t near_y = (int64_t)box[edges[i].b > 0 ? 1 : 3] * ONE;
      if (edges[i].a * near_x + edges[i].b * near_y + edges[i].c < 0) {
         return false;
      }
   }
   return true;
}

/* edges NULL: the triangle covers everything. */
static uint8_t coverage(const struct render_pass *pass, const struct edge *edges, uint32_t x, uint32_t y)
{
   if (!edges) {
      return (uint8_t)((1u << (1u << pass->samples_log2)) - 1);
   }
   uint8_t samples = 0;
   for (unsigned sample = 0; sample < 1u << pass->samples_log2; sample++) {
      const int64_t at_x = (int64_t)x * ONE + pass->sample_x[sample] * (ONE / 16);
      const int64_t at_y = (int64_t)y * ONE + pass->sample_y[sample] * (ONE / 16);
      bool inside = true;
      for (unsigned i = 0; i < 3; i++) {
         inside = inside && edges[i].a * at_x + edges[i].b * at_y + edges[i].c >= 0;
      }
      samples |= (uint8_t)(inside << sample);
   }
   return samples;
}

/* Whether a quad lies outside of one edge. */
static bool is_outside(const struct edge edges[3], uint32_t x, uint32_t y)
{
   for (unsigned i = 0; i < 3; i++) {
      const int64_t far_x = (int64_t)(x + (edges[i].a > 0 ? 2 : 0)) * ONE;
      const int64_t far_y = (int64_t)(y + (edges[i].b > 0 ? 2 : 0)) * ONE;
      if (edges[i].a * far_x + edges[i].b * far_y + edges[i].c < 0) {
         return true;
      }
   }
   return false;
}

static bool raster_quad(struct render_tile *tile, const struct render_primitive *primitive, const struct edge *edges,
                        const uint32_t box[4], uint32_t x, uint32_t y)
{
   const struct render_draw *draw = primitive->draw;
   struct vgpu_fragment quad[4];
   uint8_t live = 0;
   for (unsigned i = 0; i < 4; i++) {
      const uint32_t at_x = x + (i & 1), at_y = y + i / 2;
      const bool inside = at_x >= box[0] && at_x < box[2] && at_y >= box[1] && at_y < box[3];
      const uint8_t samples = inside ? coverage(tile->pass, edges, at_x, at_y) : 0;
      quad[i] = (struct vgpu_fragment){.planes = tile->pass->planes + primitive->first_plane,
                                       .primitive = primitive,
                                       .x = (uint16_t)at_x,
                                       .y = (uint16_t)at_y,
                                       .input = samples,
                                       .live = samples,
                                       .back = primitive->back};
      if (samples && draw->early) {
         quad[i].live = (uint8_t)render_test(tile, &quad[i], samples, NULL, NULL);
         quad[i].tested = UINT8_MAX;
      }
      live |= quad[i].live;
   }
   return !live || !draw->shades || render_add_quad(tile, draw, quad);
}

/* Fragments of an earlier draw that wait, or that cover the same pixels, run first where they test depth themselves. */
static bool needs_order(const struct render_tile *tile, const struct render_draw *draw)
{
   return tile->count && tile->draw != draw;
}

/* ---- One sample a pixel: two rows at a time ---- */

/* The pixels of each of the box's rows that the triangle covers, from the tile's left side on. edges NULL: all of the
 * box. */
static void cover_rows(const struct render_tile *tile, const struct edge *edges, const uint32_t box[4],
                       uint32_t covered[RENDER_TILE_SIDE])
{
   const uint32_t from = box[0] - tile->origin[0], width = box[2] - box[0], rows = box[3] - box[1];
   const uint32_t all = (width == 32 ? UINT32_MAX : (1u << width) - 1) << from;
   const int64_t x = (int64_t)tile->origin[0] * ONE + tile->pass->sample_x[0] * (ONE / 16);
   const int64_t y = (int64_t)box[1] * ONE + tile->pass->sample_y[0] * (ONE / 16);
   struct vgpu_edges sums;
   memset(covered, 0xff, rows * sizeof(*covered));
   for (unsigned i = 0; i < 3 && edges; i++) {
      sums.at[i] = edges[i].a * x + edges[i].b * y + edges[i].c;
      sums.step[i] = edges[i].a * ONE;
      sums.down[i] = edges[i].b * ONE;
   }
   if (edges) {
      tile->pass->base->level->rows->cover(&sums, rows, covered);
   }
   for (uint32_t i = 0; i < rows; i++) {
      covered[i] &= all;
   }
}

/* One sample a pixel. */
static bool raster_rows(struct render_tile *tile, const struct render_primitive *primitive, const struct edge *edges,
                        const uint32_t box[4])
{
   const struct render_draw *draw = primitive->draw;
   uint32_t covered[RENDER_TILE_SIDE];
   cover_rows(tile, edges, box, covered);
   for (uint32_t y = box[1] & ~1u; y < box[3]; y += 2) {
      struct render_rows rows = {.y = y};
      for (unsigned i = 0; i < 2; i++) {
         rows.input[i] = y + i >= box[1] && y + i < box[3] ? covered[y + i - box[1]] : 0;
         rows.live[i] = draw->early ? render_test_row(tile, primitive, y + i, rows.input[i]) : rows.input[i];
      }
      if (rows.live[0] | rows.live[1] && draw->shades && !render_add_rows(tile, primitive, &rows)) {
         return false;
      }
   }
   return true;
}

bool render_raster(struct render_tile *tile, const struct render_triangle *triangle)
{
   const struct render_primitive *primitive = &tile->pass->primitives[triangle->primitive];
   struct edge edges[3];
   uint32_t box[4];
   if (!render_triangle_box(triangle, &primitive->draw->scissors[primitive->viewport], tile->origin, tile->end, box)) {
      return true;
   }
   if (needs_order(tile, primitive->draw) && !render_flush(tile)) {
      return false;
   }
   make_edges(triangle, edges);
   const struct edge *cut = is_inside(edges, box) ? NULL : edges;
   if (!tile->pass->samples_log2) {
      return raster_rows(tile, primitive, cut, box);
   }
   for (uint32_t y = box[1] & ~1u; y < box[3]; y += 2) {
      for (uint32_t x = box[0] & ~1u; x < box[2]; x += 2) {
         if (!(cut && is_outside(cut, x, y)) && !raster_quad(tile, primitive, cut, box, x, y)) {
            return false;
         }
      }
   }
   return true;
}
