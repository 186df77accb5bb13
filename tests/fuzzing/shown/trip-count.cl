/*!
# Shows the fault trip-count of tests/fuzzing/planted_faults.py.
[config]
name: a do loop with a constant count

[test]
name: turns
kernel_name: turns
global_size: 1 0 0
arg_out: 0 buffer uint[1] 59
arg_in:  1 buffer uint[1] 2
!*/
kernel void turns(global uint *out, global const uint *p)
{
   uint a = p[0], i = 0;
   do {
      a = a * 3 ^ i;
      i += 1;
   } while (i < 3);
   out[0] = a;
}
