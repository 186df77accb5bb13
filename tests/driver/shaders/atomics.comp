// A histogram: shared atomics, then atomics of memory; and the other operations.
#version 450
layout(local_size_x = 128) in;
layout(binding = 0, std430) readonly buffer A { uint a[]; };
layout(binding = 1, std430) buffer H { uint bins[16]; uint least, most, ored, anded, xored; int small; uint swapped, last; };
shared uint local_bins[16];
void main()
{
   uint i = gl_LocalInvocationID.x, v = a[gl_GlobalInvocationID.x];
   if (i < 16u)
      local_bins[i] = 0u;
   barrier();
   atomicAdd(local_bins[v & 15u], 1u);
   barrier();
   if (i < 16u)
      atomicAdd(bins[i], local_bins[i]);
   atomicMin(least, v);
   atomicMax(most, v);
   atomicOr(ored, v);
   atomicAnd(anded, v);
   atomicXor(xored, v);
   atomicMin(small, -int(v));
   if (atomicCompSwap(swapped, 0u, 1u) == 0u)
      atomicExchange(last, 4711u);
}
