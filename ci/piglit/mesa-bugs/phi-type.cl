/*!
# docs/mesa-bugs.md F17: a constant of a phi that is narrowed as the type of the conversion's result.
[config]
name: types of narrowed phis

[test]
name: 1.0f where a short is not converted
kernel_name: from_short
arg_out: 0 buffer float[2] 1.0 0.0
arg_in:  1 buffer short[2] 3 4
arg_in:  2 int 0

[test]
name: 1 where a half is not converted
kernel_name: from_half
arg_out: 0 buffer int[2] 1 0
arg_in:  1 buffer half[2] 3.0 4.0
arg_in:  2 int 0

[test]
name: 4.0f where a short is converted
kernel_name: from_short
arg_out: 0 buffer float[2] 4.0 5.0
arg_in:  1 buffer short[2] 3 4
arg_in:  2 int 1
!*/
kernel void from_short(global float *out, global const short *in, int c)
{
   float x = 1.0f;

   out[1] = 0.0f;
   if (c) {
      x = in[c];
      out[1] = 5.0f;
   }
   out[0] = x;
}

kernel void from_half(global int *out, global const half *in, int c)
{
   int x = 1;

   out[1] = 0;
   if (c) {
      x = vload_half(c, in);
      out[1] = 5;
   }
   out[0] = x;
}
