// Shared memory and barriers: a transposed tile, a sum by halves, and an atomic in shared memory.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) readonly buffer In { uint in_[]; };
layout(set = 0, binding = 1) buffer Out { uint out_[]; };
shared uint tile[16][17];
shared uint sums[256];
shared uint odd;
void main()
{
   uvec2 l = gl_LocalInvocationID.xy, g = gl_GlobalInvocationID.xy;
   uint width = gl_NumWorkGroups.x * 16, i = gl_LocalInvocationIndex;
   uint value = in_[g.y * width + g.x];
   if (i == 0) {
      odd = 0;
   }
   tile[l.y][l.x] = value;
   sums[i] = value;
   barrier();
   atomicAdd(odd, value & 1);
   for (uint step = 128; step > 0; step >>= 1) {
      if (i < step) {
         sums[i] += sums[i + step];
      }
      barrier();
   }
   out_[g.y * width + g.x] = tile[l.x][l.y] ^ (sums[0] + odd);
}
