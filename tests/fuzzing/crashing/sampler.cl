/*!
[config]
name: a sampler that a function gets
build_options: -cl-std=CL3.0
dimensions: 1
global_size: 1 0 0
local_size: 1 0 0

[test]
name: a sampler that a function gets
kernel_name: k
arg_out: 0 buffer ushort[1] 0
!*/
ulong f56(int a, sampler_t sampler)
{
   return convert_ulong_sat(a);
}

kernel void k(global ushort *out6, sampler_t sampler)
{
   out6[0] = convert_ushort_sat(f56(0, sampler));
}
