/* SPDX-License-Identifier: MIT
 *
 * What tests/bench/vgpu-vs-pocl runs on both. Results are exact: integers, and floats by correctly rounded operations.
 */
#define GROUP 256
#define BINS 256

__kernel void fma_chain(__global float *out, float a, float b, uint turns)
{
   size_t i = get_global_id(0);
   float x = (float)i;

   for (uint turn = 0; turn < turns; turn++) {
#pragma unroll
      for (uint k = 0; k < 16; k++) {
         x = fma(x, a, b);
      }
   }
   out[i] = x;
}

__kernel void integer_hash(__global uint *out, uint a, uint b, uint turns)
{
   size_t i = get_global_id(0);
   uint x = (uint)i;

   for (uint turn = 0; turn < turns; turn++) {
#pragma unroll
      for (uint k = 0; k < 4; k++) {
         x ^= x >> 15;
         x *= a;
         x += b;
      }
   }
   out[i] = x;
}

/* The two chains with a count that the compiler knows. */
__kernel void fma_constant(__global float *out, float a, float b)
{
   size_t i = get_global_id(0);
   float x = (float)i;

#pragma unroll
   for (uint k = 0; k < 1024; k++) {
      x = fma(x, a, b);
   }
   out[i] = x;
}

__kernel void hash_constant(__global uint *out, uint a, uint b)
{
   size_t i = get_global_id(0);
   uint x = (uint)i;

#pragma unroll
   for (uint k = 0; k < 256; k++) {
      x *= a;
      x ^= x >> 15;
      x += b;
   }
   out[i] = x;
}

__kernel void stream_copy(__global const float *in, __global float *out)
{
   size_t i = get_global_id(0);

   out[i] = in[i];
}

__kernel void stream_triad(__global const float *in, __global const float *other, __global float *out, float scale)
{
   size_t i = get_global_id(0);

   out[i] = fma(scale, other[i], in[i]);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void reduction(__global const uint *in, __global uint *out)
{
   __local uint sums[GROUP];
   uint thread = get_local_id(0);

   sums[thread] = in[get_global_id(0)];
   barrier(CLK_LOCAL_MEM_FENCE);
   for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
      if (thread < half_size) {
         sums[thread] += sums[thread + half_size];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
   }
   if (thread == 0) {
      out[get_group_id(0)] = sums[0];
   }
}

__kernel void histogram_global(__global const uint *in, __global uint *bins)
{
   atomic_inc(&bins[in[get_global_id(0)] % BINS]);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void histogram_local(__global const uint *in,
                                                                                __global uint *bins)
{
   __local uint counts[BINS];
   uint thread = get_local_id(0);

   counts[thread] = 0;
   barrier(CLK_LOCAL_MEM_FENCE);
   for (uint k = 0; k < 16; k++) {
      atomic_inc(&counts[in[(get_group_id(0) * 16 + k) * GROUP + thread] % BINS]);
   }
   barrier(CLK_LOCAL_MEM_FENCE);
   atomic_add(&bins[thread], counts[thread]);
}
