// Atomics of floats, which not every driver offers.
#version 450
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Sums { float sums[]; };
void main()
{
   atomicAdd(sums[gl_GlobalInvocationID.x & 3], float(gl_GlobalInvocationID.x));
}
