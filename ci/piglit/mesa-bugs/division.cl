/*!
# docs/mesa-bugs.md 4: division by a number whose reciprocal is denormal.
[config]
name: division out of the range of the reciprocal

[test]
name: a large number by itself is 1
kernel_name: divide
arg_out: 0 buffer float[1] 1 tolerance 3 ulp
arg_in:  1 float 3e38
arg_in:  2 float 3e38
!*/
kernel void divide(global float *out, float a, float b)
{
   *out = a / b;
}
