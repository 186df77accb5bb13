/*!
[config]
name: a division that overflows
build_options: -cl-std=CL3.0
dimensions: 1
global_size: 1 0 0
local_size: 1 0 0

[test]
name: a division that overflows
kernel_name: k
!*/
kernel void k()
{
   int v42 = rotate((-1), 0);
   switch ((v42 == 0 || v42 == -1 ? (-2147483647 - 1) : (-2147483647 - 1) / v42) & 3) {
   case 0: {
   } }
}
