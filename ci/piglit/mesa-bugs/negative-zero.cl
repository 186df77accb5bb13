/*!
# docs/mesa-bugs.md F4, F5 and F6: zeros with the wrong sign.
[config]
name: the sign of zero

[test]
name: a select of 0 is 0
kernel_name: select_bits
arg_out: 0 buffer uint[1] 0
arg_in:  1 uint 1

[test]
name: a select of -0.0f is -0.0f
kernel_name: select_zero
arg_out: 0 buffer uint[1] 2147483648
arg_in:  1 int 0

[test]
name: fabs(-0.0f) is 0.0f
kernel_name: absolute
arg_out: 0 buffer uint[1] 0

[test]
name: sign(-0.0f) is -0.0f
kernel_name: sign_of
arg_out: 0 buffer uint[1] 2147483648
arg_in:  1 uint 2147483648
!*/
kernel void select_bits(global uint *out, uint x)
{
   *out = x != 0 ? 0u : 0xbf800000u;
}

kernel void select_zero(global uint *out, int x)
{
   *out = as_uint(x ? 1.0f : -0.0f);
}

kernel void absolute(global uint *out)
{
   *out = as_uint(fabs(as_float(0x80000000u)));
}

kernel void sign_of(global uint *out, uint x)
{
   *out = as_uint(sign(as_float(x)));
}
