// Atomics on buffers, and their results where one thread alone has them.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint sum, or_, and_, xor_, most; int least; uint each[192]; };
layout(set = 0, binding = 1) buffer Out { uint out_[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
   atomicAdd(sum, i * 3);
   atomicOr(or_, 1u << (i & 31));
   atomicAnd(and_, ~(1u << (i & 15)));
   atomicXor(xor_, i * 0x01010101);
   atomicMax(most, i ^ 21);
   atomicMin(least, int(i) - 77);
   if (gl_WorkGroupID.x == 0) {
      out_[l * 2] = atomicAdd(each[l], 5);
      out_[l * 2 + 1] = atomicCompSwap(each[64 + l], l & 3, 1000u) + atomicExchange(each[128 + l], l);
   }
}
