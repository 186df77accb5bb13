/* Images as arguments, for tests/driver/glsl.py. */
kernel void filter(read_only image2d_t source, sampler_t how, write_only image2d_t target, global float4 *out)
{
   int2 at = (int2)(get_global_id(0), get_global_id(1));
   float4 value = read_imagef(source, how, (float2)(at.x / 8.0f - 0.5f, at.y / 8.0f));
   out[at.y * get_global_size(0) + at.x] = value;
   write_imagef(target, at, value);
}

kernel void shapes(read_only image2d_array_t a, read_only image3d_t b, read_only image1d_t c, write_only image2d_array_t d, global int4 *out)
{
   const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
   int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
   int4 at = (int4)(x, y, z, 0);
   int4 value = read_imagei(a, s, at) + read_imagei(b, s, at) * 3 + read_imagei(c, s, x);
   out[(z * 4 + y) * 8 + x] = value;
   write_imagei(d, (int4)(7 - x, y, z, 0), value);
}

kernel void halves(read_only image1d_buffer_t from, write_only image1d_t to)
{
   int i = get_global_id(0);
   float4 value = read_imagef(from, i);
   write_imagef(to, i, (float4)(value.x * value.y));
}
