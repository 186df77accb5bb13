// Floats are stored to an image of any format: what is rounded and clamped, and what an image keeps.
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform writeonly image2D image;
layout(set = 0, binding = 1) buffer In { vec4 in_[]; };
void main()
{
   ivec2 at = ivec2(gl_GlobalInvocationID.xy);
   precise vec4 value = in_[at.y * 16 + at.x] / 128.0 - 2.0;
   imageStore(image, at, value);
}
