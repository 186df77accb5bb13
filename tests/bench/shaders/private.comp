// SPDX-License-Identifier: MIT
// An array of each thread's own in memory: a permutation that is mixed by what it holds.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) writeonly buffer Out { uint sums[]; };
void main()
{
   const uint thread = gl_GlobalInvocationID.x;
   uint own[128], at = thread, sum = 0u;
   for (uint i = 0u; i < 128u; i++) {
      own[i] = i * 77u + thread;
   }
   for (uint i = 0u; i < 2000u; i++) {
      at = own[at & 127u] + i;
      own[i & 127u] ^= at;
      sum = sum * 31u + at;
   }
   sums[thread] = sum;
}
