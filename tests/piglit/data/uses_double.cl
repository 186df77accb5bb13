/*!
[config]
name: double precision, not asked for

[test]
name: half of it
kernel_name: halve
arg_out: 0 buffer double[1] 0.5
!*/
kernel void halve(global double *x)
{
   *x = get_global_id(0) / (double)2 + 0.5;
}
