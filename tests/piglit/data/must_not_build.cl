/*!
[config]
name: a syntax error that is asked for
expect_build_fail: true
!*/
kernel void k(global int *x)
{
   *x = ;
}
