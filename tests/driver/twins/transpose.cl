/* SPDX-License-Identifier: MIT */
kernel __attribute__((reqd_work_group_size(8, 8, 1))) void twin(global const uint *in, global uint *out)
{
   const uint x = get_global_id(0), y = get_global_id(1);
   out[x * 16 + y] = in[y * 16 + x];
}
