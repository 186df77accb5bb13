/*!
# docs/mesa-bugs.md F18 and F19: limits that a saturating conversion leaves out.
[config]
name: saturating conversions of floats

[test]
name: a negative float to unsigned types
kernel_name: negative
arg_out: 0 buffer uint[3] 0 0 0

[test]
name: a negative half to unsigned types
kernel_name: negative_half
arg_out: 0 buffer ulong[2] 0 0

[test]
name: an infinite half that is no constant to long
kernel_name: infinite_value
arg_out: 0 buffer long[1] 9223372036854775807
arg_in:  1 half inf

[test]
name: an infinite half to long
kernel_name: infinite
arg_out: 0 buffer long[2] 9223372036854775807 2147483647
!*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void negative(global uint *out)
{
   out[0] = convert_uchar_sat(-80.5f);
   out[1] = convert_ushort_sat(-80.5f);
   out[2] = convert_uint_sat(-80.5f);
}

kernel void negative_half(global ulong *out)
{
   out[0] = convert_ulong_sat((half)-3.0f);
   out[1] = convert_ulong_sat_rtn(-15.0f);
}

kernel void infinite_value(global long *out, half h)
{
   *out = convert_long_sat(h);
}

kernel void infinite(global long *out)
{
   out[0] = convert_long_sat((half)INFINITY);
   out[1] = convert_int_sat((half)INFINITY);
}
