#version 450
#extension GL_EXT_buffer_reference : require
/* Through an address, which Vulkan checks no bounds of, as it does of buffers that are bound. */
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint w[]; };
layout(push_constant) uniform P { uint n; uint pad; Words words; };
void main() { uint i = gl_LocalInvocationIndex; words.w[i] = words.w[i + n]; }
