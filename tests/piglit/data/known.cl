/*!
[config]
name: known results
clc_version_min: 10

[test]
name: a sum
kernel_name: sum
global_size: 4 0 0
arg_out: 0 buffer int[4] 11 22 33 44
arg_in:  1 buffer int[4]  1  2  3  4
arg_in:  2 buffer int[4] 10 20 30 40

[test]
name: a wrong sum
kernel_name: sum
global_size: 4 0 0
expect_test_fail: true
arg_out: 0 buffer int[4] 11 22 33 45
arg_in:  1 buffer int[4]  1  2  3  4
arg_in:  2 buffer int[4] 10 20 30 40

# What no kernel writes is not zero by chance.
[test]
name: nothing written
kernel_name: nothing
expect_test_fail: true
arg_out: 0 buffer int[1] 0

[test]
name: values and vectors
kernel_name: values
arg_in:  0 char -3
arg_in:  1 float3 0.5 1.5 2
arg_in:  2 ulong 0x100000000
arg_out: 3 buffer long[1] 4294967297   # -3 + 4 + 2^32

[test]
name: vectors of three
kernel_name: three
global_size: 2 0 0
arg_out: 0 buffer short3[2] 3 2 1  6 5 4
arg_in:  1 buffer short3[2] 1 2 3  4 5 6

[test]
name: in place
kernel_name: sum
global_size: 2 0 0
arg_in:  0 buffer int[2] 7 7
arg_out: 0 buffer int[2] 3 3
arg_in:  1 buffer int[2] repeat 1
arg_in:  2 buffer int[2] repeat 2

[test]
name: local memory at launch
kernel_name: reverse
global_size: 8 0 0
local_size:  4 0 0
arg_out: 0 buffer uint[8] 3 2 1 0 7 6 5 4
arg_in:  1 buffer uint[4] NULL
arg_in:  2 buffer ulong[4] NULL

[test]
name: two dimensions, offset, chosen groups
kernel_name: where
dimensions: 2
global_size: 3 2 0
local_size: NULL
global_offset: 10 20 0
arg_out: 0 buffer uint2[6]  10 20  11 20  12 20  10 21  11 21  12 21

[test]
name: tolerance
kernel_name: third
arg_out: 0 buffer float[1] 0.3333 tolerance 0.001
arg_in:  1 float 1

[test]
name: too small a tolerance
kernel_name: third
expect_test_fail: true
arg_out: 0 buffer float[1] 0.3333 tolerance 1 ulp
arg_in:  1 float 1
!*/
kernel void sum(global int *out, global const int *a, global const int *b)
{
   size_t i = get_global_id(0);
   out[i] = a[i] + b[i];
}

kernel void nothing(global int *out)
{
}

kernel void values(char a, float3 b, ulong c, global long *out)
{
   *out = a + (long)(b.x + b.y + b.z) + (long)c;
}

kernel void three(global short3 *out, global const short3 *in)
{
   size_t i = get_global_id(0);
   out[i] = in[i].zyx;
}

/* The second local argument must not lie on the first. */
kernel void reverse(global uint *out, local uint *a, local ulong *b)
{
   uint i = get_local_id(0);
   a[i] = i;
   b[i] = 100;
   barrier(CLK_LOCAL_MEM_FENCE);
   out[get_global_id(0)] = a[3 - i] + (b[i] == 100 ? get_group_id(0) * 4 : 1000);
}

kernel void where(global uint2 *out)
{
   uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
   out[y * 3 + x] = (uint2)(get_global_id(0), get_global_id(1));
}

kernel void third(global float *out, float one)
{
   *out = one / 3;
}
