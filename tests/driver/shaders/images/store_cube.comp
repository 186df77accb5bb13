// Loads and stores texels of a cube.
#version 450
layout(local_size_x = 64, local_size_y = 1) in;
layout(binding = 0, r32ui) uniform uimageCube image;
layout(binding = 1, std430) writeonly buffer C { uvec4 c[]; };
void main()
{
   ivec2 at = ivec2(gl_GlobalInvocationID.xy);
   int i = at.y * 64 + at.x;
   ivec3 p = ivec3(at.x % 16, at.y, at.x / 16); c[i] = imageLoad(image, p); imageStore(image, p, uvec4(i));
}
