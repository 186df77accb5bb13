#version 450
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer B0 { uint b0[]; };
layout(std430, set = 0, binding = 1) buffer B1 { uint b1[]; };
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   uint v = b0[i];
   if ((v & 1) != 0) {
      v = v * 3 + b0[i ^ 1];
   } else {
      v = v >> 1;
   }
   b1[i] = v;
}
