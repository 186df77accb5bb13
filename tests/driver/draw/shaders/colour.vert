#version 450
/* Position and colour from the vertex number: a triangle that covers half of the image. */
layout(location = 0) out vec4 colour;
void main()
{
   const vec2 at[3] = vec2[](vec2(-0.9, -0.8), vec2(0.85, -0.5), vec2(-0.3, 0.95));
   const vec4 colours[3] = vec4[](vec4(1, 0, 0, 1), vec4(0, 1, 0, 1), vec4(0, 0, 1, 0.5));
   gl_Position = vec4(at[gl_VertexIndex % 3], 0.5, 1);
   colour = colours[gl_VertexIndex % 3];
}
