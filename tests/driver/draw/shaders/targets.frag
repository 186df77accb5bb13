#version 450
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
void main()
{
   first = colour;
   second = colour.gbra;
}
