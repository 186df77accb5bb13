/*!
# docs/mesa-bugs.md 11: the translator aborts on a sampler that a kernel hands to a function of the program.
[config]
name: a sampler handed on

[test]
name: a kernel beside it
kernel_name: k
arg_out: 0 buffer int[1] 1
!*/
int is_smooth(sampler_t s)
{
   return 1;
}

kernel void hands_on(global int *out, sampler_t s)
{
   *out = is_smooth(s);
}

kernel void k(global int *out)
{
   *out = 1;
}
