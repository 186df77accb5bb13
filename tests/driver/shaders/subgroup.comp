// Operations of a subgroup of 32.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer A { uint a[]; };
layout(binding = 1, std430) writeonly buffer C { uint c[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x, v = a[i], base = i * 12u;
   c[base] = subgroupAdd(v);
   c[base + 1u] = subgroupExclusiveAdd(v);
   c[base + 2u] = subgroupMin(v);
   c[base + 3u] = subgroupMax(v);
   c[base + 4u] = subgroupBallot((v & 1u) == 1u).x;
   c[base + 5u] = subgroupShuffle(v, (gl_SubgroupInvocationID * 7u) & 31u);
   c[base + 6u] = subgroupShuffleXor(v, 5u);
   c[base + 7u] = subgroupBroadcast(v, 9u);
   c[base + 8u] = uint(subgroupAll(v < 1000u)) | uint(subgroupAny(v == 0u)) << 1;
   c[base + 9u] = subgroupQuadSwapHorizontal(v);
   c[base + 10u] = gl_SubgroupInvocationID | gl_SubgroupID << 8 | gl_SubgroupSize << 16;
   c[base + 11u] = subgroupInclusiveXor(v);
}
