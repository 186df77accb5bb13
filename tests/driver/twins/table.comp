#version 450
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer B0 { uint b0[]; };
layout(std430, set = 0, binding = 1) buffer B1 { uint b1[]; };
const uint squares[8] = uint[](0, 1, 4, 9, 16, 25, 36, 49);
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   b1[i] = squares[b0[i] & 7];
}
