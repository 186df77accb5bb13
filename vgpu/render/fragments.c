/* SPDX-License-Identifier: MIT
 *
 * Runs the programs of a tile. Fragments of a draw are collected until one covers a pixel that another one covers
 * already: so each pixel sees primitives in their order, and the fragments of a launch are independent.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "vgpu/exec/exec.h"
#include "vgpu/render/tile.h"

/* All pixels. */
static void fill_fragments(struct render_tile *tile)
{
   uint32_t count = 0;
   const uint8_t all = (uint8_t)((1u << (1u << tile->pass->samples_log2)) - 1);
   for (uint32_t y = 0; y < tile->height; y += 2) {
      for (uint32_t x = 0; x < tile->width; x += 2) {
         for (unsigned i = 0; i < 4; i++) {
            tile->fragments[count++] = (struct vgpu_fragment){.x = (uint16_t)(tile->origin[0] + x + (i & 1)),
                                                              .y = (uint16_t)(tile->origin[1] + y + i / 2),
                                                              .input = all,
                                                              .live = all,
                                                              .tested = UINT8_MAX};
         }
      }
   }
}

static bool run(struct render_tile *tile, const struct render_draw *draw, struct vgpu_fragment *fragments,
                uint32_t threads, const char *name)
{
   struct vgpu_stage stage = draw->stage;
   struct vgpu_outcome outcome;
   char what[64] = "";
   const bool of_draw = draw != tile->pass->background && draw != tile->pass->end;
   stage.fragments = fragments;
   stage.plane_count = draw->plane_count;
   stage.tile = tile->memory;
   stage.tile_bytes = tile->bytes;
   stage.tile_undefined = tile->undefined;
   stage.name = name;
   stage.draw = of_draw ? draw->number : VGPU_NO_DRAW;
   memcpy(stage.origin, tile->origin, sizeof(stage.origin));
   stage.layer = tile->layer;
   stage.test = render_test;
   stage.data = tile;
   const struct vgpu_launch *launch = &draw->fragment;
   struct vgpu_postmortem *postmortem = tile->pass->postmortem ? &tile->postmortem : NULL;
   if (draw != tile->pass->background) {
      vgpu_core_run_stage(launch, &stage, threads, postmortem, &outcome);
   } else if (render_clear_take(tile)) {
      outcome = tile->pass->clear.outcome;
   } else {
      fill_fragments(tile);
      vgpu_core_run_stage(launch, &stage, threads, postmortem, &outcome);
      render_clear_keep(tile, &outcome);
   }
   render_count(tile->pass, launch, threads, threads, &outcome, name);
   if (outcome.fault != VGPU_FAULT_NONE && of_draw) {
      snprintf(what, sizeof(what), "%s program of draw %" PRIu64, name, draw->number);
   } else if (outcome.fault != VGPU_FAULT_NONE) {
      snprintf(what, sizeof(what), "%s program", name);
   }
   return render_add_outcome(tile->pass, postmortem, &outcome, what);
}

bool render_flush(struct render_tile *tile)
{
   const uint32_t count = tile->count;
   if (!count) {
      return true;
   }
   tile->count = 0;
   memset(tile->used, 0, sizeof(tile->used));
   return run(tile, tile->draw, tile->fragments, count, "fragment");
}

static uint32_t *used_row(struct render_tile *tile, uint32_t y)
{
   return &tile->used[y - tile->origin[1]];
}

static uint32_t pixel_bit(const struct render_tile *tile, uint32_t x)
{
   return 1u << (x - tile->origin[0]);
}

bool render_add_quad(struct render_tile *tile, const struct render_draw *draw, const struct vgpu_fragment quad[4])
{
   bool flush = tile->count && (tile->draw != draw || tile->count + 4 > tile->width * tile->height);
   for (unsigned i = 0; i < 4; i++) {
      flush = flush || (quad[i].input && *used_row(tile, quad[i].y) & pixel_bit(tile, quad[i].x));
   }
   if (flush && !render_flush(tile)) {
      return false;
   }
   tile->draw = draw;
   memcpy(tile->fragments + tile->count, quad, 4 * sizeof(*quad));
   tile->count += 4;
   for (unsigned i = 0; i < 4; i++) {
      *used_row(tile, quad[i].y) |= quad[i].input ? pixel_bit(tile, quad[i].x) : 0;
   }
   return true;
}

/* The bits of the quads in which one is set. */
static uint32_t whole_quads(uint32_t bits)
{
   const uint32_t left = (bits | bits >> 1) & 0x55555555;
   return left | left << 1;
}

/* The quads of two rows. What follows a fragment's pointers is written as one word: this is done for each pixel. */
static void fill_quads(struct render_tile *tile, const struct render_primitive *primitive,
                       const struct render_rows *rows, uint32_t quads)
{
   _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && sizeof(struct vgpu_fragment) == 3 * sizeof(uint64_t) &&
                      offsetof(struct vgpu_fragment, x) == 2 * sizeof(uint64_t),
                  "the words below");
   const uint64_t tested = primitive->draw->early ? UINT64_C(0xff) << 48 : 0, covered = tested | UINT64_C(1) << 32;
   const struct vgpu_plane *planes = tile->pass->planes + primitive->first_plane;
   const uint64_t first = tile->origin[0] | (uint64_t)rows->y << 16 | (uint64_t)primitive->back << 56;
   struct vgpu_fragment *to = tile->fragments + tile->count;
   for (uint32_t left = quads & 0x55555555; left; left &= left - 1) {
      const unsigned at = (unsigned)__builtin_ctz(left);
      for (unsigned i = 0; i < 4; i++, to++) {
         const unsigned bit = at + (i & 1), row = i / 2;
         const uint64_t live = rows->live[row] >> bit & 1;
         const uint64_t word =
             (first + bit + ((uint64_t)row << 16)) | live << 40 | (rows->input[row] >> bit & 1 ? covered : 0);
         to->planes = planes;
         to->primitive = primitive;
         memcpy(&to->x, &word, sizeof(word));
      }
   }
}

bool render_add_rows(struct render_tile *tile, const struct render_primitive *primitive, const struct render_rows *rows)
{
   const struct render_draw *draw = primitive->draw;
   const uint32_t quads = whole_quads(rows->live[0] | rows->live[1]);
   const uint32_t covered[2] = {rows->input[0] & quads, rows->input[1] & quads};
   const uint32_t threads = 2 * (uint32_t)__builtin_popcount(quads);
   uint32_t *used = used_row(tile, rows->y);
   if (tile->count && (tile->draw != draw || tile->count + threads > tile->width * tile->height ||
                       used[0] & covered[0] || used[1] & covered[1])) {
      if (!render_flush(tile)) {
         return false;
      }
   }
   fill_quads(tile, primitive, rows, quads);
   tile->draw = draw;
   tile->count += threads;
   used[0] |= covered[0];
   used[1] |= covered[1];
   return true;
}

bool render_background(struct render_tile *tile)
{
   return !tile->pass->background ||
          run(tile, tile->pass->background, tile->fragments, tile->width * tile->height, "background");
}

bool render_end(struct render_tile *tile)
{
   return !tile->pass->end || run(tile, tile->pass->end, NULL, 1, "end-of-tile");
}
