// Loads and stores texels of r11f_g11f_b10f, also outside of the image.
#version 450
layout(local_size_x = 64, local_size_y = 1) in;
layout(binding = 0, r11f_g11f_b10f) uniform image2D image;
layout(binding = 1, std430) writeonly buffer C { vec4 c[]; };
void main()
{
   ivec2 at = ivec2(gl_GlobalInvocationID.xy);
   int i = at.y * 64 + at.x;
   c[i] = imageLoad(image, at); imageStore(image, at, vec4(at.x - 4, at.y, at.y + 3, 0) / 32.0);
}
