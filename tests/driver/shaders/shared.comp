// The sum of a workgroup's elements, through shared memory and barriers.
#version 450
layout(local_size_x = 256) in;
layout(binding = 0, std430) readonly buffer A { uint a[]; };
layout(binding = 1, std430) writeonly buffer S { uint sums[]; };
shared uint part[256];
void main()
{
   uint i = gl_LocalInvocationID.x;
   part[i] = a[gl_GlobalInvocationID.x];
   barrier();
   for (uint step = 128u; step > 0u; step >>= 1) {
      if (i < step)
         part[i] += part[i + step];
      barrier();
   }
   if (i == 0u)
      sums[gl_WorkGroupID.x] = part[0];
}
