/*!
[config]
name: a language that is not there
clc_version_min: 99

[test]
name: never run
kernel_name: k
!*/
kernel void k()
{
}
