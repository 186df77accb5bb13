/*!
# docs/mesa-bugs.md 3: the count of a bit-field extract is not taken modulo 32.
[config]
name: bit-field extract with a count of 32 and more

[test]
name: byte 5 of a packed array
kernel_name: byte_at
arg_out: 0 buffer uint[1] 0x22
arg_in:  1 buffer uint[2] 0x78563412 0x44332211
arg_in:  2 uint 5

[test]
name: a shift by 36 is a shift by 4
kernel_name: shifted
arg_out: 0 buffer uint[1] 0x67
arg_in:  1 uint 0x12345678
arg_in:  2 uint 36
!*/
kernel void byte_at(global uint *out, const global uint *words, uint i)
{
   *out = (words[i >> 2] >> ((i & 3) << 3)) & 0xff;
}

kernel void shifted(global uint *out, uint x, uint count)
{
   *out = (x >> count) & 0xff;
}
