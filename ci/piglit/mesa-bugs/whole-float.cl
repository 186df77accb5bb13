/*!
# docs/mesa-bugs.md F28, of floats: a float between -1 and 0 becomes the integer 0, and that the float 0.
[config]
name: a float that becomes an integer and a float again

[test]
name: -0.5f as an int is 0
kernel_name: of_int
arg_out: 0 buffer uint[1] 0
arg_in:  1 float -0.5

[test]
name: -0.5f as a long is 0
kernel_name: of_long
arg_out: 0 buffer uint[1] 0
arg_in:  1 float -0.5
!*/
kernel void of_int(global uint *out, float f)
{
   *out = as_uint((float)(int)f);
}

kernel void of_long(global uint *out, float f)
{
   *out = as_uint((float)(long)f);
}
