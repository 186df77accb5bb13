/*!
# docs/mesa-bugs.md 1: a signed comparison sign-extends what NIR zero-extends.
[config]
name: zero-extended source of a signed comparison

[test]
name: 65535 is not less than 5
kernel_name: less
arg_out: 0 buffer int[1] 0
arg_in:  1 ushort 65535
arg_in:  2 int 5
!*/
kernel void less(global int *out, ushort a, int b)
{
   *out = a < b;
}
