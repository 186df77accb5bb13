// Texel buffers.
#version 450
layout(local_size_x = 32) in;
layout(binding = 0) uniform samplerBuffer from;
layout(binding = 1, rgba8) writeonly uniform imageBuffer to;
void main()
{
   int i = int(gl_GlobalInvocationID.x);
   imageStore(to, i, texelFetch(from, i).wzyx);
}
