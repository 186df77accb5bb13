/* SPDX-License-Identifier: MIT
 *
 * Texels of the common images, found quickly: two dimensions, one sample, four channels of 8 bits that are no sRGB, in
 * twiddled order. Invariant: a result is that of the general road bit by bit, or there is none and the general road is
 * taken.
 */
#ifndef VGPU_IMAGE_PLAIN_H
#define VGPU_IMAGE_PLAIN_H

#include "vgpu/exec/image/image.h"

/* What the texels that instructions take from a level share. `image` NULL: nothing yet. */
struct vgpu_plain {
   const struct vgpu_image *image;
   unsigned level;
   uint32_t layer;
   uint64_t address;       /* of the level in the layer */
   const uint32_t *texels; /* the level's memory where it is one run on the host; NULL: page by page */
   bool compressed;
   uint64_t key; /* which 16 x 16 texels `modes` are of; 0: of none */
   uint8_t modes[8], solid;
   bool has_solid;                                                     /* one of the modes is that of one colour */
   enum { VGPU_NOT_LOOKED_AT, VGPU_ALL_BYTES, VGPU_SOME_SOLID } whole; /* what the level's metadata say */
};

/* For another instruction: memory may have changed, the descriptor has not. */
static inline void vgpu_plain_renew(struct vgpu_plain *plain)
{
   plain->key = 0;
   plain->whole = VGPU_NOT_LOOKED_AT;
}

/* value / 255, rounded to f32 once. (texel.c) */
extern const float vgpu_bytes_of_one[256];

static inline bool vgpu_is_plain(const struct vgpu_image *image)
{
   return image->dimension == VGPU_2D && image->layout == VGPU_TWIDDLED && image->type == VGPU_UNORM &&
          image->packing == VGPU_CHANNELS && image->bits[0] == 8 && image->bits[3] == 8 && !image->srgb &&
          image->samples_log2 == 0 && !image->null && image->address % 4 == 0;
}

/* The largest whole number that is not larger. |value| < 2^62. */
static inline int64_t vgpu_floor(double value)
{
   const int64_t whole = (int64_t)value;
   return whole - ((double)whole > value);
}

/* Texels and weights of a coordinate: the lower one, and how much of the next one. */
struct vgpu_span {
   int64_t first;
   double next; /* weight */
};

#define VGPU_FRACTION 256.0 /* of weights */

/* weight: from 0 to 1. */
static inline double vgpu_round_weight(double weight)
{
   return (double)vgpu_floor(weight * VGPU_FRACTION + 0.5) / VGPU_FRACTION;
}

static inline struct vgpu_span vgpu_span_of(double at, int32_t offset, bool linear)
{
   const int64_t first = vgpu_floor(linear ? at - 0.5 : at);
   return (struct vgpu_span){first + offset, linear ? vgpu_round_weight(at - 0.5 - (double)first) : 0};
}

/* The texel for one outside; -1: the border. (sampler.c) */
int64_t vgpu_wrap(uint8_t mode, int64_t at, int64_t size);

/* The weighted sum of the texels of both spans, each channel from 0 to 1. `wrap`: the sampler's modes, none of which is
 * OpenGL's old clamp. false: the general road. */
bool vgpu_plain_filter(const struct vgpu_sample *sample, unsigned level, const struct vgpu_span spans[2],
                       double sum[4]);
/* Finds the level's start; false: the level or the layer does not exist. */
bool vgpu_plain_choose(const struct vgpu_sample *sample, unsigned level);
/* Whether each texel from (box[0], box[1]) to (box[2], box[3]), both included, lies in its own four bytes. The level
 * was chosen. Of a large box, the whole level is looked at; false then says that some texel of it does not. */
bool vgpu_plain_has_bytes(const struct vgpu_sample *sample, const uint32_t box[4]);
/* Whether all texels around them are uncompressed, so that one can be stored alone. false: not, or the box is large. */
bool vgpu_plain_is_uncompressed(const struct vgpu_sample *sample, const uint32_t box[4]);
/* The four bytes of a texel inside the level; NULL: the general road. */
const uint8_t *vgpu_plain_texel(const struct vgpu_sample *sample, unsigned level, uint32_t x, uint32_t y);

#endif
