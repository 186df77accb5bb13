// Textures of each shape, sampled at the middle of texels, where no filter counts.
#version 450
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform sampler1D line;
layout(set = 0, binding = 1) uniform sampler1DArray lines;
layout(set = 0, binding = 2) uniform sampler2DArray layers;
layout(set = 0, binding = 3) uniform sampler3D volume;
layout(set = 0, binding = 4) uniform samplerCube cube;
layout(set = 0, binding = 5) uniform samplerCubeArray cubes;
layout(set = 0, binding = 6) buffer Out { vec4 out_[]; };
void main()
{
   ivec3 at = ivec3(gl_GlobalInvocationID);
   vec2 middle = (vec2(at.xy) + 0.5) / 4.0;
   vec2 c = middle * 2.0 - 1.0;
   vec3 to[6] = vec3[](vec3(1, -c.y, -c.x), vec3(-1, -c.y, c.x), vec3(c.x, 1, c.y), vec3(c.x, -1, -c.y), vec3(c.x, -c.y, 1), vec3(-c.x, -c.y, -1));
   int i = ((at.z * 4 + at.y) * 4 + at.x) * 6;
   out_[i] = textureLod(line, middle.x, 0);
   out_[i + 1] = textureLod(lines, vec2(middle.x, at.y), 0);
   out_[i + 2] = textureLod(layers, vec3(middle, at.z), 0);
   out_[i + 3] = textureLod(volume, vec3(middle, (at.z + 0.5) / 6.0), 0);
   out_[i + 4] = textureLod(cube, to[at.z], 0);
   out_[i + 5] = textureLod(cubes, vec4(to[at.z], at.x & 1), 0);
}
