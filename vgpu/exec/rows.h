/* SPDX-License-Identifier: MIT
 *
 * What vgpu/render does with a row of 32 pixels at a time: functions of a level (struct vgpu_level).
 */
#ifndef VGPU_ROWS_H
#define VGPU_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* The depth a x + down + c at x = first, first + 1, ..., and how it is tested. */
struct vgpu_depth_row {
   double a, first, down, c;
   double least, most; /* it is clamped to these */
   uint8_t function;   /* passes: bit 0 less, bit 1 equal, bit 2 greater */
   bool writes;
};

/* Three sums: at[i] + step[i] * lane + down[i] * row. */
struct vgpu_edges {
   int64_t at[3], step[3], down[3];
};

struct vgpu_rows {
   /* The lanes of each row in which none of the sums is negative. */
   void (*cover)(const struct vgpu_edges *edges, unsigned rows, uint32_t *covered);
   /* Those of the pixels that pass against the 32 depths in `old`, which are then written. */
   uint32_t (*test_depth)(const struct vgpu_depth_row *row, float *old, uint32_t pixels);
};

#endif
