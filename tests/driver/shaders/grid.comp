// Where each thread says it is, in three dimensions.
#version 450
layout(local_size_x = 4, local_size_y = 3, local_size_z = 2) in;
layout(binding = 0, std430) writeonly buffer C { uvec4 c[]; };
void main()
{
   uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize, at = gl_GlobalInvocationID;
   c[(at.z * size.y + at.y) * size.x + at.x] =
      uvec4(gl_WorkGroupID.x | gl_WorkGroupID.y << 8 | gl_WorkGroupID.z << 16,
            gl_LocalInvocationID.x | gl_LocalInvocationID.y << 8 | gl_LocalInvocationID.z << 16,
            gl_LocalInvocationIndex, gl_NumWorkGroups.x | gl_NumWorkGroups.y << 8 | gl_NumWorkGroups.z << 16);
}
