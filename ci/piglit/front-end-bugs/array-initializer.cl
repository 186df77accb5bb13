/*!
# docs/mesa-bugs.md 6: clang 15 makes a module-scope variable of storage class Function, which agx-runner mends.
[config]
name: a private array with some constant initializers

[test]
name: an element that is not given
kernel_name: k
arg_out: 0 buffer int[1] 0
arg_in:  1 int 1

[test]
name: an element that is given
kernel_name: k
arg_out: 0 buffer int[1] 1
arg_in:  1 int 0
!*/
kernel void k(global int *out, int x)
{
   int a[2][5] = {{1, 2, 3, 4, 5}, {x}};

   *out = a[x][x];
}
