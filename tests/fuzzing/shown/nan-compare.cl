/*!
# Shows the fault nan-compare of tests/fuzzing/planted_faults.py.
[config]
name: not less than NaN

[test]
name: NaN is not less
kernel_name: not_less
global_size: 3 0 0
arg_out: 0 buffer uint[3] 1 1 0
arg_in:  1 buffer float[3] nan 1.0 1.0
arg_in:  2 buffer float[3] 1.0 nan 2.0
!*/
kernel void not_less(global uint *out, global const float *a, global const float *b)
{
   int i = get_global_id(0);
   out[i] = !(a[i] < b[i]);
}
