/*!
# docs/mesa-bugs.md F30: a store is not dead that a struct copy or an atomic reads before the next store.
[config]
name: stores that copies and atomics read

[test]
name: a struct is copied and then changed
kernel_name: copied
arg_out: 0 buffer uint[2] 5 3
arg_in:  1 uint 5

[test]
name: an element is copied at a computed index
kernel_name: element
arg_out: 0 buffer uint[1] 5

[test]
name: an atomic reads global memory
kernel_name: of_global
arg_out: 0 buffer uint[2] 5 7

[test]
name: an atomic reads local memory
kernel_name: of_local
arg_out: 0 buffer uint[2] 5 7
!*/
struct pair {
   uint a, b;
};

kernel void copied(global uint *out, uint a)
{
   struct pair x, y;

   x.a = a;
   x.b = 3;
   y = x;
   x.a = 0;
   out[0] = y.a;
   out[1] = y.b;
}

kernel void element(global uint *out)
{
   struct pair pairs[2] = {{5, 1}, {7, 2}};
   int i = get_global_id(0);

   pairs[i + 1] = pairs[i];
   pairs[0].a = 0;
   out[0] = pairs[1].a;
}

kernel void of_global(global uint *out)
{
   out[1] = 5;
   uint old = atomic_add(&out[1], 1);
   out[1] = 7;
   out[0] = old;
}

kernel void of_local(global uint *out)
{
   local uint word[2];

   word[1] = 5;
   uint old = atomic_add(&word[1], 1);
   word[1] = 7;
   out[0] = old;
   out[1] = word[1];
}
