/*!
# docs/mesa-bugs.md F14: libclc's mad_sat() of longs. The answers are those of OpenCL C 6.15.3: a * b + c, clamped.
[config]
name: mad_sat of longs

[test]
name: 0 * -1 + 0 is 0
kernel_name: mad
arg_out: 0 buffer long[1] 0
arg_in:  1 long 0
arg_in:  2 long -1
arg_in:  3 long 0

[test]
name: 1 * 1 + 9223372036854775807 is 9223372036854775807
kernel_name: mad
arg_out: 0 buffer long[1] 9223372036854775807
arg_in:  1 long 1
arg_in:  2 long 1
arg_in:  3 long 9223372036854775807
!*/
kernel void mad(global long *out, long a, long b, long c)
{
   *out = mad_sat(a, b, c);
}
