/*!
# docs/mesa-bugs.md 2: work-item functions with an index out of range (OpenCL C 6.15.1: the offset is 0, a size is 1).
[config]
name: work-item functions with an index out of range
dimensions: 1
global_size: 4 1 1

[test]
name: get_global_size(-1) is 1
kernel_name: size
arg_out: 0 buffer int[1] 1
arg_in:  1 int -1
!*/
kernel void size(global int *out, int j)
{
   *out = get_global_size(j);
}
