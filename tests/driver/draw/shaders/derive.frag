#version 450
/* Derivatives of a varying, which quads share. */
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main()
{
   result = vec4(0.5 + 10 * dFdxCoarse(colour.r), 0.5 + 10 * dFdyCoarse(colour.g), colour.b, 1);
}
