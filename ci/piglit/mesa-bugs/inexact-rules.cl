/*!
# docs/mesa-bugs.md F23, F24 and F28: rules that NIR calls inexact, in kernels that do not ask for -cl-unsafe-math-optimizations.
[config]
name: inexact rules

[test]
name: a product with 0 has a sign
kernel_name: product
arg_out: 0 buffer uint[1] 2147483648
arg_in:  1 float -1.0

[test]
name: infinity times 0 is no number
kernel_name: no_number
arg_out: 0 buffer int[1] 1
arg_in:  1 float inf

[test]
name: a float has 24 bits of a long
kernel_name: of_long
arg_out: 0 buffer long[1] 1152921504606846976
arg_in:  1 long 1152921504606846977

[test]
name: a negative float is 0 as a ulong
kernel_name: negative
arg_out: 0 buffer ulong[1] 0
arg_in:  1 long -1

[test]
name: -0.5 as a half that becomes a short is 0
kernel_name: fraction
arg_out: 0 buffer ushort[1] 0
arg_in:  1 buffer ushort[1] 47104
!*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void product(global uint *out, float x)
{
   *out = as_uint(x * 0.0f);
}

kernel void no_number(global int *out, float x)
{
   *out = isnan(x * 0.0f);
}

kernel void of_long(global long *out, long l)
{
   *out = (long)(float)l;
}

kernel void negative(global ulong *out, long l)
{
   *out = convert_ulong_sat((float)l);
}

kernel void fraction(global ushort *out, global const ushort *in)
{
   *out = as_ushort((half)(short)as_half(*in));
}
