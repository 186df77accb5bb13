/*!
# Shows the fault round-up of tests/fuzzing/planted_faults.py.
[config]
name: round up

[test]
name: upwards
kernel_name: up
global_size: 3 0 0
arg_out: 0 buffer int[3] 2 -1 3
arg_in:  1 buffer float[3] 1.5 -1.5 3.0
!*/
kernel void up(global int *out, global const float *a)
{
   int i = get_global_id(0);
   out[i] = convert_int_rtp(a[i]);
}
