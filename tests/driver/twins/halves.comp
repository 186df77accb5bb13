#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* SPDX-License-Identifier: MIT */
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer B0 { float16_t b0[]; };
layout(std430, set = 0, binding = 1) buffer B1 { float16_t b1[]; };
void main()
{
   const uint i = gl_GlobalInvocationID.x;
   b1[i] = b0[i] * float16_t(0.5) + float16_t(1);
}
