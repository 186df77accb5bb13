// Integers of 8 bits in buffers and in arithmetic.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { i8vec2 in_[]; };
layout(set = 0, binding = 1) buffer Out { u8vec4 out_[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x;
   int8_t a = in_[i].x, b = in_[i].y;
   out_[i] = u8vec4(uint8_t(a * b), uint8_t(a >> 2), uint8_t(max(a, b)), uint8_t(uint8_t(a) / max(uint8_t(b), uint8_t(1))));
}
