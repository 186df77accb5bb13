/* SPDX-License-Identifier: MIT
 *
 * Loads of texels that lie in one run of the host's memory, each in its own words: what an instruction must know of the
 * level is prepared once for a descriptor. Invariant: results are those of vgpu_texels_load() bit by bit.
 */
#ifndef VGPU_DIRECT_H
#define VGPU_DIRECT_H

#include "vgpu/exec/exec.h"
#include "vgpu/exec/image/plain.h"
#include "vgpu/exec/semantics/vector.h"
#include "vgpu/exec/simd.h"

#define vgpu_direct_prepare VGPU_NAME(vgpu_direct_prepare)
#define vgpu_direct_load VGPU_NAME(vgpu_direct_load)

/* A level of an image of two dimensions. It is zero before the first use. */
struct vgpu_direct {
   enum { VGPU_NOT_PREPARED, VGPU_NOT_DIRECT, VGPU_DIRECT } state; /* of that level */
   unsigned level;
   const uint32_t *texels; /* the level's memory */
   uint32_t width, height;
   bool linear;
   uint32_t stride;                /* words of a row; linear layout only */
   uint32_t tile_x, tile_y, tiles; /* as in struct vgpu_mip */
   uint32_t words;                 /* of a texel */
   enum { VGPU_AS_IT_IS, VGPU_SIGNED_BITS, VGPU_BYTES, VGPU_HALVES } kind;
   uint32_t bits;            /* of a channel */
   uint8_t channels;         /* that exist */
   uint8_t swizzle[4];       /* as in struct vgpu_image */
   bool in_order;            /* there are four channels, and the swizzle leaves them as they are */
   uint32_t missing[4], one; /* what channels are that do not exist; the one of the swizzle */
};

/* Prepares loads of that level of layer 0. `sample` has the image, the layer, and `plain`. */
void vgpu_direct_prepare(struct vgpu_direct *direct, const struct vgpu_sample *sample, unsigned level);
/* Loads texels to the lane vectors from `to` on, one for each component of the mask, in active lanes. at: x of all
 * lanes, then y. The level is direct. */
void vgpu_direct_load(const struct vgpu_direct *direct, const struct vgpu_simd *simd, unsigned mask, const uint32_t *at,
                      uint32_t *to);

#endif
