kernel void add_32_32(global ulong *out, global const uint *a, global const uint *b)
{
   int id = get_global_id(0);
   out[id] = (ulong)a[id] + b[id];
}
