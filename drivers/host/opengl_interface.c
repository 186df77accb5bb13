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
#define SET_MATRIX(name, function, type)                                                                               \
   static void name(GLint location, GLsizei count, const void *values)                                                 \
   {                                                                                                                   \
      gl.function(location, count, GL_FALSE, (const type *)values);                                                    \
   }
SET(set_float1, glUniform1fv, GLfloat)
SET(set_float2, glUniform2fv, GLfloat)
SET(set_float3, glUniform3fv, GLfloat)
SET(set_float4, glUniform4fv, GLfloat)
SET(set_int1, glUniform1iv, GLint)
SET(set_int2, glUniform2iv, GLint)
SET(set_int3, glUniform3iv, GLint)
SET(set_int4, glUniform4iv, GLint)
SET(set_uint1, glUniform1uiv, GLuint)
SET(set_uint2, glUniform2uiv, GLuint)
SET(set_uint3, glUniform3uiv, GLuint)
SET(set_uint4, glUniform4uiv, GLuint)
SET(set_double1, glUniform1dv, GLdouble)
SET(set_double2, glUniform2dv, GLdouble)
SET(set_double3, glUniform3dv, GLdouble)
SET(set_double4, glUniform4dv, GLdouble)
SET(set_long1, glUniform1i64vARB, GLint64)
SET(set_long2, glUniform2i64vARB, GLint64)
SET(set_long3, glUniform3i64vARB, GLint64)
SET(set_long4, glUniform4i64vARB, GLint64)
SET(set_ulong1, glUniform1ui64vARB, GLuint64)
SET(set_ulong2, glUniform2ui64vARB, GLuint64)
SET(set_ulong3, glUniform3ui64vARB, GLuint64)
SET(set_ulong4, glUniform4ui64vARB, GLuint64)
SET_MATRIX(set_mat2, glUniformMatrix2fv, GLfloat)
SET_MATRIX(set_mat2x3, glUniformMatrix2x3fv, GLfloat)
SET_MATRIX(set_mat2x4, glUniformMatrix2x4fv, GLfloat)
SET_MATRIX(set_mat3x2, glUniformMatrix3x2fv, GLfloat)
SET_MATRIX(set_mat3, glUniformMatrix3fv, GLfloat)
SET_MATRIX(set_mat3x4, glUniformMatrix3x4fv, GLfloat)
SET_MATRIX(set_mat4x2, glUniformMatrix4x2fv, GLfloat)
SET_MATRIX(set_mat4x3, glUniformMatrix4x3fv, GLfloat)
SET_MATRIX(set_mat4, glUniformMatrix4fv, GLfloat)
SET_MATRIX(set_dmat2, glUniformMatrix2dv, GLdouble)
SET_MATRIX(set_dmat2x3, glUniformMatrix2x3dv, GLdouble)
SET_MATRIX(set_dmat2x4, glUniformMatrix2x4dv, GLdouble)
SET_MATRIX(set_dmat3x2, glUniformMatrix3x2dv, GLdouble)
SET_MATRIX(set_dmat3, glUniformMatrix3dv, GLdouble)
SET_MATRIX(set_dmat3x4, glUniformMatrix3x4dv, GLdouble)
SET_MATRIX(set_dmat4x2, glUniformMatrix4x2dv, GLdouble)
SET_MATRIX(set_dmat4x3, glUniformMatrix4x3dv, GLdouble)
SET_MATRIX(set_dmat4, glUniformMatrix4dv, GLdouble)
#undef SET
#undef SET_MATRIX

/* base: the element's type, as exec has it; size: its bytes. */
static const struct value_type {
   GLenum type;
   const char *base;
   unsigned size, elements;
   set_function *set;
} value_types[] = {
    {GL_FLOAT, "float", 4, 1, set_float1},
    {GL_FLOAT_VEC2, "float", 4, 2, set_float2},
    {GL_FLOAT_VEC3, "float", 4, 3, set_float3},
    {GL_FLOAT_VEC4, "float", 4, 4, set_float4},
    {GL_INT, "int", 4, 1, set_int1},
    {GL_INT_VEC2, "int", 4, 2, set_int2},
    {GL_INT_VEC3, "int", 4, 3, set_int3},
    {GL_INT_VEC4, "int", 4, 4, set_int4},
    {GL_UNSIGNED_INT, "uint", 4, 1, set_uint1},
    {GL_UNSIGNED_INT_VEC2, "uint", 4, 2, set_uint2},
    {GL_UNSIGNED_INT_VEC3, "uint", 4, 3, set_uint3},
    {GL_UNSIGNED_INT_VEC4, "uint", 4, 4, set_uint4},
    {GL_DOUBLE, "double", 8, 1, set_double1},
    {GL_DOUBLE_VEC2, "double", 8, 2, set_double2},
    {GL_DOUBLE_VEC3, "double", 8, 3, set_double3},
    {GL_DOUBLE_VEC4, "double", 8, 4, set_double4},
    {GL_INT64_ARB, "long", 8, 1, set_long1},
    {GL_INT64_VEC2_ARB, "long", 8, 2, set_long2},
    {GL_INT64_VEC3_ARB, "long", 8, 3, set_long3},
    {GL_INT64_VEC4_ARB, "long", 8, 4, set_long4},
    {GL_UNSIGNED_INT64_ARB, "ulong", 8, 1, set_ulong1},
    {GL_UNSIGNED_INT64_VEC2_ARB, "ulong", 8, 2, set_ulong2},
    {GL_UNSIGNED_INT64_VEC3_ARB, "ulong", 8, 3, set_ulong3},
    {GL_UNSIGNED_INT64_VEC4_ARB, "ulong", 8, 4, set_ulong4},
    {GL_BOOL, "int", 4, 1, set_int1},
    {GL_BOOL_VEC2, "int", 4, 2, set_int2},
    {GL_BOOL_VEC3, "int", 4, 3, set_int3},
    {GL_BOOL_VEC4, "int", 4, 4, set_int4},
    {GL_FLOAT_MAT2, "float", 4, 4, set_mat2},
    {GL_FLOAT_MAT2x3, "float", 4, 6, set_mat2x3},
    {GL_FLOAT_MAT2x4, "float", 4, 8, set_mat2x4},
    {GL_FLOAT_MAT3x2, "float", 4, 6, set_mat3x2},
    {GL_FLOAT_MAT3, "float", 4, 9, set_mat3},
    {GL_FLOAT_MAT3x4, "float", 4, 12, set_mat3x4},
    {GL_FLOAT_MAT4x2, "float", 4, 8, set_mat4x2},
    {GL_FLOAT_MAT4x3, "float", 4, 12, set_mat4x3},
    {GL_FLOAT_MAT4, "float", 4, 16, set_mat4},
    {GL_DOUBLE_MAT2, "double", 8, 4, set_dmat2},
    {GL_DOUBLE_MAT2x3, "double", 8, 6, set_dmat2x3},
    {GL_DOUBLE_MAT2x4, "double", 8, 8, set_dmat2x4},
    {GL_DOUBLE_MAT3x2, "double", 8, 6, set_dmat3x2},
    {GL_DOUBLE_MAT3, "double", 8, 9, set_dmat3},
    {GL_DOUBLE_MAT3x4, "double", 8, 12, set_dmat3x4},
    {GL_DOUBLE_MAT4x2, "double", 8, 8, set_dmat4x2},
    {GL_DOUBLE_MAT4x3, "double", 8, 12, set_dmat4x3},
    {GL_DOUBLE_MAT4, "double", 8, 16, set_dmat4},
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
   *parameter = (struct host_parameter){.kind = HOST_BUFFER,
                                        .shape = argument->shape,
                                        .format = HOST_NO_FORMAT,
                                        .reads = (uint32_t)argument->reads,
                                        .binding = (uint32_t)argument->declared};
   snprintf(parameter->name, sizeof(parameter->name), "%s", argument->name);
   if (argument->class == OPENGL_VALUE) {
      const struct value_type *type = value_type(argument->type);
      const unsigned elements = type->elements * (unsigned)argument->count;
      parameter->kind = HOST_VALUE;
      parameter->size = elements * type->size;
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
      argument->declared = property(opengl, interface, i, GL_BUFFER_BINDING);
      if (class == OPENGL_COUNTERS) { /* they have no name; their binding is the shader's */
         argument->place = (GLuint)argument->declared;
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
      gl.glGetUniformiv(opengl->program, argument->location, &argument->declared);
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
