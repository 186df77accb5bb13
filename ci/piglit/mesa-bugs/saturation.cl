/*!
# docs/mesa-bugs.md F1 and F3: saturating additions of constants. The answers are those of OpenCL C 6.15.3: clamped.
[config]
name: saturating additions of constants

[test]
name: 100 + 100 is 127
kernel_name: folded_char
arg_out: 0 buffer int[1] 127

[test]
name: 2000000000 + 2000000000 is 2147483647
kernel_name: folded_int
arg_out: 0 buffer int[1] 2147483647

[test]
name: -2147483647 - 2 is -2147483648
kernel_name: folded_difference
arg_out: 0 buffer int[1] -2147483648

[test]
name: 200 + 100 is 255
kernel_name: folded_uchar
arg_out: 0 buffer int[1] 255

[test]
name: 0 + 4294967288 is 4294967288
kernel_name: add_constant
arg_out: 0 buffer uint[1] 4294967288
arg_in:  1 uint 0
!*/
kernel void folded_char(global int *out)
{
   char a = 100, b = 100;
   *out = add_sat(a, b);
}

kernel void folded_int(global int *out)
{
   *out = add_sat(2000000000, 2000000000);
}

kernel void folded_difference(global int *out)
{
   *out = sub_sat(-2147483647, 2);
}

kernel void folded_uchar(global int *out)
{
   *out = add_sat((uchar)200, (uchar)100);
}

kernel void add_constant(global uint *out, uint x)
{
   *out = add_sat(x, 0xfffffff8u);
}
