/*!
# docs/mesa-bugs.md F2: a sign extension that becomes part of an unsigned or 64-bit operation.
[config]
name: sign-extended source of an unsigned operation

[test]
name: high half of 4294934528 * 2 is 1
kernel_name: high_product
arg_out: 0 buffer uint[1] 1
arg_in:  1 short -32768
arg_in:  2 uint 2

[test]
name: 4294934528 is even
kernel_name: remainder_of
arg_out: 0 buffer uint[1] 0
arg_in:  1 short -32768
arg_in:  2 uint 2

[test]
name: 4294934528 - 0 is 4294934528
kernel_name: difference
arg_out: 0 buffer uint[1] 4294934528
arg_in:  1 short -32768
arg_in:  2 uint 0

[test]
name: -32768 * 1 is -32768
kernel_name: product
arg_out: 0 buffer long[1] -32768
arg_in:  1 short -32768
arg_in:  2 long 1
!*/
kernel void high_product(global uint *out, short s, uint u)
{
   *out = mul_hi((uint)(int)s, u);
}

kernel void remainder_of(global uint *out, short s, uint u)
{
   *out = (uint)(int)s % u;
}

kernel void difference(global uint *out, short s, uint u)
{
   *out = sub_sat((uint)(int)s, u);
}

kernel void product(global long *out, short s, long l)
{
   *out = (long)s * l;
}
