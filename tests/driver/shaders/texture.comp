// Sampling: by texel, nearest, linear.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D nearest;
layout(binding = 1) uniform sampler2D linear;
layout(binding = 2, std430) writeonly buffer C { vec4 c[]; };
void main()
{
   uvec2 at = gl_GlobalInvocationID.xy;
   vec2 size = vec2(textureSize(nearest, 0));
   uint i = (at.y * 16u + at.x) * 3u;
   c[i] = texelFetch(nearest, ivec2(at), 0);
   c[i + 1u] = textureLod(nearest, (vec2(at) + 0.75) / size, 0.0);
   c[i + 2u] = textureLod(linear, (vec2(at) + 1.0) / size, 0.0);
}
