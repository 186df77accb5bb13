#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Types of 8, 16 and 64 bits, in buffers and push constants. */
layout(local_size_x = 8) in;
layout(binding = 0) buffer Bytes { uint8_t bytes[]; };
layout(binding = 1) buffer Halves { float16_t halves[]; };
layout(binding = 2) buffer Longs { int64_t longs[]; };
layout(push_constant) uniform P { int64_t l; int16_t s; int8_t c; };

void main()
{
   uint x = gl_GlobalInvocationID.x;
   bytes[x] = uint8_t(uint(bytes[x]) * 3u + uint(c));
   halves[x] = halves[x] * float16_t(0.5) + float16_t(s);
   longs[x] = longs[x] * l;
}
