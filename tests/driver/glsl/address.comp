// Buffers behind addresses: one in the push constants, one in a buffer behind it, a list of nodes.
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430) buffer Numbers { uint v[]; };
layout(buffer_reference, std430) buffer Table { Numbers rows[2]; };
layout(push_constant) uniform Push { Table table; uint scale; };
layout(set = 0, binding = 0) buffer Out { uint out_[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x;
   out_[i] = table.rows[0].v[i] * scale + table.rows[1].v[63 - i];
   table.rows[1].v[63 - i] = i;
}
