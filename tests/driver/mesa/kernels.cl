/* Kernels for tests/driver/any_mesa.py: each part of a launch that a driver hands to the program in its own way. */
constant uint table[4] = {5, 60, 700, 8000};

kernel void values(global uint *out, char c, ushort s, int i, ulong l, float4 v, uint3 w)
{
   out[0] = (uint)(int)c;
   out[1] = s;
   out[2] = (uint)i;
   out[3] = (uint)(l >> 32);
   out[4] = (uint)l;
   out[5] = as_uint(v.x);
   out[6] = as_uint(v.w);
   out[7] = w.z;
}

kernel void sizes(global uint *out)
{
   const uint at = get_global_id(0) + get_global_id(1) * get_global_size(0);
   out[at] = get_num_groups(0) + 10 * get_num_groups(1) + 100 * get_global_size(0) + 10000 * get_global_size(1) +
             1000000 * get_local_size(0) + 10000000 * get_work_dim() + 100000000 * (uint)get_group_id(0);
}

kernel void tables(global uint *out, constant uint *given)
{
   const uint i = get_global_id(0);
   out[i] = table[i & 3] + given[i];
}

kernel void locals(global uint *out, local uint *first, local ushort *second)
{
   local uint own[64];
   const uint i = get_local_id(0), n = get_local_size(0);
   first[i] = i;
   second[i] = (ushort)(i * 2);
   own[i] = i * 3;
   barrier(CLK_LOCAL_MEM_FENCE);
   out[get_global_id(0)] = first[n - 1 - i] + second[n - 1 - i] + own[n - 1 - i];
}

kernel __attribute__((reqd_work_group_size(16, 2, 1))) void required(global uint *out)
{
   out[get_global_id(0) + 32 * get_global_id(1)] = (uint)(get_local_id(0) + 100 * get_local_id(1) + 1000 * get_group_id(0));
}

kernel void atomics(global uint *sum, global const uint *in)
{
   atomic_add(sum, in[get_global_id(0)]);
}

kernel void stack(global uint *out, uint n)
{
   uint array[80];
   const uint i = get_global_id(0);
   for (uint k = 0; k < 80; k++)
      array[k] = k * k + i;
   uint sum = 0;
   for (uint k = 0; k < n; k++)
      sum += array[(k * 13 + i) % 80];
   out[i] = sum;
}

kernel void narrow(global uchar *out, global const ushort *in)
{
   const uint i = get_global_id(0);
   out[i] = (uchar)(in[i] >> 3);
}

kernel void wide(global ulong *out, global const ulong *in)
{
   const uint i = get_global_id(0);
   out[i] = in[i] * 0x100000001ul + (in[i] >> 7);
}

kernel void missing(global uint *out, global uint *maybe)
{
   out[get_global_id(0)] = maybe ? maybe[0] : 42;
}

kernel void unread(global uint *out, uint first, global uint *never, uint last)
{
   out[get_global_id(0)] = last - first;
}

kernel void endless(global uint *out, uint n)
{
   for (uint i = 0; i < n; i += 2)
      out[0] += i;
}

kernel void race(global uint *out, local uint *shared)
{
   shared[get_local_id(0)] = get_local_id(0);
   out[get_global_id(0)] = shared[get_local_size(0) - 1 - get_local_id(0)];
}
