// The numbers of a launch that is made from a buffer.
#version 450
layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer Out { uvec4 out_[]; };
void main()
{
   uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize, at = gl_GlobalInvocationID;
   uint i = (at.z * size.y + at.y) * size.x + at.x;
   out_[2 * i] = uvec4(gl_NumWorkGroups, gl_LocalInvocationIndex);
   out_[2 * i + 1] = uvec4(gl_WorkGroupID, at.x + at.y * 100 + at.z * 10000);
}
