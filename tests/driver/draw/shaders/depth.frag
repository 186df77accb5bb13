#version 450
/* Depth of its own. */
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main()
{
   gl_FragDepth = 0.5 * gl_FragCoord.z + 0.4 * colour.r;
   result = colour;
}
