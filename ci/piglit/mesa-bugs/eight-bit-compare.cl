/*!
# docs/mesa-bugs.md F15: a comparison of 8 bits that is made after the lowering of 8-bit operations.
[config]
name: sign of a char as a float

[test]
name: -128 is -128
kernel_name: through_float
arg_out: 0 buffer long[1] -128
arg_in:  1 buffer char[1] -128
!*/
kernel void through_float(global long *out, global const char *in)
{
   out[0] = (long)(float)in[0];
}
