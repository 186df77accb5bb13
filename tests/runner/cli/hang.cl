/* Kernels that do not end: tests/runner/cli/postmortem.py. */
kernel void lock(global int *counter, volatile global int *mutex)
{
   while (atomic_xchg(mutex, 1)) ;
   counter[0] += 1;
   atomic_xchg(mutex, 0);
}

kernel void flag(global int *out, volatile global int *ready)
{
   int i = get_global_id(0);
   if (get_local_id(0) >= 64)
      while (ready[2] == 0) ;
   barrier(CLK_LOCAL_MEM_FENCE);
   out[i] = 1;
}

kernel void sum(global int *out, int n)
{
   int i = get_global_id(0), sum = 0;
   for (int k = 0; k < n; k++)
      sum += out[k * 4096 + i];
   out[i] = sum;
}
