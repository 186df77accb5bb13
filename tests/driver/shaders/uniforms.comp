// A uniform block, an array in it indexed by the thread, and specialization constants.
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint factor = 1u;
layout(binding = 0, std140) uniform U { uvec4 table[16]; uint bias; };
layout(binding = 1, std430) writeonly buffer C { uint c[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x;
   c[i] = table[i % 16u][i / 16u % 4u] * factor + bias + gl_WorkGroupSize.x;
}
