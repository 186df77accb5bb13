// Samples of an array of cubes.
#version 450
layout(local_size_x = 64, local_size_y = 1) in;
layout(binding = 0) uniform samplerCubeArray image;
layout(binding = 1, std430) writeonly buffer C { vec4 c[]; };
void main()
{
   uvec2 at = gl_GlobalInvocationID.xy;
   vec2 place = (vec2(at) + vec2(0.37, 0.21)) / vec2(48.0, 12.0) - 0.15; // no texel ends there
   uint i = at.y * 64u + at.x;
   vec3 d = vec3(sin(float(i)), cos(float(i) * 0.7), sin(float(i) * 0.3 + 1.0)); c[i] = textureLod(image, vec4(d, float(at.x & 1u)), 0.0);
}
