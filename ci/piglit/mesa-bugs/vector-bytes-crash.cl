/*!
# docs/mesa-bugs.md F20: a load of the first byte becomes a vector of more components than NIR has.
[config]
name: the first byte of a vector of more than 16 bytes

[test]
name: of a variable
kernel_name: variable
arg_out: 0 buffer uchar[2] 5 9
arg_in:  1 buffer uint8[1] 5 6 7 8 9 10 11 12
!*/
kernel void variable(global uchar *out, global const uint8 *in)
{
   uint8 v = in[0];

   out[0] = *(uchar *)&v;
   out[1] = ((uchar *)&v)[16];
}
