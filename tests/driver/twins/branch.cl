/* SPDX-License-Identifier: MIT */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void twin(global const uint *in, global uint *out)
{
   const uint i = get_global_id(0);
   uint v = in[i];
   if (v & 1) {
      v = v * 3 + in[i ^ 1];
   } else {
      v = v >> 1;
   }
   out[i] = v;
}
