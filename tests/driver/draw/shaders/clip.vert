#version 450
/* Positions and colours from buffers; two planes clip. */
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 colour;
layout(push_constant) uniform Push { vec4 scale, move, tone, other; };
out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };
void main()
{
   gl_Position = at * scale + move;
   gl_Position.xy += 0.2 * gl_InstanceIndex;
   colour = tint;
   gl_ClipDistance[0] = gl_Position.x + 0.4 * gl_Position.w;
   gl_ClipDistance[1] = 0.7 * gl_Position.w - gl_Position.y;
}
