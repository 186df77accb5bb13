#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_nonuniform_qualifier : require
/* Each part of an interface that drivers/host/spirv.c reads. */
layout(local_size_x_id = 1, local_size_y = 2) in;
layout(constant_id = 0) const float f = 1.5;
layout(constant_id = 2) const bool b = true;
layout(constant_id = 7) const int16_t s = 3s;

struct part {
   mat3 m;
   vec3 v[2];
   float16_t h;
   int64_t l;
};

layout(push_constant) uniform Push {
   layout(offset = 16) part p;
   uint8_t last;
} push;
layout(set = 2, binding = 5, std430) buffer Results { uint results[]; };
layout(set = 0, binding = 1, std430) readonly buffer Inputs { uint inputs[]; };
layout(set = 0, binding = 1, std430) readonly buffer Pairs { uvec2 pairs[]; }; /* the same memory, of another type */
layout(set = 0, binding = 0) uniform Settings { vec4 scale; } settings;
layout(set = 1, binding = 3) uniform sampler2D picture;
layout(set = 1, binding = 4, rg16i) uniform readonly iimage2DArray layers[3];
layout(set = 1, binding = 6) uniform usamplerBuffer texels;
layout(set = 1, binding = 7) uniform sampler how;
layout(set = 1, binding = 8) uniform textureCube cube;
layout(set = 1, binding = 9, r32f) uniform readonly image2D many[]; /* its size is the layout's */

void main()
{
   uint i = gl_GlobalInvocationID.x;
   results[i] = inputs[i] + pairs[i].y + uint(push.p.l) + uint(push.last) + uint(f * settings.scale.x) + uint(s) + (b ? 1u : 0u) +
                uint(textureLod(picture, vec2(0), 0.0).x) + uint(push.p.m[1][1] + push.p.v[1].x) + uint(push.p.h) +
                uint(imageLoad(layers[2], ivec3(0)).x) + texelFetch(texels, 0).x +
                uint(textureLod(samplerCube(cube, how), vec3(1), 0.0).x) + uint(imageLoad(many[i], ivec2(0)).x);
}
