// Storage images of each shape.
#version 450
layout(local_size_x = 4, local_size_y = 4, local_size_z = 1) in;
layout(set = 0, binding = 0, r32ui) uniform uimage1D line;
layout(set = 0, binding = 1, r32ui) uniform uimage1DArray lines;
layout(set = 0, binding = 2, r32ui) uniform uimage2DArray layers;
layout(set = 0, binding = 3, r32ui) uniform uimage3D volume;
layout(set = 0, binding = 4, r32ui) uniform uimageCube cube;
layout(set = 0, binding = 5) buffer Out { ivec4 sizes[]; };
void main()
{
   ivec3 at = ivec3(gl_GlobalInvocationID);
   uint value = imageLoad(line, at.x).x + imageLoad(lines, at.xy).x * 3 + imageLoad(layers, at).x * 5 +
                imageLoad(volume, at).x * 7 + imageLoad(cube, at).x * 11;
   if (at.z == 0) {
      imageStore(lines, at.xy + ivec2(0, 4), uvec4(uint(at.x * 10 + at.y)));
   }
   imageStore(layers, at, uvec4(value));
   imageStore(volume, at, uvec4(value ^ 0x55555555));
   imageStore(cube, at, uvec4(value * 2));
   sizes[0] = ivec4(imageSize(line), imageSize(lines), 0);
   sizes[1] = ivec4(imageSize(layers), 0);
   sizes[2] = ivec4(imageSize(volume), 0);
   sizes[3] = ivec4(imageSize(cube), 0, 0);
}
