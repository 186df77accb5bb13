#version 450
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer B0 { uint b0[]; };
layout(std430, set = 0, binding = 1) buffer B1 { uint b1[]; };
layout(push_constant) uniform Push { uint n; } push;
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   uint sum = 0;
   for (uint k = 0; k < push.n; k++) {
      sum += b0[(i + k) & 255] * k;
   }
   b1[i] = sum;
}
