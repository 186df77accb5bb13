/*!
# docs/mesa-bugs.md F13: a constant of a phi that becomes 8 bits wide.
[config]
name: constants of narrowed phis

[test]
name: a loop that does not run leaves 8191
kernel_name: loop
arg_out: 0 buffer int[1] 8191
arg_in:  1 buffer char[1] 5

[test]
name: 0x80 rotated by 1 is 1
kernel_name: rotated
arg_out: 0 buffer uchar[1] 1
arg_in:  1 buffer char[1] -128
arg_in:  2 uchar 1
!*/
kernel void loop(global int *out, global const char *in)
{
   int m = 8191;

   for (int j = 0; j < (mul_hi((uchar)1, convert_uchar_sat(convert_uint(convert_ushort_sat(in[0])))) & 3); j++) {
      m = convert_int_sat((char)0);
   }
   out[0] = m;
}

kernel void rotated(global uchar *out, global const char *in, uchar a)
{
   out[0] = rotate((char)(a ? (char)(-128) : in[0]), (char)1) == 1;
}
