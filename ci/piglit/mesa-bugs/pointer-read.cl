/*!
# docs/mesa-bugs.md F38: a value that was read through a pointer is taken for what a later store has left.
[config]
name: a pointer to one of two variables

[test]
name: 5 and 6 are 11
kernel_name: read_twice
arg_out: 0 buffer uint[1] 11
arg_in:  1 uint 1
!*/
kernel void read_twice(global uint *out, uint a)
{
   uint x, y = 1;
   uint *p = a ? &x : &y;

   x = 5;
   uint sum = *p;
   x = 6;
   *out = sum + *p;
}
