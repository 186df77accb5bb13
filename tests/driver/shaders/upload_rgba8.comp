// A buffer's bytes become an image.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) readonly buffer A { uint a[]; };
layout(binding = 1, rgba8) writeonly uniform image2D to;
void main()
{
   ivec2 at = ivec2(gl_GlobalInvocationID.xy);
   imageStore(to, at, unpackUnorm4x8(a[at.y * imageSize(to).x + at.x]));
}
