// Uniform buffers in the layouts std140 and std430, with a matrix.
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std140) uniform First { float a[4]; mat3 m; vec3 v; float last; };
layout(set = 0, binding = 1, std430) readonly buffer Second { float b[4]; mat3 n; vec3 w; float end; };
layout(set = 0, binding = 2) buffer Out { vec3 out_[]; };
void main()
{
   uint i = gl_GlobalInvocationID.x;
   precise vec3 value = m[i % 3] * a[i & 3] + n[i % 3].zyx * b[3 - (i & 3)];
   out_[i] = (i & 1) == 0 ? value + v * last : value - w * end;
}
