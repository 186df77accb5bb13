/*!
# docs/mesa-bugs.md F22: an integer beyond the largest half, rounded toward zero, is the largest half and not infinite.
[config]
name: integers beyond half, rounded toward zero

[test]
name: constants
kernel_name: constants
arg_out: 0 buffer ushort[3] 31743 31743 31744

[test]
name: values
kernel_name: values
arg_out: 0 buffer ushort[4] 31743 31743 64511 31743
arg_in:  1 ulong 18446744073709551615
arg_in:  2 uint 65536
arg_in:  3 long -9223372036854775807
!*/
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void constants(global ushort *out)
{
   out[0] = as_ushort(convert_half_rtz(65536U));
   out[1] = as_ushort(convert_half_rtn(18446744073709551615UL));
   out[2] = as_ushort(convert_half_rtp(65536U));
}

kernel void values(global ushort *out, ulong a, uint b, long c)
{
   out[0] = as_ushort(convert_half_rtn(a));
   out[1] = as_ushort(convert_half_rtz(b));
   out[2] = as_ushort(convert_half_rtz(c));
   out[3] = as_ushort(convert_half_rtz(1.0e10f));
}
