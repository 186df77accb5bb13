/* SPDX-License-Identifier: MIT */
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void twin(global const float *x, global float *y, float a)
{
   const uint i = get_global_id(0);
   y[i] = a * x[i] + y[i];
}
