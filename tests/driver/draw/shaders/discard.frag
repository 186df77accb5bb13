#version 450
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main()
{
   if ((int(gl_FragCoord.x) / 3 + int(gl_FragCoord.y) / 2) % 3 == 1) {
      discard;
   }
   result = colour;
}
