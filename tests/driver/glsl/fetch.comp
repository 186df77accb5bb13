// Texels as a shader reads them, of any format of floats.
#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform texture2D image;
layout(set = 0, binding = 1) buffer Out { vec4 out_[]; };
void main()
{
   ivec2 at = ivec2(gl_GlobalInvocationID.xy);
   out_[at.y * 16 + at.x] = texelFetch(image, at, 0);
}
