/* SPDX-License-Identifier: MIT
 *
 * Blocks of 16 x 16 texels in Morton order: bits of x and y in turn, x's first. Invariant: no byte outside of the block
 * and of the texels is touched.
 */
#ifndef VGPU_MORTON_H
#define VGPU_MORTON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VGPU_MORTON_SIDE 16u

/* A number below 16 with a zero above each of its bits: of a texel's place, x's share, and half of y's. */
static const uint8_t vgpu_morton[VGPU_MORTON_SIDE] = {0, 1, 4, 5, 16, 17, 20, 21, 64, 65, 68, 69, 80, 81, 84, 85};

typedef uint64_t vgpu_two_pairs __attribute__((vector_size(16)));
typedef uint32_t vgpu_four_texels __attribute__((vector_size(16)));

/* Four texels of four bytes that are 4 or 8 bytes apart. */
static inline vgpu_two_pairs vgpu_morton_four(const uint8_t *row, size_t step)
{
   vgpu_two_pairs four;
   if (step == 4) {
      memcpy(&four, row, sizeof(four));
      return four;
   }
   uint32_t texels[4];
   for (unsigned i = 0; i < 4; i++) {
      memcpy(&texels[i], row + i * step, sizeof(texels[i]));
   }
   return (vgpu_two_pairs)(vgpu_four_texels){texels[0], texels[1], texels[2], texels[3]};
}

/* Texels of four bytes from rows that are `stride` bytes apart to a block: four by two at a time, of which each two by
 * two are 16 bytes of the block. step: bytes from texel to texel in a row, 4 or 8. */
static inline void vgpu_morton_store(uint8_t *block, const uint8_t *rows, size_t step, size_t stride)
{
   for (unsigned y = 0; y < VGPU_MORTON_SIDE; y += 2) {
      for (unsigned x = 0; x < VGPU_MORTON_SIDE; x += 4) {
         const uint8_t *row = rows + y * stride + x * step;
         uint8_t *to = block + 4 * (vgpu_morton[x] + 2 * (size_t)vgpu_morton[y]);
         const vgpu_two_pairs upper = vgpu_morton_four(row, step), lower = vgpu_morton_four(row + stride, step);
         memcpy(to, &(vgpu_two_pairs){upper[0], lower[0]}, sizeof(upper));
         memcpy(to + 16, &(vgpu_two_pairs){upper[1], lower[1]}, sizeof(upper));
      }
   }
}

/* The other way round, to rows of texels that lie side by side. */
static inline void vgpu_morton_load(const uint8_t *block, uint8_t *rows, size_t stride)
{
   for (unsigned y = 0; y < VGPU_MORTON_SIDE; y += 2) {
      for (unsigned x = 0; x < VGPU_MORTON_SIDE; x += 4) {
         uint8_t *row = rows + y * stride + 4 * (size_t)x;
         const uint8_t *from = block + 4 * (vgpu_morton[x] + 2 * (size_t)vgpu_morton[y]);
         const vgpu_two_pairs left = vgpu_morton_four(from, 4), right = vgpu_morton_four(from + 16, 4);
         memcpy(row, &(vgpu_two_pairs){left[0], right[0]}, sizeof(left));
         memcpy(row + stride, &(vgpu_two_pairs){left[1], right[1]}, sizeof(left));
      }
   }
}

#endif
