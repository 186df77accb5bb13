/* SPDX-License-Identifier: MIT
 *
 * A tile that a host thread shades: its memory, its depth and stencil, and the fragments that wait to be run together.
 */
#ifndef VGPU_RENDER_TILE_H
#define VGPU_RENDER_TILE_H

#include "vgpu/postmortem.h"
#include "vgpu/render/pass.h"

#define RENDER_TILE_PIXELS 1024u
#define RENDER_TILE_SIDE 32u

struct render_tile {
   struct render_pass *pass;
   uint32_t origin[2], end[2]; /* pixels; end is excluded, and inside the frame */
   uint32_t layer;
   uint32_t width, height; /* of a whole tile */
   uint32_t bytes;
   uint8_t *memory;
   uint8_t *undefined;                             /* its bits that nothing wrote; NULL: VGPU_CHECK_UNDEFINED is off */
   float z[RENDER_TILE_PIXELS * VGPU_MAX_SAMPLES]; /* by row, column, sample */
   uint8_t stencil[RENDER_TILE_PIXELS * VGPU_MAX_SAMPLES];
   /* Fragments of one draw. */
   const struct render_draw *draw;
   uint32_t count; /* threads: whole quads */
   struct vgpu_fragment fragments[RENDER_TILE_PIXELS];
   uint32_t used[RENDER_TILE_SIDE];   /* pixels that one of them covers: a bit each, by row */
   struct vgpu_postmortem postmortem; /* of a launch that faulted */
};

static inline uint32_t render_tile_pixel(const struct render_tile *tile, uint32_t x, uint32_t y)
{
   return (y - tile->origin[1]) * tile->width + (x - tile->origin[0]);
}

/* Pixels of two rows of a tile, y and y + 1: bits from the tile's left side on. y is even. */
struct render_rows {
   uint32_t y, input[2], live[2]; /* as struct vgpu_fragment has them for one sample */
};

/* Covers, tests and collects the pixels of a triangle. (raster.c) */
bool render_raster(struct render_tile *tile, const struct render_triangle *triangle);
/* The box of a triangle within pixels and a scissor; false: empty. (bins.c) */
bool render_triangle_box(const struct render_triangle *triangle, const struct render_scissor *scissor,
                         const uint32_t min[2], const uint32_t max[2], uint32_t box[4]);
/* Runs the fragments that wait. (fragments.c) */
bool render_flush(struct render_tile *tile);
/* Adds a quad. (fragments.c) */
bool render_add_quad(struct render_tile *tile, const struct render_draw *draw, const struct vgpu_fragment quad[4]);
/* Adds the quads of two rows in which a pixel is live. (fragments.c) */
bool render_add_rows(struct render_tile *tile, const struct render_primitive *primitive,
                     const struct render_rows *rows);
/* Fills the tile with what another one's background program has left there; false: that is not known. (clear.c) */
bool render_clear_take(struct render_tile *tile);
/* The background program has filled the tile. (clear.c) */
void render_clear_keep(struct render_tile *tile, const struct vgpu_outcome *outcome);
/* Runs the background program on all pixels, and the end-of-tile program. (fragments.c) */
bool render_background(struct render_tile *tile);
bool render_end(struct render_tile *tile);
/* struct vgpu_stage's test; `data`: the tile. (depth.c) */
uint32_t render_test(void *data, const struct vgpu_fragment *fragment, uint32_t samples, const float *z,
                     const uint8_t *stencil);
/* The same for pixels of a row, of one sample each: bits from the tile's left side on. (depth.c) */
uint32_t render_test_row(struct render_tile *tile, const struct render_primitive *primitive, uint32_t y,
                         uint32_t pixels);
/* Depth and stencil of all pixels, from memory or the command's values; and to memory. (zls.c) */
bool render_zls_load(struct render_tile *tile);
bool render_zls_store(struct render_tile *tile);

#endif
