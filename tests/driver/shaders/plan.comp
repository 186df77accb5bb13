// Writes the grid of the next dispatch.
#version 450
layout(local_size_x = 1) in;
layout(binding = 0, std430) writeonly buffer G { uint groups[3]; };
void main() { groups[0] = 4u; groups[1] = 2u; groups[2] = 3u; }
