/* SPDX-License-Identifier: MIT */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void twin(global const ulong *in, global ulong *out)
{
   const uint i = get_global_id(0);
   out[i] = in[i] * 0x100000001 + (in[i] >> 7);
}
