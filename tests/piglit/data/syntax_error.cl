/*!
[config]
name: a syntax error

[test]
name: never reached
kernel_name: k
arg_out: 0 buffer int[1] 1
!*/
kernel void k(global int *x)
{
   *x = ;
}
