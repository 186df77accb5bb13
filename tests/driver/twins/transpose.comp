#version 450
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, set = 0, binding = 0) readonly buffer B0 { uint b0[]; };
layout(std430, set = 0, binding = 1) buffer B1 { uint b1[]; };
void main()
{
   const uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
   b1[x * 16 + y] = b0[y * 16 + x];
}
