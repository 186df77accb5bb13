/*!
# docs/mesa-bugs.md 5: the translator aborts on a constant scalar that becomes a vector.
[config]
name: a constant scalar as a vector

[test]
name: as_uchar4 of a constant
kernel_name: k
arg_out: 0 buffer int[1] 5
!*/
kernel void k(global int *out)
{
   *out = as_int(as_uchar4(5));
}
