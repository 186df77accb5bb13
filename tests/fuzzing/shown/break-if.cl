/*!
# Shows the fault break-if of tests/fuzzing/planted_faults.py.
[config]
name: a break inside of an if

[test]
name: inner break
kernel_name: inner
global_size: 4 0 0
arg_out: 0 buffer uint[4] 3064 4077 2066 3076
arg_in:  1 buffer uint[4] 5 6 7 8
!*/
kernel void inner(global uint *out, global const uint *p)
{
   uint n = p[get_global_id(0)], a = 1, i;
   for (i = 0; i < n; i++) {
      if ((a & 3) != 2) {
         out[get_global_id(0)] = a;
         a += n * 3;
         if (!(a < 60)) {
            break;
         }
      }
      a += 1;
   }
   out[get_global_id(0)] = a + 1000 * i;
}
