/* SPDX-License-Identifier: MIT */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void twin(global const half *in, global half *out)
{
   const uint i = get_global_id(0);
   out[i] = in[i] * (half)0.5 + (half)1;
}
