#version 450
/* A floor that goes away from the eye: the texture's level changes along it. */
layout(location = 0) out vec2 place;
void main()
{
   const vec2 corner[6] = vec2[](vec2(0, 0), vec2(1, 0), vec2(0, 1), vec2(1, 0), vec2(1, 1), vec2(0, 1));
   const vec2 at = corner[gl_VertexIndex % 6];
   const float w = 1 + 5 * at.y;
   gl_Position = vec4((2 * at.x - 1) * 1.4 * w, (0.9 - 1.7 * at.y) * w, 0.5 * w, w);
   place = at * vec2(2, 6);
}
