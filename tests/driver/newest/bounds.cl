/*!
[config]
name: reads 200 MB behind a buffer
[test]
kernel_name: k
dimensions: 1
global_size: 64 0 0
local_size: 64 0 0
arg_out: 0 buffer int[64] repeat 0
arg_in: 1 buffer int[64] repeat 7
arg_in: 2 int 50000000
!*/
kernel void k(global int *out, global int *in, int n) { int i = get_global_id(0); out[i] = in[i + n]; }
