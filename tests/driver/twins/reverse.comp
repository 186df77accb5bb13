#version 450
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer B0 { uint b0[]; };
layout(std430, set = 0, binding = 1) buffer B1 { uint b1[]; };
shared uint shared_[64];
void main()
{
   const uint i = gl_LocalInvocationID.x;
   shared_[i] = b0[gl_GlobalInvocationID.x];
   barrier();
   b1[gl_GlobalInvocationID.x] = shared_[63 - i];
}
