/*!
# docs/mesa-bugs.md F39: the maximum with the constant -0.0f is +0.0f.
[config]
name: the sign of a maximum

[test]
name: fmax(-3.0f, -0.0f) is -0.0f
kernel_name: maximum
arg_out: 0 buffer uint[1] 0x80000000
arg_in:  1 float -3.0
!*/
kernel void maximum(global uint *out, float a)
{
   *out = as_uint(fmax(a, -0.0f));
}
