#version 450
/* Push constants, a specialization constant, two descriptor sets, and a uniform buffer. */
layout(local_size_x = 32) in;
layout(constant_id = 3) const uint added = 7;
layout(constant_id = 4) const float factor = 1.0;
layout(set = 0, binding = 1) buffer Out { float o[]; };
layout(set = 0, binding = 2) readonly buffer In { float i[]; };
layout(set = 1, binding = 0) uniform U { vec4 scale; };
layout(push_constant) uniform P { float a; uint first; };

void main()
{
   uint x = gl_GlobalInvocationID.x;
   o[x] = a * i[x + first] * scale.y * factor + float(added);
}
