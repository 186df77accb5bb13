/*!
[config]
name: a device that is not there
device_regex: Radeon

[test]
name: never run
kernel_name: k
!*/
kernel void k()
{
}
