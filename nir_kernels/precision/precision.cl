/* SPDX-License-Identifier: MIT
 *
 * OpenCL C's full-precision functions, once for each input: two words a thread in, one out. bench: precision.c
 */
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define FUNCTION(name, expression)                                                                                     \
   kernel void name##32(global const uint *input, global uint *output, uint iterations)                                \
   {                                                                                                                   \
      const uint id = get_global_id(0);                                                                                \
      const float x = as_float(input[2 * id]), y = as_float(input[2 * id + 1]), one = 1;                               \
      output[id] = as_uint(expression);                                                                                \
   }                                                                                                                   \
   kernel void name##16(global const uint *input, global uint *output, uint iterations)                                \
   {                                                                                                                   \
      const uint id = get_global_id(0);                                                                                \
      const half x = as_half((ushort)input[2 * id]), y = as_half((ushort)input[2 * id + 1]), one = 1;                  \
      output[id] = as_ushort(expression);                                                                              \
   }

FUNCTION(rcp, one / x)
FUNCTION(rsqrt, rsqrt(x))
FUNCTION(log2, log2(x))
FUNCTION(exp2, exp2(x))
FUNCTION(sin, sin(x))
FUNCTION(sqrt, sqrt(x))
FUNCTION(div, x / y)
