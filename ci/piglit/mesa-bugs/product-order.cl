/*!
# docs/mesa-bugs.md F41: (a * b) * b becomes a * (b * b), which rounds otherwise.
[config]
name: the order of a product

[test]
name: (0x1.c386bcp+0 * 0x1.414c34p+0) * 0x1.414c34p+0 is 0x1.639f28p+1
kernel_name: product
arg_out: 0 buffer uint[1] 0x4031cf94
arg_in:  1 buffer float[1] 0x1.c386bcp+0
arg_in:  2 buffer float[1] 0x1.414c34p+0
!*/
#pragma OPENCL FP_CONTRACT OFF

kernel void product(global uint *out, global const float *a, global const float *b)
{
   *out = as_uint((a[0] * b[0]) * b[0]);
}
