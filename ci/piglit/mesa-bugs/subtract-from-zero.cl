/*!
# docs/mesa-bugs.md F40: 0 - x that saturates is 0 where x is not negative.
[config]
name: a saturating subtraction from 0

[test]
name: sub_sat(0, 1) is -1
kernel_name: subtract
arg_out: 0 buffer int[1] -1
arg_in:  1 uchar 1
!*/
kernel void subtract(global int *out, uchar a)
{
   *out = sub_sat(0, convert_int(a));
}
