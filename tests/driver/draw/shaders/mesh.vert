#version 450
/* Positions and colours from buffers; instances stand beside one another. */
layout(location = 0) in vec4 at;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 colour;
layout(push_constant) uniform Push { vec4 scale, move, tone, other; };
void main()
{
   gl_Position = at * scale + move;
   gl_Position.xy += 0.2 * gl_InstanceIndex;
   colour = tint * (1 - 0.25 * gl_InstanceIndex);
}
