kernel void mad_32_32_64(global ulong *out, global const uint *a, global const uint *b, global const ulong *c)
{
   int id = get_global_id(0);
   out[id] = (ulong)a[id] * b[id] + c[id];
}
