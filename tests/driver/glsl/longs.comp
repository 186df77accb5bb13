// Integers of 64 bits.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { uint64_t in_[]; };
layout(set = 0, binding = 1) buffer Out { uint64_t out_[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x;
   uint64_t a = in_[i], b = in_[63 - i] | 1ul;
   out_[i * 6] = a * b;
   out_[i * 6 + 1] = a / (b >> 32 | 1ul);
   out_[i * 6 + 2] = a % (b >> 40 | 1ul);
   out_[i * 6 + 3] = a >> (i & 63) ^ b << (i & 31);
   out_[i * 6 + 4] = uint64_t(int64_t(a) >> 7) + uint64_t(int64_t(a) / int64_t(b >> 20 | 1ul));
   out_[i * 6 + 5] = a < b ? max(a, b) - min(a, b) : uint64_t(int64_t(a) < int64_t(b) ? 1 : 2);
}
