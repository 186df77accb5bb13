/* SPDX-License-Identifier: MIT
 *
 * Coverage and depth of a row of pixels, a lane each, for vgpu/render: it gets them from the table of levels, since
 * they are loops that the compiler makes vectors of. Invariant: exact integers for coverage; for depth, each operation
 * is rounded as it is written.
 */
#include "vgpu/exec/rows.h"

#include "vgpu/exec/semantics/vector.h"

static uint32_t cover(const int64_t at[3], const int64_t step[3])
{
   VGPU_LANE_ARRAY(int64_t, sign);
   uint32_t outside = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      sign[lane] = (at[0] + step[0] * lane) | (at[1] + step[1] * lane) | (at[2] + step[2] * lane);
   }
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      outside |= (uint32_t)((uint64_t)sign[lane] >> 63) << lane;
   }
   return ~outside;
}

static uint32_t test_depth(const struct vgpu_depth_row *row, float *old, uint32_t pixels)
{
   VGPU_LANE_ARRAY(float, depth);
   VGPU_LANE_ARRAY(uint32_t, passes);
   const uint32_t on_less = row->function & 1, on_equal = row->function >> 1 & 1, on_greater = row->function >> 2 & 1;
   uint32_t passed = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      double z = row->a * (row->first + (int32_t)lane) + row->down + row->c;
      z = z > row->least ? z : row->least;
      z = z < row->most ? z : row->most;
      depth[lane] = (float)z;
   }
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const uint32_t less = depth[lane]<old[lane], greater = depth[lane]> old[lane];
      passes[lane] = (less & on_less) | (greater & on_greater) | (((less | greater) ^ 1) & on_equal);
   }
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      passed |= passes[lane] << lane;
   }
   passed &= pixels;
   for (unsigned lane = 0; lane < VGPU_LANES && row->writes; lane++) {
      old[lane] = passed >> lane & 1 ? depth[lane] : old[lane];
   }
   return passed;
}

const struct vgpu_rows VGPU_NAME(vgpu_rows) = {cover, test_depth};
