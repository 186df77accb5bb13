/*!
# Shows the fault dead-write of tests/fuzzing/planted_faults.py.
[config]
name: a computed read between two writes

[test]
name: the first write is read
kernel_name: between
global_size: 4 0 0
arg_out: 0 buffer int[4] 1 105 2 3
arg_in:  1 buffer int[4] 0 1 2 3
!*/
kernel void between(global int *out, global const int *in)
{
   int i = in[get_global_id(0)], a[4] = {1, 1, 2, 3};
   a[1] = in[3] + 102;
   int first = a[i & 3];
   a[1] = i;
   a[i & 3] += 1;
   out[get_global_id(0)] = first;
   if (a[in[2] & 3] == 77) {
      out[0] = a[i & 1];
   }
}
