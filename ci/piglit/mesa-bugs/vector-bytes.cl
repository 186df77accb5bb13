/*!
# docs/mesa-bugs.md F20: a load of the first byte becomes a vector of more components than NIR has.
[config]
name: the first byte of a vector of more than 16 bytes

[test]
name: of a constant
kernel_name: constants
arg_out: 0 buffer uchar[4] 8 7 1 24
!*/
kernel void constants(global uchar *out)
{
   ulong4 v = (ulong4)(0x0102030405060708UL, 0x1112131415161718UL, 0UL, 0UL);

   out[0] = *(uchar *)&v;
   out[1] = ((uchar *)&v)[1];
   out[2] = ((uchar *)&v)[7];
   out[3] = ((uchar *)&v)[8];
}
