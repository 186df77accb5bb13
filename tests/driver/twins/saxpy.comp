#version 450
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer B0 { float b0[]; };
layout(std430, set = 0, binding = 1) buffer B1 { float b1[]; };
layout(push_constant) uniform Push { float a; } push;
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   b1[i] = push.a * b0[i] + b1[i];
}
