#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
/* A workgroup whose size is a specialization constant; shared memory, a subgroup's sum, atomics. */
layout(local_size_x_id = 1, local_size_y = 2) in;
layout(binding = 0) buffer Out { uint reversed[128]; uint sums[4]; uint total; };
shared uint words[256];

void main()
{
   uint n = gl_WorkGroupSize.x * gl_WorkGroupSize.y, at = gl_LocalInvocationIndex;
   words[at] = at * at;
   barrier();
   reversed[gl_WorkGroupID.x * n + at] = words[n - 1 - at];
   uint sum = subgroupAdd(at);
   if (subgroupElect()) {
      sums[gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID] = sum;
      atomicAdd(total, sum);
   }
}
