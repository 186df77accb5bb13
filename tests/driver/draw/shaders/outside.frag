#version 450
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 result;
void main()
{
   result = texelFetch(image, ivec2(place * 30) + 4096, 0);
}
