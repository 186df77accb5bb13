// A storage image is read and written: each texel moves to the mirrored column.
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0, rgba8) uniform readonly image2D source;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D target;
void main()
{
   ivec2 at = ivec2(gl_GlobalInvocationID.xy);
   imageStore(target, ivec2(imageSize(source).x - 1 - at.x, at.y), imageLoad(source, at));
}
