/*!
[config]
name: what must not pass
kernel_name: one

[test]
name: passes
arg_out: 0 buffer int[1] 1

[test]
name: a wrong answer
arg_out: 0 buffer int[1] 2

[test]
name: no such kernel
kernel_name: two
arg_out: 0 buffer int[1] 1

[test]
name: too many arguments
arg_out: 0 buffer int[1] 1
arg_in:  1 int 1

[test]
name: too few arguments

[test]
name: a value for a pointer
arg_in: 0 int 1

[test]
name: uneven groups
global_size: 3 0 0
local_size: 2 0 0
arg_out: 0 buffer int[1] 1

[test]
name: unexpectedly right
expect_test_fail: true
arg_out: 0 buffer int[1] 1

[test]
name: large groups
local_size: 2048 1 1
arg_out: 0 buffer int[1] 1
!*/
kernel void one(global int *out)
{
   *out = 1;
}
