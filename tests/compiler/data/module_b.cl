/* SPDX-License-Identifier: MIT */
kernel void wave(global float *x)
{
   x[get_global_id(0)] = sin(x[get_global_id(0)]);
}
