/* SPDX-License-Identifier: MIT
 *
 * The parts of the host of OpenGL: the context, the program and its interface, objects, and launches. They share one
 * struct.
 */
#ifndef DRIVERS_HOST_OPENGL_H
#define DRIVERS_HOST_OPENGL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <GL/glcorearb.h>

#include "drivers/host/protocol.h"
#include "drivers/host/records.h"

#define OPENGL_ARGUMENTS 128u

#define OPENGL_FUNCTIONS(X)                                                                                            \
   X(PFNGLGETSTRINGIPROC, glGetStringi)                                                                                \
   X(PFNGLGETINTEGERVPROC, glGetIntegerv)                                                                              \
   X(PFNGLGETUNIFORMIVPROC, glGetUniformiv)                                                                            \
   X(PFNGLGETSTRINGPROC, glGetString)                                                                                  \
   X(PFNGLGETERRORPROC, glGetError)                                                                                    \
   X(PFNGLFINISHPROC, glFinish)                                                                                        \
   X(PFNGLPIXELSTOREIPROC, glPixelStorei)                                                                              \
   X(PFNGLCREATESHADERPROC, glCreateShader)                                                                            \
   X(PFNGLSHADERSOURCEPROC, glShaderSource)                                                                            \
   X(PFNGLCOMPILESHADERPROC, glCompileShader)                                                                          \
   X(PFNGLGETSHADERIVPROC, glGetShaderiv)                                                                              \
   X(PFNGLGETSHADERINFOLOGPROC, glGetShaderInfoLog)                                                                    \
   X(PFNGLCREATEPROGRAMPROC, glCreateProgram)                                                                          \
   X(PFNGLATTACHSHADERPROC, glAttachShader)                                                                            \
   X(PFNGLLINKPROGRAMPROC, glLinkProgram)                                                                              \
   X(PFNGLGETPROGRAMIVPROC, glGetProgramiv)                                                                            \
   X(PFNGLGETPROGRAMINFOLOGPROC, glGetProgramInfoLog)                                                                  \
   X(PFNGLUSEPROGRAMPROC, glUseProgram)                                                                                \
   X(PFNGLGETPROGRAMINTERFACEIVPROC, glGetProgramInterfaceiv)                                                          \
   X(PFNGLGETPROGRAMRESOURCEIVPROC, glGetProgramResourceiv)                                                            \
   X(PFNGLGETPROGRAMRESOURCENAMEPROC, glGetProgramResourceName)                                                        \
   X(PFNGLSHADERSTORAGEBLOCKBINDINGPROC, glShaderStorageBlockBinding)                                                  \
   X(PFNGLUNIFORMBLOCKBINDINGPROC, glUniformBlockBinding)                                                              \
   X(PFNGLUNIFORM1FVPROC, glUniform1fv)                                                                                \
   X(PFNGLUNIFORM2FVPROC, glUniform2fv)                                                                                \
   X(PFNGLUNIFORM3FVPROC, glUniform3fv)                                                                                \
   X(PFNGLUNIFORM4FVPROC, glUniform4fv)                                                                                \
   X(PFNGLUNIFORM1IVPROC, glUniform1iv)                                                                                \
   X(PFNGLUNIFORM2IVPROC, glUniform2iv)                                                                                \
   X(PFNGLUNIFORM3IVPROC, glUniform3iv)                                                                                \
   X(PFNGLUNIFORM4IVPROC, glUniform4iv)                                                                                \
   X(PFNGLUNIFORM1UIVPROC, glUniform1uiv)                                                                              \
   X(PFNGLUNIFORM2UIVPROC, glUniform2uiv)                                                                              \
   X(PFNGLUNIFORM3UIVPROC, glUniform3uiv)                                                                              \
   X(PFNGLUNIFORM4UIVPROC, glUniform4uiv)                                                                              \
   X(PFNGLUNIFORMMATRIX2FVPROC, glUniformMatrix2fv)                                                                    \
   X(PFNGLUNIFORMMATRIX3FVPROC, glUniformMatrix3fv)                                                                    \
   X(PFNGLUNIFORMMATRIX4FVPROC, glUniformMatrix4fv)                                                                    \
   X(PFNGLUNIFORM1DVPROC, glUniform1dv)                                                                                \
   X(PFNGLUNIFORM2DVPROC, glUniform2dv)                                                                                \
   X(PFNGLUNIFORM3DVPROC, glUniform3dv)                                                                                \
   X(PFNGLUNIFORM4DVPROC, glUniform4dv)                                                                                \
   X(PFNGLUNIFORM1I64VARBPROC, glUniform1i64vARB)                                                                      \
   X(PFNGLUNIFORM2I64VARBPROC, glUniform2i64vARB)                                                                      \
   X(PFNGLUNIFORM3I64VARBPROC, glUniform3i64vARB)                                                                      \
   X(PFNGLUNIFORM4I64VARBPROC, glUniform4i64vARB)                                                                      \
   X(PFNGLUNIFORM1UI64VARBPROC, glUniform1ui64vARB)                                                                    \
   X(PFNGLUNIFORM2UI64VARBPROC, glUniform2ui64vARB)                                                                    \
   X(PFNGLUNIFORM3UI64VARBPROC, glUniform3ui64vARB)                                                                    \
   X(PFNGLUNIFORM4UI64VARBPROC, glUniform4ui64vARB)                                                                    \
   X(PFNGLUNIFORMMATRIX2X3FVPROC, glUniformMatrix2x3fv)                                                                \
   X(PFNGLUNIFORMMATRIX2X4FVPROC, glUniformMatrix2x4fv)                                                                \
   X(PFNGLUNIFORMMATRIX3X2FVPROC, glUniformMatrix3x2fv)                                                                \
   X(PFNGLUNIFORMMATRIX3X4FVPROC, glUniformMatrix3x4fv)                                                                \
   X(PFNGLUNIFORMMATRIX4X2FVPROC, glUniformMatrix4x2fv)                                                                \
   X(PFNGLUNIFORMMATRIX4X3FVPROC, glUniformMatrix4x3fv)                                                                \
   X(PFNGLUNIFORMMATRIX2DVPROC, glUniformMatrix2dv)                                                                    \
   X(PFNGLUNIFORMMATRIX2X3DVPROC, glUniformMatrix2x3dv)                                                                \
   X(PFNGLUNIFORMMATRIX2X4DVPROC, glUniformMatrix2x4dv)                                                                \
   X(PFNGLUNIFORMMATRIX3X2DVPROC, glUniformMatrix3x2dv)                                                                \
   X(PFNGLUNIFORMMATRIX3DVPROC, glUniformMatrix3dv)                                                                    \
   X(PFNGLUNIFORMMATRIX3X4DVPROC, glUniformMatrix3x4dv)                                                                \
   X(PFNGLUNIFORMMATRIX4X2DVPROC, glUniformMatrix4x2dv)                                                                \
   X(PFNGLUNIFORMMATRIX4X3DVPROC, glUniformMatrix4x3dv)                                                                \
   X(PFNGLUNIFORMMATRIX4DVPROC, glUniformMatrix4dv)                                                                    \
   X(PFNGLCREATEBUFFERSPROC, glCreateBuffers)                                                                          \
   X(PFNGLNAMEDBUFFERDATAPROC, glNamedBufferData)                                                                      \
   X(PFNGLGETNAMEDBUFFERSUBDATAPROC, glGetNamedBufferSubData)                                                          \
   X(PFNGLDELETEBUFFERSPROC, glDeleteBuffers)                                                                          \
   X(PFNGLBINDBUFFERPROC, glBindBuffer)                                                                                \
   X(PFNGLBINDBUFFERBASEPROC, glBindBufferBase)                                                                        \
   X(PFNGLCREATETEXTURESPROC, glCreateTextures)                                                                        \
   X(PFNGLTEXTURESTORAGE1DPROC, glTextureStorage1D)                                                                    \
   X(PFNGLTEXTURESTORAGE2DPROC, glTextureStorage2D)                                                                    \
   X(PFNGLTEXTURESTORAGE3DPROC, glTextureStorage3D)                                                                    \
   X(PFNGLTEXTURESUBIMAGE1DPROC, glTextureSubImage1D)                                                                  \
   X(PFNGLTEXTURESUBIMAGE2DPROC, glTextureSubImage2D)                                                                  \
   X(PFNGLTEXTURESUBIMAGE3DPROC, glTextureSubImage3D)                                                                  \
   X(PFNGLTEXTUREBUFFERPROC, glTextureBuffer)                                                                          \
   X(PFNGLGETTEXTUREIMAGEPROC, glGetTextureImage)                                                                      \
   X(PFNGLDELETETEXTURESPROC, glDeleteTextures)                                                                        \
   X(PFNGLBINDTEXTUREUNITPROC, glBindTextureUnit)                                                                      \
   X(PFNGLBINDIMAGETEXTUREPROC, glBindImageTexture)                                                                    \
   X(PFNGLCREATESAMPLERSPROC, glCreateSamplers)                                                                        \
   X(PFNGLSAMPLERPARAMETERIPROC, glSamplerParameteri)                                                                  \
   X(PFNGLBINDSAMPLERPROC, glBindSampler)                                                                              \
   X(PFNGLDELETESAMPLERSPROC, glDeleteSamplers)                                                                        \
   X(PFNGLDISPATCHCOMPUTEPROC, glDispatchCompute)                                                                      \
   X(PFNGLDISPATCHCOMPUTEINDIRECTPROC, glDispatchComputeIndirect)                                                      \
   X(PFNGLMEMORYBARRIERPROC, glMemoryBarrier)

struct opengl_functions {
#define POINTER(type, name) type name;
   OPENGL_FUNCTIONS(POINTER)
#undef POINTER
};
extern struct opengl_functions gl;

enum opengl_class { OPENGL_STORAGE, OPENGL_UNIFORMS, OPENGL_COUNTERS, OPENGL_VALUE, OPENGL_IMAGE, OPENGL_TEXTURE };

/* An argument of the shader. Names are GLSL's: of a block, or of a uniform. */
struct opengl_argument {
   enum opengl_class class;
   GLuint place;   /* of a buffer: its binding; of an image or texture: its unit */
   GLint declared; /* the place that the shader declares */
   GLint location; /* of a uniform */
   GLenum type;    /* of a uniform */
   GLint count;    /* elements of a value that is an array */
   uint32_t shape; /* of an image or texture: enum host_shape; HOST_SHAPES: one that cannot be given */
   char reads;     /* likewise: 'f' floats, 'i' and 'u' integers */
   char name[HOST_WORD_BYTES];
};

/* What the request gives for an argument, and what the device has of it. */
struct given {
   bool set, has_sampler;
   struct host_argument argument;
   struct host_image image;
   struct host_sampler sampler;
   const uint8_t *bytes;
   uint8_t *left, *kept; /* what the last launch has left; what `bytes` are, if the request keeps it */
   GLuint buffer, texture, sampled_with;
};

struct opengl {
   FILE *result;
   char *folder; /* of saved jobs; NULL: none are saved */
   GLuint program;
   GLint group[3];
   struct opengl_argument arguments[OPENGL_ARGUMENTS];
   uint32_t argument_count;
};

/* Writes a refusal. Returns false, for callers that give up. */
__attribute__((format(printf, 3, 4))) bool opengl_refuse(struct opengl *opengl, enum host_refusal why,
                                                         const char *format, ...);
/* Refuses what OpenGL has reported since the last call. */
bool opengl_check(struct opengl *opengl, enum host_refusal why, const char *what);

/* Opens a context without a surface. */
bool opengl_open(struct opengl *opengl);

/* Lists the linked program's arguments, and gives each block, image and texture a place of its own. */
bool opengl_read_interface(struct opengl *opengl);
void opengl_parameter(const struct opengl_argument *argument, struct host_parameter *parameter);
/* Sets a uniform of the program in use. */
void opengl_set_value(const struct opengl_argument *argument, const uint8_t *bytes);

/* Makes the image or texture, with its sampler, and binds it. Refuses what the driver does not take. */
bool opengl_bind_image(struct opengl *opengl, const struct opengl_argument *argument, struct given *given);
void opengl_read_image(const struct given *given, uint8_t *bytes);
/* An image for a probe. Returns its bytes. */
uint32_t opengl_probe_image(const struct opengl_argument *argument, struct host_image *image);
void opengl_release(struct given *given);

/* A function of the driver; NULL: it has none of that name. */
void *opengl_find(const char *name);
/* Compiles and links a program of a vertex and a fragment shader, and uses it. */
bool opengl_build(struct opengl *opengl, const char *const sources[2]);
/* Draws the scene, and writes its planes. */
void opengl_draw_scene(struct opengl *opengl, const char *text, size_t size);

/* Serves the request's launches and its probe. */
void opengl_serve_launches(struct opengl *opengl, struct host_records *request);

#endif
