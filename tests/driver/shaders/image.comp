// From one storage image to another, turned by a quarter.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) readonly uniform uimage2D from;
layout(binding = 1, r32ui) writeonly uniform uimage2D to;
void main()
{
   ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(from);
   if (at.x < size.x && at.y < size.y)
      imageStore(to, ivec2(at.y, size.x - 1 - at.x), imageLoad(from, at) + uvec4(1u));
}
