// Arrays of bindings: buffers, uniform buffers, textures and storage images, by a constant and by a dynamic index.
#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer In { uint v[]; } in_[3];
layout(set = 0, binding = 1) uniform Uniforms { uvec4 v[4]; } uniforms[2];
layout(set = 1, binding = 0) uniform utexture2D images[2];
layout(set = 1, binding = 2, r32ui) uniform writeonly uimage2D targets[2];
layout(set = 1, binding = 1) buffer Out { uint out_[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x;
   uint value = in_[nonuniformEXT(i % 3)].v[i] + in_[2].v[15 - i] + uniforms[nonuniformEXT(i & 1)].v[i & 3].y * 1000;
   value += texelFetch(images[1], ivec2(i & 3, i >> 2), 0).x + texelFetch(images[nonuniformEXT(i & 1)], ivec2(i & 3, i >> 2), 0).x;
   imageStore(targets[nonuniformEXT(i >> 3)], ivec2(i & 3, i >> 2), uvec4(value));
   out_[i] = value;
}
