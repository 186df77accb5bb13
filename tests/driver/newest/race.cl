/*!
[config]
name: two threads touch a word without a barrier
[test]
kernel_name: k
dimensions: 1
global_size: 64 0 0
local_size: 64 0 0
arg_out: 0 buffer int[64] repeat 7
arg_in: 1 buffer int[64] repeat 7
!*/
kernel void k(global int *out, global int *in)
{
   local int t[64];
   int i = get_local_id(0);
   t[i] = in[i];
   out[i] = t[i ^ 33];
}
