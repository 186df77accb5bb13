/* SPDX-License-Identifier: MIT
 *
 * What a launch of a render pass has besides its threads: vertices and where their outputs go, or fragments with the
 * coefficients of their primitives and the tile's memory (docs/spec/render.md). The room vgpu/render fills it,
 * vgpu/exec reads it.
 *
 * Invariant: no two fragments of a launch are the same pixel, so that their order does not matter.
 */
#ifndef VGPU_STAGE_H
#define VGPU_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#define VGPU_MAX_SAMPLES 4u
#define VGPU_NO_DRAW UINT64_MAX
#define VGPU_TILE_CORNER 32u /* coefficients that programs load count from the corner of so many pixels squared */

#define VGPU_PRELOADED 5u /* the register of a vertex's number; the next one has the instance's */

enum vgpu_stage_kind {
   VGPU_STAGE_COMPUTE,
   VGPU_STAGE_VERTEX,   /* threads in a line, each a vertex */
   VGPU_STAGE_FRAGMENT, /* one threadgroup, four threads a quad: left to right, then top to bottom */
   VGPU_STAGE_TILE,     /* one thread, which sees the tile's memory: the end-of-tile program */
};

/* A coefficient register: a x + b y + c in pixels of the frame, or the same bits everywhere. */
struct vgpu_plane {
   double a, b, c;
   uint32_t bits;
   bool flat;
   bool undefined; /* VGPU_CHECK_UNDEFINED: some corner's vertex program has not written it, or from such a value */
};

/* A pixel of a primitive. */
struct vgpu_fragment {
   const struct vgpu_plane *planes; /* NULL: the background's pixels have none */
   const void *primitive;           /* the test's own */
   uint16_t x, y;
   uint8_t input;  /* samples that the primitive covers; 0: a helper */
   uint8_t live;   /* of these, neither killed nor failed */
   uint8_t tested; /* samples whose depth and stencil were tested, or need not be */
   bool back;
};

struct vgpu_stage {
   uint8_t kind;     /* enum vgpu_stage_kind */
   const char *name; /* of the program, for reports: "fragment" */
   uint64_t draw;    /* its number; VGPU_NO_DRAW: the program is not a draw's */
   /* Vertices. */
   const uint32_t *vertices, *instances; /* by thread */
   uint32_t *outputs;                    /* `output_words` for each thread */
   uint32_t *undefined;                  /* their bits that nothing wrote; NULL: VGPU_CHECK_UNDEFINED is off */
   uint32_t output_words;
   /* Fragments and tiles. */
   struct vgpu_fragment *fragments; /* by thread */
   uint32_t plane_count;
   uint8_t *tile;           /* threadgroup memory */
   uint8_t *tile_undefined; /* its bits that nothing wrote; NULL: VGPU_CHECK_UNDEFINED is off */
   uint32_t tile_bytes;
   uint32_t origin[2]; /* of the tile, in pixels */
   uint32_t layer;
   uint8_t samples_log2;
   uint8_t sample_x[VGPU_MAX_SAMPLES], sample_y[VGPU_MAX_SAMPLES]; /* in 1/16 pixel */
   /* Tests depth and stencil of samples, and updates both and the queries. Returns those that pass. z, stencil: from
    * the program, else NULL. */
   uint32_t (*test)(void *data, const struct vgpu_fragment *fragment, uint32_t samples, const float *z,
                    const uint8_t *stencil);
   void *data;
};

/* Which of the lanes, the first of which is a thread, may store to memory: those of helpers and of fragments that were
 * killed or failed do not (docs/spec/render.md 4). */
static inline uint32_t vgpu_stage_storing(const struct vgpu_stage *stage, uint32_t first, uint32_t lanes)
{
   uint32_t storing = lanes;
   if (stage && stage->kind == VGPU_STAGE_FRAGMENT) {
      for (uint32_t left = lanes; left; left &= left - 1) {
         const unsigned lane = (unsigned)__builtin_ctz(left);
         storing &= stage->fragments[first + lane].live ? UINT32_MAX : ~(1u << lane);
      }
   }
   return storing;
}

#endif
