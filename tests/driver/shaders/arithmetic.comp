// out = a * scale + b, with one thread an element; the last group is not full.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer A { float a[]; };
layout(binding = 1, std430) readonly buffer B { float b[]; };
layout(binding = 2, std430) writeonly buffer C { float c[]; };
layout(push_constant) uniform Push { float scale; uint count; };
void main()
{
   uint i = gl_GlobalInvocationID.x;
   if (i < count)
      c[i] = a[i] * scale + b[i];
}
