kernel void mul_hi_64(global ulong *out, global const ulong *a, global const ulong *b)
{
   int id = get_global_id(0);
   out[id] = mul_hi(a[id], b[id]);
}
