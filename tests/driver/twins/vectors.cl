/* SPDX-License-Identifier: MIT */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void twin(global const float4 *in, global float4 *out)
{
   const uint i = get_global_id(0);
   out[i] = in[i].wzyx + in[i ^ 1];
}
