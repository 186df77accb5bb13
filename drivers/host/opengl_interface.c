/* SPDX-License-Identifier: MIT
 *
 * What a linked program says of its interface. Invariant: an argument's place is no other argument's of its class, so
 * that a shader without bindings can be launched, too.
 */
#include <stdlib.h>
#include <string.h>

#include "drivers/host/formats.h"
#include "drivers/host/opengl.h"

/* ---- Types of uniforms ---- */

typedef void set_function(GLint location, GLsizei count, const void *values);

#define SET(name, function, type)                                                                                      \
   static void name(GLint location, GLsizei count, const void *values)                                                 \
   {                                                                                                                   \
      gl.function(location, count, (const type *)values);                                                              \
   }
#define SET_MATRIX(name, function)                                                                                     \
   static void name(GLint location, GLsizei count, const void *values)                                                 \
   {                                                                                                                   \
      gl.function(location, count, GL_FALSE, (const GLfloat *)values);                                                 \
   }
SET(set_float, glUniform1fv, GLfloat)
SET(set_vec2, glUniform2fv, GLfloat)
SET(set_vec3, glUniform3fv, GLfloat)
SET(set_vec4, glUniform4fv, GLfloat)
SET(set_int, glUniform1iv, GLint)
SET(set_ivec2, glUniform2iv, GLint)
SET(set_ivec3, glUniform3iv, GLint)
SET(set_ivec4, glUniform4iv, GLint)
SET(set_uint, glUniform1uiv, GLuint)
SET(set_uvec2, glUniform2uiv, GLuint)
SET(set_uvec3, glUniform3uiv, GLuint)
SET(set_uvec4, glUniform4uiv, GLuint)
SET_MATRIX(set_mat2, glUniformMatrix2fv)
SET_MATRIX(set_mat3, glUniformMatrix3fv)
SET_MATRIX(set_mat4, glUniformMatrix4fv)
#undef SET
#undef SET_MATRIX

/* Each has elements of 4 bytes. base: the element's type, as exec has it. */
static const struct value_type {
   GLenum type;
   const char *base;
   unsigned elements;
   set_function *set;
} value_types[] = {
    {GL_FLOAT, "float", 1, set_float},
    {GL_FLOAT_VEC2, "float", 2, set_vec2},
    {GL_FLOAT_VEC3, "float", 3, set_vec3},
    {GL_FLOAT_VEC4, "float", 4, set_vec4},
    {GL_INT, "int", 1, set_int},
    {GL_INT_VEC2, "int", 2, set_ivec2},
    {GL_INT_VEC3, "int", 3, set_ivec3},
    {GL_INT_VEC4, "int", 4, set_ivec4},
    {GL_UNSIGNED_INT, "uint", 1, set_uint},
    {GL_UNSIGNED_INT_VEC2, "uint", 2, set_uvec2},
    {GL_UNSIGNED_INT_VEC3, "uint", 3, set_uvec3},
    {GL_UNSIGNED_INT_VEC4, "uint", 4, set_uvec4},
    {GL_BOOL, "int", 1, set_int},
    {GL_BOOL_VEC2, "int", 2, set_ivec2},
    {GL_BOOL_VEC3, "int", 3, set_ivec3},
    {GL_BOOL_VEC4, "int", 4, set_ivec4},
    {GL_FLOAT_MAT2, "float", 4, set_mat2},
    {GL_FLOAT_MAT3, "float", 9, set_mat3},
    {GL_FLOAT_MAT4, "float", 16, set_mat4},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct value_type *value_type(GLenum type)
{
   for (size_t i = 0; i < COUNT(value_types); i++) {
      if (value_types[i].type == type) {
         return &value_types[i];
      }
   }
   return NULL;
}

#define OPAQUE(name, shape)                                                                                            \
   {GL_IMAGE_##name, OPENGL_IMAGE, shape, 'f'}, {GL_INT_IMAGE_##name, OPENGL_IMAGE, shape, 'i'},                       \
       {GL_UNSIGNED_INT_IMAGE_##name, OPENGL_IMAGE, shape, 'u'}, {GL_SAMPLER_##name, OPENGL_TEXTURE, shape, 'f'},      \
       {GL_INT_SAMPLER_##name, OPENGL_TEXTURE, shape, 'i'},                                                            \
   {                                                                                                                   \
      GL_UNSIGNED_INT_SAMPLER_##name, OPENGL_TEXTURE, shape, 'u'                                                       \
   }
static const struct opaque_type {
   GLenum type;
   enum opengl_class class;
   uint32_t shape;
   char reads;
} opaque_types[] = {
    OPAQUE(1D, HOST_1D),
    OPAQUE(1D_ARRAY, HOST_1D_ARRAY),
    OPAQUE(2D, HOST_2D),
    OPAQUE(2D_ARRAY, HOST_2D_ARRAY),
    OPAQUE(3D, HOST_3D),
    OPAQUE(CUBE, HOST_CUBE),
    OPAQUE(CUBE_MAP_ARRAY, HOST_CUBE_ARRAY),
    OPAQUE(BUFFER, HOST_TEXELS),
};
#undef OPAQUE

static const struct opaque_type *opaque_type(GLenum type)
{
   for (size_t i = 0; i < COUNT(opaque_types); i++) {
      if (opaque_types[i].type == type) {
         return &opaque_types[i];
      }
   }
   return NULL;
}

void opengl_set_value(const struct opengl_argument *argument, const uint8_t *bytes)
{
   value_type(argument->type)->set(argument->location, argument->count, bytes);
}

void opengl_parameter(const struct opengl_argument *argument, struct host_parameter *parameter)
{
   *parameter = (struct host_parameter){.kind = HOST_BUFFER, .shape = argument->shape, .format = HOST_NO_FORMAT};
   snprintf(parameter->name, sizeof(parameter->name), "%s", argument->name);
   if (argument->class == OPENGL_VALUE) {
      const struct value_type *type = value_type(argument->type);
      const unsigned elements = type->elements * (unsigned)argument->count;
      parameter->kind = HOST_VALUE;
      parameter->size = elements * sizeof(uint32_t);
      snprintf(parameter->type, sizeof(parameter->type), elements > 1 ? "%s%u" : "%s", type->base, elements);
   } else if (argument->class == OPENGL_IMAGE || argument->class == OPENGL_TEXTURE) {
      parameter->kind = HOST_IMAGE;
      parameter->read_only = argument->class == OPENGL_TEXTURE;
   } else {
      parameter->read_only = argument->class == OPENGL_UNIFORMS;
   }
}

/* ---- The list ---- */

static struct opengl_argument *add(struct opengl *opengl, enum opengl_class class)
{
   if (opengl->argument_count == OPENGL_ARGUMENTS) {
      (void)opengl_refuse(opengl, HOST_NO_BUILD, "the shader has more than %u arguments", OPENGL_ARGUMENTS);
      return NULL;
   }
   struct opengl_argument *argument = &opengl->arguments[opengl->argument_count++];
   *argument = (struct opengl_argument){.class = class, .location = -1, .count = 1};
   for (uint32_t i = 0; i + 1 < opengl->argument_count; i++) {
      argument->place += opengl->arguments[i].class == class;
   }
   return argument;
}

static GLuint resources(const struct opengl *opengl, GLenum interface)
{
   GLint count = 0;
   gl.glGetProgramInterfaceiv(opengl->program, interface, GL_ACTIVE_RESOURCES, &count);
   return (GLuint)count;
}

static GLint property(const struct opengl *opengl, GLenum interface, GLuint index, GLenum which)
{
   GLint value = -1;
   gl.glGetProgramResourceiv(opengl->program, interface, index, 1, &which, 1, NULL, &value);
   return value;
}

static bool add_blocks(struct opengl *opengl, GLenum interface, enum opengl_class class)
{
   for (GLuint i = 0; i < resources(opengl, interface); i++) {
      struct opengl_argument *argument = add(opengl, class);
      if (argument == NULL) {
         return false;
      }
      if (class == OPENGL_COUNTERS) { /* they have no name; their binding is the shader's */
         argument->place = (GLuint)property(opengl, interface, i, GL_BUFFER_BINDING);
         snprintf(argument->name, sizeof(argument->name), "counters%u", argument->place);
         continue;
      }
      gl.glGetProgramResourceName(opengl->program, interface, i, sizeof(argument->name), NULL, argument->name);
      if (class == OPENGL_STORAGE) {
         gl.glShaderStorageBlockBinding(opengl->program, i, argument->place);
      } else {
         gl.glUniformBlockBinding(opengl->program, i, argument->place);
      }
   }
   return true;
}

static bool add_opaque(struct opengl *opengl, const struct opaque_type *opaque, const char *name, GLint location,
                       GLint count)
{
   const int letters = (int)strcspn(name, "[");
   for (GLint i = 0; i < count; i++) {
      struct opengl_argument *argument = add(opengl, opaque->class);
      if (argument == NULL) {
         return false;
      }
      argument->location = location + i;
      argument->shape = opaque->shape;
      argument->reads = opaque->reads;
      if (name[letters] == '[') {
         snprintf(argument->name, sizeof(argument->name), "%.*s[%d]", letters, name, i);
      } else {
         snprintf(argument->name, sizeof(argument->name), "%s", name);
      }
      const GLint unit = (GLint)argument->place;
      gl.glUniform1iv(argument->location, 1, &unit);
   }
   return true;
}

static bool add_uniform(struct opengl *opengl, GLuint index)
{
   char name[HOST_WORD_BYTES / 2] = "";
   gl.glGetProgramResourceName(opengl->program, GL_UNIFORM, index, sizeof(name), NULL, name);
   const GLenum type = (GLenum)property(opengl, GL_UNIFORM, index, GL_TYPE);
   const GLint location = property(opengl, GL_UNIFORM, index, GL_LOCATION);
   const GLint count = property(opengl, GL_UNIFORM, index, GL_ARRAY_SIZE);
   if (location < 0) { /* it is a block's or an atomic counter */
      return true;
   }
   if (opaque_type(type) != NULL) {
      return add_opaque(opengl, opaque_type(type), name, location, count);
   }
   if (value_type(type) == NULL) {
      return opengl_refuse(opengl, HOST_NO_BUILD, "uniform %s has a type that cannot be given: OpenGL's 0x%04x", name,
                           type);
   }
   struct opengl_argument *argument = add(opengl, OPENGL_VALUE);
   if (argument == NULL) {
      return false;
   }
   argument->type = type;
   argument->location = location;
   argument->count = count;
   name[strlen(name) > 3 && strcmp(name + strlen(name) - 3, "[0]") == 0 ? strlen(name) - 3 : strlen(name)] = '\0';
   snprintf(argument->name, sizeof(argument->name), "%s", name);
   return true;
}

bool opengl_read_interface(struct opengl *opengl)
{
   if (!add_blocks(opengl, GL_SHADER_STORAGE_BLOCK, OPENGL_STORAGE) ||
       !add_blocks(opengl, GL_UNIFORM_BLOCK, OPENGL_UNIFORMS) ||
       !add_blocks(opengl, GL_ATOMIC_COUNTER_BUFFER, OPENGL_COUNTERS)) {
      return false;
   }
   for (GLuint i = 0; i < resources(opengl, GL_UNIFORM); i++) {
      if (!add_uniform(opengl, i)) {
         return false;
      }
   }
   return true;
}
