#version 450
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main()
{
   result = gl_FrontFacing ? colour : vec4(0, 0.2 * (gl_PrimitiveID % 6), 1, 1);
}
