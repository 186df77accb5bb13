// An array in memory of the thread's own, indexed by what is read.
#version 450
layout(local_size_x = 32) in;
layout(binding = 0, std430) readonly buffer A { uint a[]; };
layout(binding = 1, std430) writeonly buffer C { uint c[]; };
void main()
{
   uint own[192], i = gl_GlobalInvocationID.x, sum = 0u;
   for (uint k = 0u; k < 192u; k++)
      own[(k * 37u + a[i]) % 192u] = k ^ i;
   for (uint k = 0u; k < 16u; k++)
      sum = sum * 31u + own[(a[i + k] + k) % 192u];
   c[i] = sum;
}
