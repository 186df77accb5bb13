/*!
[config]
name: one kernel of two is refused

[test]
name: good
kernel_name: good
arg_out: 0 buffer int[1] 1

[test]
name: talks
kernel_name: talks
arg_out: 0 buffer int[1] 1
!*/
kernel void good(global int *o) { o[get_global_id(0)] = 1; }
kernel void talks(global int *o) { printf("%d", o[0]); }
