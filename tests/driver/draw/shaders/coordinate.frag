#version 450
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 result;
void main()
{
   result = vec4(fract(gl_FragCoord.xy / 32), gl_FragCoord.z, gl_FragCoord.w / 4);
}
