// Atomics on texels.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 1, r32i) uniform iimage2D least;
void main()
{
   int i = int(gl_GlobalInvocationID.x);
   imageAtomicAdd(counts, ivec2(i % 5, i % 3), uint(i));
   imageAtomicMin(least, ivec2(i % 4, 0), -i);
   imageAtomicXor(least, ivec2(i % 4, 1), i * 37);
   imageAtomicMax(counts, ivec2(7, i % 3), uint(i));
}
