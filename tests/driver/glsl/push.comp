// Push constants of several types, with holes between them.
#version 450
layout(local_size_x = 32) in;
layout(push_constant) uniform Push { float scale; vec2 offset; uint mask; ivec3 add; float last[2]; };
layout(set = 0, binding = 0) buffer Out { vec4 out_[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x;
   out_[i] = vec4(float(i & mask) * scale, offset, float(add.x + add.y * int(i) + add.z)) + vec4(last[i & 1]);
}
