// Functions whose results are exact: bits, packing, and roundings.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { uint in_[]; };
layout(set = 0, binding = 1) buffer Out { uint out_[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x, a = in_[i], b = in_[63 - i], high, low, carry, borrow;
   umulExtended(a, b, high, low);
   uint sum = uaddCarry(a, b, carry), difference = usubBorrow(a, b, borrow);
   float f = float(int(a) >> 12) / 256.0;
   int exponent;
   float part = frexp(f, exponent);
   out_[i * 12] = uint(findMSB(a) * 100 + findLSB(b)) + uint(bitCount(a));
   out_[i * 12 + 1] = bitfieldReverse(a) ^ bitfieldInsert(a, b, 5, 11);
   out_[i * 12 + 2] = bitfieldExtract(a, 7, 9) + uint(bitfieldExtract(int(b), 20, 12));
   out_[i * 12 + 3] = high ^ low;
   out_[i * 12 + 4] = sum + carry * 3 + difference + borrow * 5;
   out_[i * 12 + 5] = floatBitsToUint(floor(f)) ^ floatBitsToUint(ceil(f));
   out_[i * 12 + 6] = floatBitsToUint(trunc(f)) + floatBitsToUint(roundEven(f));
   out_[i * 12 + 7] = floatBitsToUint(part) + uint(exponent);
   out_[i * 12 + 8] = floatBitsToUint(ldexp(f, int(i) - 10));
   out_[i * 12 + 9] = packHalf2x16(vec2(f / 4096.0, i));
   out_[i * 12 + 10] = packUnorm4x8(vec4(i / 32.0, 0, 1, 2)) + packSnorm2x16(vec2(-1, i < 16 ? 0.0 : 1.0));
   out_[i * 12 + 11] = floatBitsToUint(unpackHalf2x16(a & 0x7bff7bff).x) ^ floatBitsToUint(unpackUnorm4x8(b).w * 255.0 + 0.25 > 1.0 ? 1.0 : 2.0);
}
