// 8, 16 and 64 bits.
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0, std430) readonly buffer A { uint8_t a[]; };
layout(binding = 1, std430) buffer B { int16_t b[]; };
layout(binding = 2, std430) writeonly buffer C { uint64_t c[]; };
layout(binding = 3, std430) writeonly buffer D { float16_t d[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x;
   b[i] = int16_t(b[i] - int16_t(a[i]));
   c[i] = uint64_t(a[i]) * 0x123456789ABCul + uint64_t(i);
   d[i] = float16_t(a[i]) * float16_t(0.5);
}
