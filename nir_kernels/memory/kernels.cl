/* SPDX-License-Identifier: MIT
 *
 * Whole kernels that memory bounds. All numbers are small integers, so that every order of additions gives the same sum.
 * A second operand stands behind the first in the one input buffer. bench: memory_kernels.c
 */
#define COUNT (1u << 22) /* words of an array */
#define SIDE 2048u       /* of a matrix */
#define GROUP 256u
#define EACH 16u /* words of a thread that adds or counts */
#define TILE 16u
#define BINS 256u

kernel void stream_copy(global const float *in, global float *out)
{
   const uint i = get_global_id(0);

   out[i] = in[i];
}

kernel void stream_scale(global const float *in, global float *out)
{
   const uint i = get_global_id(0);

   out[i] = 3.0f * in[i];
}

kernel void stream_add(global const float *in, global float *out)
{
   const uint i = get_global_id(0);

   out[i] = in[i] + in[i + COUNT];
}

kernel void stream_triad(global const float *in, global float *out)
{
   const uint i = get_global_id(0);

   out[i] = in[i] + 3.0f * in[i + COUNT];
}

/* Leaves the sum over a threadgroup in sums[0], where thread 0 alone may read it. */
static void sum_group(float value, local float *sums)
{
   const uint thread = get_local_id(0);

   sums[thread] = value;
   for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (thread < half_size) {
         sums[thread] += sums[thread + half_size];
      }
   }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void reduction(global const float *in, global float *out)
{
   local float sums[GROUP];
   float sum = 0;

   for (uint k = 0; k < EACH; k++) {
      sum += in[(get_group_id(0) * EACH + k) * GROUP + get_local_id(0)];
   }
   sum_group(sum, sums);
   if (get_local_id(0) == 0) {
      out[get_group_id(0)] = sums[0];
   }
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void histogram(global const float *in, global uint *out)
{
   local uint counts[BINS];
   const uint thread = get_local_id(0);

   counts[thread] = 0;
   barrier(CLK_LOCAL_MEM_FENCE);
   for (uint k = 0; k < EACH; k++) {
      atomic_inc(&counts[(uint)in[(get_group_id(0) * EACH + k) * GROUP + thread] % BINS]);
   }
   barrier(CLK_LOCAL_MEM_FENCE);
   atomic_add(&out[thread], counts[thread]);
}

kernel void transpose_naive(global const float *in, global float *out)
{
   const uint i = get_global_id(0), x = i % SIDE, y = i / SIDE;

   out[x * SIDE + y] = in[i];
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void transpose_tiled(global const float *in, global float *out)
{
   local float tile[TILE][TILE + 1];
   const uint x = get_local_id(0) % TILE, y = get_local_id(0) / TILE;
   const uint left = get_group_id(0) % (SIDE / TILE) * TILE, top = get_group_id(0) / (SIDE / TILE) * TILE;

   tile[y][x] = in[(top + y) * SIDE + left + x];
   barrier(CLK_LOCAL_MEM_FENCE);
   out[(left + y) * SIDE + top + x] = tile[x][y];
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void gemv(global const float *in, global float *out)
{
   local float sums[GROUP];
   float sum = 0;

   for (uint k = get_local_id(0); k < SIDE; k += GROUP) {
      sum += in[get_group_id(0) * SIDE + k] * in[COUNT + k];
   }
   sum_group(sum, sums);
   if (get_local_id(0) == 0) {
      out[get_group_id(0)] = sums[0];
   }
}
