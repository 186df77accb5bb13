// Loads and stores texels of rgba8, also outside of the image.
#version 450
layout(local_size_x = 64, local_size_y = 1) in;
layout(binding = 0, rgba8) uniform image2D image;
layout(binding = 1, std430) writeonly buffer C { vec4 c[]; };
void main()
{
   ivec2 at = ivec2(gl_GlobalInvocationID.xy);
   int i = at.y * 64 + at.x;
   c[i] = imageLoad(image, at); imageStore(image, at, vec4(float(at.x) / 40.3 - 0.1, float(at.y) / 13.1, float(i) / 700.7, 0.71));
}
