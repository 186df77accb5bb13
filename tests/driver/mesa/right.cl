/*!
[config]
name: arguments of each kind
clc_version_min: 10
dimensions: 1

[test]
name: sum
kernel_name: sum
global_size: 4 0 0
arg_out: 0 buffer int[4] 11 22 33 44
arg_in: 1 buffer int[4] 1 2 3 4
arg_in: 2 buffer int[4] 10 20 30 40

[test]
name: value and offset
kernel_name: add
global_size: 3 0 0
global_offset: 2 0 0
arg_out: 0 buffer int[5] 7 7 9 10 11
arg_in: 0 buffer int[5] 7 7 7 7 7
arg_in: 1 int 7

[test]
name: no buffer
kernel_name: no_buffer
global_size: 1 0 0
arg_out: 0 buffer int[1] 42
arg_in: 1 buffer int[1] NULL

[test]
name: local
kernel_name: reverse
global_size: 4 0 0
local_size: 4 0 0
arg_out: 0 buffer int[4] 3 2 1 0
arg_in: 1 buffer int[4] NULL
!*/
kernel void sum(global int *out, global int *a, global int *b)
{
   out[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];
}

kernel void add(global int *out, int n)
{
   out[get_global_id(0)] = n + get_global_id(0);
}

kernel void no_buffer(global int *out, global int *maybe)
{
   out[0] = maybe ? 1 : 42;
}

kernel void reverse(global int *out, local int *words)
{
   words[get_local_id(0)] = get_local_id(0);
   barrier(CLK_LOCAL_MEM_FENCE);
   out[get_local_id(0)] = words[get_local_size(0) - 1 - get_local_id(0)];
}
