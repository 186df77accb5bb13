/* SPDX-License-Identifier: MIT
 *
 * A kernel with images among others: refused, with the reason.
 */
kernel void good(global int *o)
{
   o[0] = 1;
}

kernel void copy(read_only image2d_t from, write_only image2d_t to, sampler_t s, float x, global float *y)
{
   int2 p = (int2)(get_global_id(0), get_global_id(1));

   write_imagef(to, p, read_imagef(from, s, p) * x);
   y[0] = x;
}
