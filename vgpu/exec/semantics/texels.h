/* SPDX-License-Identifier: MIT
 *
 * Texels of all lanes of a simdgroup, side by side. Invariant: results are those of vgpu_texel_read() and
 * vgpu_texel_write() bit by bit, or a function returns false and the caller takes the road lane by lane.
 */
#ifndef VGPU_TEXELS_H
#define VGPU_TEXELS_H

#include "vgpu/exec/exec.h"
#include "vgpu/exec/image/plain.h"
#include "vgpu/exec/semantics/vector.h"
#include "vgpu/exec/simd.h"

#define VGPU_MOST_SIDE 16384u /* of an image: texels of a level have numbers of 32 bits */

#define vgpu_texel_shares VGPU_NAME(vgpu_texel_shares)
#define vgpu_texel_fetch VGPU_NAME(vgpu_texel_fetch)
#define vgpu_texel_bits VGPU_NAME(vgpu_texel_bits)
#define vgpu_texels_choose VGPU_NAME(vgpu_texels_choose)
#define vgpu_texels_load VGPU_NAME(vgpu_texels_load)
#define vgpu_texels_store VGPU_NAME(vgpu_texels_store)

/* Bytes / 255 as vgpu_bytes_of_one[] has them, rounded once. 1 / 255 is HIGH + LOW; a byte times HIGH is exact, and
 * times LOW so small that the sum rounds as the quotient does (true of all 256). */
VGPU_INLINE vf vgpu_bytes_of(vu bytes)
{
   const vf values = __builtin_convertvector((vi)bytes, vf);
   return values * 0x1.01p-8f + values * 0x1.010102p-24f;
}

/* What a column (or, `down`, a row) adds to a texel's number in a twiddled level. */
void vgpu_texel_shares(const struct vgpu_mip *mip, const uint32_t at[VGPU_LANES], bool down,
                       uint32_t shares[VGPU_LANES]);
/* Words of 32 bits by their numbers plus `offset`, from the level's address on, which is a multiple of 4; false: a page
 * is not mapped. */
bool vgpu_texel_fetch(struct vgpu_memory *memory, const struct vgpu_plain *plain, unsigned offset,
                      const uint32_t numbers[VGPU_LANES], uint32_t words[VGPU_LANES]);
/* Bits of all channels that exist, if they are the same and fill the texel; 0: not. */
unsigned vgpu_texel_bits(const struct vgpu_image *image);
/* Whether the level is there, and of a kind that the functions below take. `sample` has the image, the layer, and
 * `plain`, which is that of the level then. */
bool vgpu_texels_choose(const struct vgpu_sample *sample, unsigned level);
/* Loads texels without a sampler. `sample` has the image, which has a texel in each place, the layer, and `plain`; at:
 * x and y of each lane, or y NULL for images of one dimension. Four channels, each a lane vector, are zero for lanes
 * outside of the level, and mean nothing for inactive lanes; inside: the active lanes that are not outside. */
bool vgpu_texels_load(const struct vgpu_sample *sample, unsigned level, const uint32_t *const at[2],
                      uint32_t channels[4][VGPU_LANES], uint32_t *inside);
/* Stores texels to the image's first level. `sample`, `at` and the channels as above; active: lanes that store. */
bool vgpu_texels_store(const struct vgpu_sample *sample, uint32_t active, const uint32_t *const at[2],
                       uint32_t channels[4][VGPU_LANES]);

#endif
