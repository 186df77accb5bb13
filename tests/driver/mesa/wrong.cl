/*!
[config]
name: an expectation that is not right
clc_version_min: 10
kernel_name: one
global_size: 2 0 0

[test]
name: right
arg_out: 0 buffer int[2] 1 1

[test]
name: wrong
arg_out: 0 buffer int[2] 1 2
!*/
kernel void one(global int *out)
{
   out[get_global_id(0)] = 1;
}
