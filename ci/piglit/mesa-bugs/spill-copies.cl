/*!
# docs/mesa-bugs.md F29: copies between spill slots use a register that holds a value.
[config]
name: the register for copies between spill slots
build_options: -cl-std=CL1.2
dimensions: 1
global_size: 2 0 0
local_size: 2 0 0

[test]
name: variables that no branch changes
kernel_name: k
arg_out: 0 buffer long16[2] 155 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 155 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
arg_in: 1 buffer long8[2] 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
arg_in: 2 buffer int16[2] 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
arg_in: 3 buffer uint[2] 31 31
arg_in: 4 uint 0
!*/
kernel void k(global long16 *out, global long8 *other, global int16 *third, global const uint *shift, uint a)
{
   int i = get_global_id(0);
   long16 v = (long16)(155, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
   long8 w = (long8)(1, 2, 3, 4, 5, 6, 7, 8);

   if (a) {
      third[i] = 0;
      w = 0;
   }
   for (int turn = 0; turn < 32; turn++) {
      if ((uint)get_group_id(0) >> shift[i]) {
         other[i] = w;
         v = (long16)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0);
      }
   }
   out[i] = v;
}
