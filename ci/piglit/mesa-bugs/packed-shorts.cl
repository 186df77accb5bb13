/*!
# docs/mesa-bugs.md F34: four shorts as a long, which is added to.
[config]
name: a long of four shorts

[test]
name: (7, 7, 7, 7) and 1
kernel_name: sum
arg_out: 0 buffer ulong[1] 1970354902204424
arg_in:  1 ushort 7
!*/
kernel void sum(global ulong *out, ushort a)
{
   *out = as_ulong((ushort4)(a)) + 1;
}
