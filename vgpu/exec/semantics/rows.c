/* SPDX-License-Identifier: MIT
 *
 * Coverage and depth of a row of pixels, a lane each, for vgpu/render: it gets them from the table of levels, since
 * they are loops that the compiler makes vectors of. Invariant: exact integers for coverage; for depth, each operation
 * is rounded as it is written.
 */
#include "vgpu/exec/rows.h"

#include <stdlib.h>

#include "vgpu/exec/semantics/vector.h"

/* Whether no sum of the rows leaves 32 bits. */
static bool is_narrow(const struct vgpu_edges *edges, unsigned rows)
{
   for (unsigned i = 0; i < 3; i++) {
      const int64_t at = edges->at[i], step = edges->step[i], down = edges->down[i];
      if (llabs(at) > INT32_MAX / 4 || llabs(step) > INT32_MAX / 4 / VGPU_LANES || llabs(down) > INT32_MAX / 4 / rows) {
         return false;
      }
   }
   return true;
}

static void cover_narrow(const struct vgpu_edges *edges, unsigned rows, uint32_t *covered)
{
   VGPU_LANE_ARRAY(int32_t, sums[3]);
   for (unsigned i = 0; i < 3; i++) {
      const int32_t at = (int32_t)edges->at[i], step = (int32_t)edges->step[i];
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         sums[i][lane] = at + step * (int32_t)lane;
      }
   }
   for (unsigned row = 0; row < rows; row++) {
      uint32_t outside = 0;
      for (unsigned chunk = 0; chunk < VGPU_CHUNKS; chunk++) {
         vi sign = {0};
         for (unsigned i = 0; i < 3; i++) {
            vi *sum = (vi *)(void *)&sums[i][chunk * VGPU_WIDTH];
            sign |= *sum;
            *sum += (int32_t)edges->down[i] - (vi){0};
         }
         outside |= vgpu_bits((vu)(sign < 0), chunk);
      }
      covered[row] = ~outside;
   }
}

static void cover(const struct vgpu_edges *edges, unsigned rows, uint32_t *covered)
{
   VGPU_LANE_ARRAY(int64_t, sums[3]);
   VGPU_LANE_ARRAY(int32_t, sign);
   if (is_narrow(edges, rows)) {
      cover_narrow(edges, rows, covered);
      return;
   }
   for (unsigned i = 0; i < 3; i++) {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         sums[i][lane] = edges->at[i] + edges->step[i] * lane;
      }
   }
   for (unsigned row = 0; row < rows; row++) {
      uint32_t outside = 0;
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         sign[lane] = (int32_t)((uint64_t)(sums[0][lane] | sums[1][lane] | sums[2][lane]) >> 32);
      }
      for (unsigned i = 0; i < 3; i++) {
         for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
            sums[i][lane] += edges->down[i];
         }
      }
      for (unsigned chunk = 0; chunk < VGPU_CHUNKS; chunk++) {
         outside |= vgpu_bits((vu)(*(const vi *)(const void *)&sign[chunk * VGPU_WIDTH] < 0), chunk);
      }
      covered[row] = ~outside;
   }
}

#define HALF (VGPU_LANES / 2)

/* 16 pixels from the row's lane `first` on; `old` and `pixels` are theirs. */
static uint32_t test_half(const struct vgpu_depth_row *row, unsigned first, float *old, uint32_t pixels)
{
   _Alignas(64) float depth[HALF];
   _Alignas(64) uint32_t passes[HALF];
   const uint32_t on_less = row->function & 1, on_equal = row->function >> 1 & 1, on_greater = row->function >> 2 & 1;
   uint32_t passed = 0;
   for (unsigned lane = 0; lane < HALF; lane++) {
      double z = row->a * (row->first + (int32_t)(first + lane)) + row->down + row->c;
      z = z > row->least ? z : row->least;
      z = z < row->most ? z : row->most;
      depth[lane] = (float)z;
   }
   for (unsigned lane = 0; lane < HALF; lane++) {
      const uint32_t less = depth[lane]<old[lane], greater = depth[lane]> old[lane];
      passes[lane] = (less & on_less) | (greater & on_greater) | (((less | greater) ^ 1) & on_equal);
   }
   for (unsigned lane = 0; lane < HALF; lane++) {
      passed |= passes[lane] << lane;
   }
   passed &= pixels;
   for (unsigned lane = 0; lane < HALF && row->writes; lane++) {
      old[lane] = passed >> lane & 1 ? depth[lane] : old[lane];
   }
   return passed;
}

static uint32_t test_depth(const struct vgpu_depth_row *row, float *old, uint32_t pixels)
{
   const uint32_t left = pixels & 0xffff, right = pixels >> HALF;
   return (left ? test_half(row, 0, old, left) : 0) | (right ? test_half(row, HALF, old + HALF, right) << HALF : 0);
}

const struct vgpu_rows VGPU_NAME(vgpu_rows) = {cover, test_depth};
