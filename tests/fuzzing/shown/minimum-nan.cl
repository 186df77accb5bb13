/*!
# Shows the fault minimum-nan of tests/fuzzing/planted_faults.py.
[config]
name: minimum of a number and NaN

[test]
name: a number
kernel_name: least
global_size: 2 0 0
arg_out: 0 buffer float[2] 1.5 1.5
arg_in:  1 buffer float[2] 1.5 nan
arg_in:  2 buffer float[2] nan 1.5
!*/
kernel void least(global float *out, global const float *a, global const float *b)
{
   int i = get_global_id(0);
   out[i] = fmin(a[i], b[i]);
}
