/* SPDX-License-Identifier: MIT */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void twin(global const uint *in, global uint *out)
{
   const uint i = get_global_id(0);
   atomic_add(&out[in[i] & 15], in[i]);
}
