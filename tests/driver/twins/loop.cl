/* SPDX-License-Identifier: MIT */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void twin(global const uint *in, global uint *out, uint n)
{
   const uint i = get_global_id(0);
   uint sum = 0;
   for (uint k = 0; k < n; k++) {
      sum += in[(i + k) & 255] * k;
   }
   out[i] = sum;
}
