#version 450
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer B0 { uint b0[]; };
layout(push_constant) uniform Push { uint a; } push;
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   b0[i] = i * push.a;
}
