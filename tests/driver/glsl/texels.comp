// Buffers that are read and written by texels.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform samplerBuffer floats;
layout(set = 0, binding = 1) uniform usamplerBuffer words;
layout(set = 0, binding = 2, rgba8) uniform imageBuffer bytes;
layout(set = 0, binding = 3, r32ui) uniform uimageBuffer out_;
void main()
{
   int i = int(gl_GlobalInvocationID.x);
   vec4 sum = texelFetch(floats, i) + imageLoad(bytes, i) * 0.5;
   imageStore(bytes, i, vec4(texelFetch(words, i)) / 255.0);
   imageStore(out_, i, uvec4(uint(sum.x * 4.0) + texelFetch(words, 31 - i).y + uint(textureSize(floats) + imageSize(out_))));
}
