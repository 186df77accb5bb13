/* SPDX-License-Identifier: MIT */
kernel void saxpy(global const float *x, global float *y, float a)
{
   const size_t i = get_global_id(0);

   y[i] = fma(a, x[i], y[i]);
}
