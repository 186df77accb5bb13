/*!
# docs/mesa-bugs.md F33: what becomes a half and then a float has a half's value. 2049 lies between the halves 2048 and
# 2050, and the even one is nearest; 70000 is beyond the largest half, 65504.
[config]
name: a half that becomes a float again

[test]
name: 2049.0f as a half is 2048
kernel_name: of_float
arg_out: 0 buffer float[1] 2048.0
arg_in:  1 float 2049.0

[test]
name: 70000 as a half is infinite
kernel_name: of_uint
arg_out: 0 buffer float[1] inf
arg_in:  1 uint 70000

[test]
name: 48244.0f as a half is 48256
kernel_name: to_int
arg_out: 0 buffer int[1] 48256
arg_in:  1 float 48244.0
!*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void of_float(global float *out, float f)
{
   *out = (float)(half)f;
}

kernel void to_int(global int *out, float f)
{
   *out = (int)(half)f;
}

kernel void of_uint(global float *out, uint i)
{
   *out = (float)(half)i;
}
