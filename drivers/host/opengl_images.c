/* SPDX-License-Identifier: MIT
 *
 * Images, textures, buffers of texels, and samplers of OpenGL. Invariant: contents go in and out in the format's own
 * elements, so that no conversion changes them.
 */
#include <string.h>

#include "drivers/host/formats.h"
#include "drivers/host/opengl.h"

/* What OpenGL calls a format, and the elements of its texels. */
struct layout {
   GLenum internal, format, type;
};

/* By OpenGL's names for what the format's own words do not say. */
static const struct {
   const char *name;
   struct layout layout;
} packed[] = {
    {"bgra8", {GL_RGBA8, GL_BGRA, GL_UNSIGNED_BYTE}},
    {"srgba8", {GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE}},
    {"r11f_g11f_b10f", {GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV}},
    {"rgb10_a2", {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV}},
    {"rgb9_e5", {GL_RGB9_E5, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV}},
    {"rgb10_a2ui", {GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV}},
};
/* By the number of elements, 1, 2 and 4. */
#define SIZES(suffix)                                                                                                  \
   {                                                                                                                   \
      GL_R##suffix, GL_RG##suffix, GL_RGBA##suffix                                                                     \
   }
static const struct {
   const char *suffix; /* of the format's name */
   GLenum internal[3];
   GLenum type;
} plain[] = {
    {"8", SIZES(8), GL_UNSIGNED_BYTE},
    {"8_snorm", SIZES(8_SNORM), GL_BYTE},
    {"16", SIZES(16), GL_UNSIGNED_SHORT},
    {"16_snorm", SIZES(16_SNORM), GL_SHORT},
    {"16f", SIZES(16F), GL_HALF_FLOAT},
    {"32f", SIZES(32F), GL_FLOAT},
    {"8i", SIZES(8I), GL_BYTE},
    {"16i", SIZES(16I), GL_SHORT},
    {"32i", SIZES(32I), GL_INT},
    {"8ui", SIZES(8UI), GL_UNSIGNED_BYTE},
    {"16ui", SIZES(16UI), GL_UNSIGNED_SHORT},
    {"32ui", SIZES(32UI), GL_UNSIGNED_INT},
};
#undef SIZES

static struct layout layout_of(const struct host_format *format)
{
   static const GLenum floats[] = {GL_RED, GL_RG, GL_RGBA};
   static const GLenum integers[] = {GL_RED_INTEGER, GL_RG_INTEGER, GL_RGBA_INTEGER};
   for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++) {
      if (strcmp(format->name, packed[i].name) == 0) {
         return packed[i].layout;
      }
   }
   const unsigned size = format->elements == 4 ? 2 : format->elements - 1;
   const char *suffix = format->name + strcspn(format->name, "0123456789");
   for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
      if (strcmp(suffix, plain[i].suffix) == 0) {
         return (struct layout){plain[i].internal[size], format->reads == 'f' ? floats[size] : integers[size],
                                plain[i].type};
      }
   }
   return (struct layout){0};
}

static const struct {
   GLenum target;
   uint32_t sizes;
   const char *text;
} shapes[HOST_SHAPES] = {
    [HOST_1D] = {GL_TEXTURE_1D, 1, "WIDTH"},
    [HOST_1D_ARRAY] = {GL_TEXTURE_1D_ARRAY, 2, "WIDTH,LAYERS"},
    [HOST_2D] = {GL_TEXTURE_2D, 2, "WIDTH,HEIGHT"},
    [HOST_2D_ARRAY] = {GL_TEXTURE_2D_ARRAY, 3, "WIDTH,HEIGHT,LAYERS"},
    [HOST_3D] = {GL_TEXTURE_3D, 3, "WIDTH,HEIGHT,DEPTH"},
    [HOST_CUBE] = {GL_TEXTURE_CUBE_MAP, 3, "WIDTH,WIDTH,6"},
    [HOST_CUBE_ARRAY] = {GL_TEXTURE_CUBE_MAP_ARRAY, 3, "WIDTH,WIDTH,LAYERS"},
    [HOST_TEXELS] = {GL_TEXTURE_BUFFER, 1, "WIDTH"},
};

static bool check(struct opengl *opengl, const struct opengl_argument *argument, const struct host_image *image)
{
   const struct host_format *format = host_format(image->format);
   if (format == NULL || layout_of(format).internal == 0) {
      return opengl_refuse(opengl, HOST_NO_LAUNCH, "image %s: OpenGL has no such format", argument->name);
   }
   if (image->dimensions != shapes[argument->shape].sizes) {
      return opengl_refuse(opengl, HOST_NO_LAUNCH, "image %s takes the sizes %s", argument->name,
                           shapes[argument->shape].text);
   }
   return format->reads == argument->reads ||
          opengl_refuse(opengl, HOST_NO_LAUNCH, "image %s has %s in the shader, and %s has others", argument->name,
                        argument->reads == 'f'   ? "floats"
                        : argument->reads == 'i' ? "signed integers"
                                                 : "unsigned integers",
                        format->name);
}

static void fill(const struct given *given, GLenum target, const struct layout *layout)
{
   const GLsizei width = (GLsizei)given->image.size[0], height = (GLsizei)given->image.size[1];
   const GLsizei depth = (GLsizei)given->image.size[2];
   const GLuint texture = given->texture;
   switch (given->image.dimensions) {
   case 1:
      gl.glTextureStorage1D(texture, 1, layout->internal, width);
      gl.glTextureSubImage1D(texture, 0, 0, width, layout->format, layout->type, given->bytes);
      break;
   case 2:
      gl.glTextureStorage2D(texture, 1, layout->internal, width, height);
      gl.glTextureSubImage2D(texture, 0, 0, 0, width, height, layout->format, layout->type, given->bytes);
      break;
   default:
      if (target == GL_TEXTURE_CUBE_MAP) {
         gl.glTextureStorage2D(texture, 1, layout->internal, width, height);
      } else {
         gl.glTextureStorage3D(texture, 1, layout->internal, width, height, depth);
      }
      gl.glTextureSubImage3D(texture, 0, 0, 0, 0, width, height, depth, layout->format, layout->type, given->bytes);
      break;
   }
}

static void make_sampler(struct given *given, GLuint unit)
{
   static const GLenum wraps[HOST_ADDRESSINGS] = {[HOST_CLAMP] = GL_CLAMP_TO_EDGE,
                                                  [HOST_REPEAT] = GL_REPEAT,
                                                  [HOST_MIRROR] = GL_MIRRORED_REPEAT,
                                                  [HOST_BORDER] = GL_CLAMP_TO_BORDER};
   static const GLenum directions[] = {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R};
   const GLint filter = given->sampler.linear ? GL_LINEAR : GL_NEAREST;
   gl.glCreateSamplers(1, &given->sampled_with);
   gl.glSamplerParameteri(given->sampled_with, GL_TEXTURE_MIN_FILTER, filter);
   gl.glSamplerParameteri(given->sampled_with, GL_TEXTURE_MAG_FILTER, filter);
   for (unsigned i = 0; i < 3; i++) {
      gl.glSamplerParameteri(given->sampled_with, directions[i],
                             (GLint)wraps[given->sampler.addressing % HOST_ADDRESSINGS]);
   }
   gl.glBindSampler(unit, given->sampled_with);
}

bool opengl_bind_image(struct opengl *opengl, const struct opengl_argument *argument, struct given *given)
{
   if (!check(opengl, argument, &given->image)) {
      return false;
   }
   const struct layout layout = layout_of(host_format(given->image.format));
   const GLenum target = shapes[argument->shape].target;
   gl.glCreateTextures(target, 1, &given->texture);
   if (argument->shape == HOST_TEXELS) {
      gl.glCreateBuffers(1, &given->buffer);
      gl.glNamedBufferData(given->buffer, (GLsizeiptr)given->argument.size, given->bytes, GL_DYNAMIC_COPY);
      gl.glTextureBuffer(given->texture, layout.internal, given->buffer);
   } else {
      fill(given, target, &layout);
   }
   if (argument->class == OPENGL_IMAGE) {
      gl.glBindImageTexture(argument->place, given->texture, 0, GL_TRUE, 0, GL_READ_WRITE, layout.internal);
   } else {
      gl.glBindTextureUnit(argument->place, given->texture);
      make_sampler(given, argument->place);
   }
   return opengl_check(opengl, HOST_NO_LAUNCH, argument->name);
}

void opengl_read_image(const struct given *given, uint8_t *bytes)
{
   const struct layout layout = layout_of(host_format(given->image.format));
   gl.glGetTextureImage(given->texture, 0, layout.format, layout.type, (GLsizei)given->argument.size, bytes);
}

uint32_t opengl_probe_image(const struct opengl_argument *argument, struct host_image *image)
{
   *image = (struct host_image){
       .format = host_format_for(argument->reads), .dimensions = shapes[argument->shape].sizes, .size = {12, 1, 1}};
   uint32_t texels = 1;
   for (uint32_t i = 0; i < image->dimensions; i++) {
      image->size[i] = i == 2 ? 6 : 12;
      texels *= image->size[i];
   }
   return texels * host_format_bytes(image->format);
}

void opengl_release(struct given *given)
{
   gl.glDeleteTextures(1, &given->texture);
   gl.glDeleteBuffers(1, &given->buffer);
   gl.glDeleteSamplers(1, &given->sampled_with);
   given->texture = given->buffer = given->sampled_with = 0;
}
