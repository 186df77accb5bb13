// SPDX-License-Identifier: MIT
// The mean of nine by nine texels around each.
#version 450
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0, rgba8) readonly uniform image2D from;
layout(binding = 1, rgba8) writeonly uniform image2D to;
void main()
{
   const ivec2 here = ivec2(gl_GlobalInvocationID.xy);
   vec4 sum = vec4(0);
   for (int y = -4; y <= 4; y++) {
      for (int x = -4; x <= 4; x++) {
         sum += imageLoad(from, clamp(here + ivec2(x, y), ivec2(0), imageSize(from) - 1));
      }
   }
   imageStore(to, here, sum / 81.0);
}
