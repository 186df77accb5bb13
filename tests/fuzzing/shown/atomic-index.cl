/*!
# Shows the fault atomic-index of tests/fuzzing/planted_faults.py.
[config]
name: atomic of every second word

[test]
name: every second word
kernel_name: second
global_size: 4 0 0
arg_out: 0 buffer uint[8] 5 7 6 7 7 7 8 7
arg_in:  0 buffer uint[8] 5 7 5 7 5 7 5 7

[test]
name: a word two behind
kernel_name: behind
global_size: 4 0 0
arg_out: 0 buffer uint[8] 7 7 11 7 7 7 7 7
arg_in:  0 buffer uint[8] 7 7 7 7 7 7 7 7
!*/
kernel void second(global uint *p)
{
   uint i = get_global_id(0);
   atomic_add(&p[2 * i], i);
}

kernel void behind(global uint *p)
{
   atomic_add(&p[2], 1);
}
