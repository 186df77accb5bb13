/*!
[config]
name: stores a word of local memory that nothing wrote
[test]
kernel_name: k
dimensions: 1
global_size: 64 0 0
local_size: 64 0 0
arg_out: 0 buffer int[64] repeat 7 tolerance 1000000
arg_in: 1 buffer int[64] repeat 7
arg_in: 2 int 60
!*/
kernel void k(global int *out, global int *in, int n)
{
   local int t[64];
   int i = get_local_id(0);
   if (i < n)
      t[i] = in[i];
   barrier(CLK_LOCAL_MEM_FENCE);
   out[i] = t[i];
}
