// Floats and integers of 16 bits.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { int16_t in_[]; };
layout(set = 0, binding = 1) buffer Floats { f16vec2 floats[]; };
layout(set = 0, binding = 2) buffer Out { i16vec2 out_[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x;
   int16_t a = in_[2 * i], b = in_[2 * i + 1];
   float16_t x = float16_t(i) * 0.5hf, y = float16_t(i & 7u) - 3.0hf;
   floats[i] = f16vec2(min(x * y, 96.0hf), abs(y) + float16_t(i >> 3));
   out_[i] = i16vec2(a * b + int16_t(3), (a >> 3) - min(a, b));
}
