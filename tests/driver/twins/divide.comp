#version 450
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer B0 { uint b0[]; };
layout(std430, set = 0, binding = 1) buffer B1 { uint b1[]; };
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   b1[i] = b0[i] / (i + 3) + b0[i] % (i + 5);
}
