// An image's texels become a buffer's words.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) writeonly buffer A { uint a[]; };
layout(binding = 1, r32ui) readonly uniform uimage2D from;
void main()
{
   ivec2 at = ivec2(gl_GlobalInvocationID.xy);
   a[at.y * imageSize(from).x + at.x] = imageLoad(from, at).x;
}
