// A texture is sampled through a combined sampler and a separate one, inside of the image and outside.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2D both;
layout(set = 0, binding = 1) uniform texture2D image;
layout(set = 0, binding = 2) uniform sampler how;
layout(set = 0, binding = 3) buffer Out { vec4 out_[]; };
void main()
{
   uint i = gl_GlobalInvocationID.y * 16 + gl_GlobalInvocationID.x;
   vec2 at = vec2(gl_GlobalInvocationID.xy) / 8.0 - 0.5;
   out_[2 * i] = textureLod(both, at, 0);
   out_[2 * i + 1] = textureLod(sampler2D(image, how), at, 0);
}
