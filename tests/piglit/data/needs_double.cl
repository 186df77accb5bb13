/*!
[config]
name: double precision
require_device_extensions: cl_khr_fp64

[test]
name: half of it
kernel_name: halve
arg_out: 0 buffer double[1] 0.5
!*/
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void halve(global double *x)
{
   *x = 0.5;
}
