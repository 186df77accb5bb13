// Operations of subgroups that do not depend on a subgroup's size, which is 32 on one side and 8 on the other.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { uint in_[]; };
layout(set = 0, binding = 1) buffer Out { uint out_[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x, v = in_[i];
   uint sum = subgroupClusteredAdd(v, 4), least = subgroupClusteredMin(v, 8), bits = subgroupClusteredXor(v, 2);
   uint other = subgroupShuffleXor(v, 5), across = subgroupQuadSwapDiagonal(v), first = subgroupQuadBroadcast(v, 2);
   uint votes = subgroupBallot((v & 1) != 0).x >> (gl_SubgroupInvocationID & ~7u) & 255;
   uint all = subgroupAll(i < 1000) && !subgroupAny(i > 1000) ? 1 : 0;
   out_[i * 8] = sum;
   out_[i * 8 + 1] = least;
   out_[i * 8 + 2] = bits;
   out_[i * 8 + 3] = other;
   out_[i * 8 + 4] = across;
   out_[i * 8 + 5] = first;
   out_[i * 8 + 6] = votes;
   out_[i * 8 + 7] = all;
}
