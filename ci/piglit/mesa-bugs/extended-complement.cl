/*!
# docs/mesa-bugs.md F35: the complement of a short that becomes an int has zeros in the upper half.
[config]
name: an extended complement

[test]
name: ~0 and 0xffff0001 is 1
kernel_name: complement
arg_out: 0 buffer uint2[1] 1 7
arg_in:  1 ushort2 0 0
arg_in:  2 uint2 0xffff0001 7
!*/
kernel void complement(global uint2 *out, ushort2 a, uint2 b)
{
   *out = convert_uint2(~a) & b;
}
