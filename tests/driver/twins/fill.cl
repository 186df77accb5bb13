/* SPDX-License-Identifier: MIT */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void twin(global uint *out, uint a)
{
   const uint i = get_global_id(0);
   out[i] = i * a;
}
