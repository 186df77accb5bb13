// textureGather, offsets, and sizes of textures.
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) uniform isampler2D numbers;
layout(set = 0, binding = 2) buffer Out { vec4 out_[]; };
void main()
{
   ivec2 at = ivec2(gl_GlobalInvocationID.xy);
   vec2 corner = vec2(at + 1) / vec2(textureSize(image, 0));
   int i = (at.y * 8 + at.x) * 4;
   out_[i] = textureGather(image, corner, 1);
   out_[i + 1] = textureGatherOffset(image, corner, ivec2(-1, 2), 0);
   out_[i + 2] = texelFetchOffset(image, at, 0, ivec2(0, 0));
   out_[i + 3] = vec4(textureGather(numbers, corner, 0)) + vec4(textureSize(numbers, 0), textureQueryLevels(image), 0);
}
