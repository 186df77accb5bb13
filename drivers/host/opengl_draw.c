/* SPDX-License-Identifier: MIT
 *
 * Draws a scene, and writes what its targets hold. A scene is text, and each line stands for itself, so that lines can
 * be left out (fuzz/draw/draw.h describes them). Invariant: what the driver or this host cannot do is a refusal, and a
 * draw reads no vertex that the scene does not have.
 */
#include "drivers/host/opengl.h"

#include <stdlib.h>
#include <string.h>

#include "drivers/host/calls/calls.h"

#define TARGETS 4u
#define QUERIES 4u
#define LINE_WORDS 24u
#define VERTEX_WORDS 8u
#define SIZE_MOST 1024

#define DRAW_FUNCTIONS(X)                                                                                              \
   X(PFNGLGENFRAMEBUFFERSPROC, GenFramebuffers)                                                                        \
   X(PFNGLBINDFRAMEBUFFERPROC, BindFramebuffer)                                                                        \
   X(PFNGLGENRENDERBUFFERSPROC, GenRenderbuffers)                                                                      \
   X(PFNGLBINDRENDERBUFFERPROC, BindRenderbuffer)                                                                      \
   X(PFNGLRENDERBUFFERSTORAGEMULTISAMPLEPROC, RenderbufferStorageMultisample)                                          \
   X(PFNGLFRAMEBUFFERRENDERBUFFERPROC, FramebufferRenderbuffer)                                                        \
   X(PFNGLCHECKFRAMEBUFFERSTATUSPROC, CheckFramebufferStatus)                                                          \
   X(PFNGLBLITFRAMEBUFFERPROC, BlitFramebuffer)                                                                        \
   X(PFNGLDRAWBUFFERSPROC, DrawBuffers)                                                                                \
   X(PFNGLREADBUFFERPROC, ReadBuffer)                                                                                  \
   X(PFNGLREADPIXELSPROC, ReadPixels)                                                                                  \
   X(PFNGLDISABLEPROC, Disable)                                                                                        \
   X(PFNGLGENVERTEXARRAYSPROC, GenVertexArrays)                                                                        \
   X(PFNGLBINDVERTEXARRAYPROC, BindVertexArray)                                                                        \
   X(PFNGLGENBUFFERSPROC, GenBuffers)                                                                                  \
   X(PFNGLBINDBUFFERPROC, BindBuffer)                                                                                  \
   X(PFNGLBUFFERDATAPROC, BufferData)                                                                                  \
   X(PFNGLENABLEVERTEXATTRIBARRAYPROC, EnableVertexAttribArray)                                                        \
   X(PFNGLVERTEXATTRIBPOINTERPROC, VertexAttribPointer)                                                                \
   X(PFNGLVERTEXATTRIBIPOINTERPROC, VertexAttribIPointer)                                                              \
   X(PFNGLDRAWARRAYSINSTANCEDPROC, DrawArraysInstanced)                                                                \
   X(PFNGLDRAWELEMENTSINSTANCEDBASEVERTEXPROC, DrawElementsInstancedBaseVertex)                                        \
   X(PFNGLGETUNIFORMLOCATIONPROC, GetUniformLocation)                                                                  \
   X(PFNGLUNIFORM4IVPROC, Uniform4iv)                                                                                  \
   X(PFNGLGENTEXTURESPROC, GenTextures)                                                                                \
   X(PFNGLBINDTEXTUREPROC, BindTexture)                                                                                \
   X(PFNGLTEXSTORAGE2DPROC, TexStorage2D)                                                                              \
   X(PFNGLTEXSUBIMAGE2DPROC, TexSubImage2D)                                                                            \
   X(PFNGLGENQUERIESPROC, GenQueries)                                                                                  \
   X(PFNGLGETQUERYOBJECTUIVPROC, GetQueryObjectuiv)

static struct {
#define POINTER(type, name) type name;
   DRAW_FUNCTIONS(POINTER)
#undef POINTER
} draw_gl;

union vertex_word {
   GLfloat number;
   GLint integer;
};

struct target {
   struct opengl_word format;
   GLenum attachment;
   float tolerance;
   GLuint renderbuffer;
};

struct scene {
   struct opengl *opengl;
   char *text; /* of the line that is read: its words lie here */
   char *words[LINE_WORDS];
   unsigned word_count;
   struct opengl_word values[LINE_WORDS]; /* of words behind the first one that are constants or numbers */
   bool is_value[LINE_WORDS];
   GLint width, height, samples;
   GLuint spare;
   struct target targets[TARGETS], depth;
   char *shaders[2]; /* of vertices, of fragments */
   size_t shader_sizes[2];
   FILE *shader_files[2];
   union vertex_word (*vertices)[VERTEX_WORDS];
   GLuint *indices;
   size_t vertex_count, index_count;
   unsigned index_bytes;
   GLuint restart; /* the index, where restarts[0] is set; restarts[1]: the largest one, whatever the index says */
   bool restarts[2];
   GLuint queries[QUERIES];
   bool asked[QUERIES];
};

static bool refuse_line(struct scene *scene, const char *what)
{
   return opengl_refuse(scene->opengl, HOST_NO_LAUNCH, "scene: %s: %s", scene->words[0], what);
}

/* ---- Lines ---- */

static void split(struct scene *scene)
{
   scene->word_count = 0;
   for (char *at = strtok(scene->text, " \t"); at != NULL && scene->word_count < LINE_WORDS; at = strtok(NULL, " \t")) {
      const unsigned n = scene->word_count++;
      scene->words[n] = at;
      scene->is_value[n] = opengl_word_read(at, &scene->values[n]);
   }
}

static bool are_values(const struct scene *scene, unsigned first, unsigned count)
{
   bool good = scene->word_count >= first + count;
   for (unsigned i = first; good && i < first + count; i++) {
      good = scene->is_value[i];
   }
   return good;
}

static GLint integer(const struct scene *scene, unsigned n)
{
   return scene->values[n].integer;
}

/* ---- What is made before anything is drawn ---- */

static bool take_size(struct scene *scene)
{
   if (!are_values(scene, 1, 3) || integer(scene, 1) < 1 || integer(scene, 1) > SIZE_MOST || integer(scene, 2) < 1 ||
       integer(scene, 2) > SIZE_MOST) {
      return refuse_line(scene, "WIDTH HEIGHT SAMPLES");
   }
   scene->width = integer(scene, 1);
   scene->height = integer(scene, 2);
   scene->samples = integer(scene, 3);
   return true;
}

static bool take_target(struct scene *scene)
{
   if (!are_values(scene, 1, 3) || (unsigned)integer(scene, 1) >= TARGETS) {
      return refuse_line(scene, "NUMBER FORMAT TOLERANCE");
   }
   const GLuint number = (GLuint)integer(scene, 1);
   scene->targets[number] = (struct target){
       .format = scene->values[2], .attachment = GL_COLOR_ATTACHMENT0 + number, .tolerance = scene->values[3].number};
   return true;
}

static GLenum depth_attachment(GLenum format)
{
   return format == GL_STENCIL_INDEX8                                       ? GL_STENCIL_ATTACHMENT
          : format == GL_DEPTH24_STENCIL8 || format == GL_DEPTH32F_STENCIL8 ? GL_DEPTH_STENCIL_ATTACHMENT
                                                                            : GL_DEPTH_ATTACHMENT;
}

static bool take_depth(struct scene *scene)
{
   if (!are_values(scene, 1, 2)) {
      return refuse_line(scene, "FORMAT TOLERANCE");
   }
   scene->depth = (struct target){.format = scene->values[1],
                                  .attachment = depth_attachment((GLenum)integer(scene, 1)),
                                  .tolerance = scene->values[2].number};
   return true;
}

static bool take_spare(struct scene *scene)
{
   scene->spare = are_values(scene, 1, 1) ? (GLuint)integer(scene, 1) : 0;
   return true;
}

static bool take_vertex(struct scene *scene)
{
   if (!are_values(scene, 1, VERTEX_WORDS)) {
      return refuse_line(scene, "X Y Z W I J U V");
   }
   void *larger = realloc(scene->vertices, (scene->vertex_count + 1) * sizeof(scene->vertices[0]));
   if (larger == NULL) {
      return refuse_line(scene, "out of memory");
   }
   scene->vertices = larger;
   for (unsigned i = 0; i < VERTEX_WORDS; i++) {
      union vertex_word *word = &scene->vertices[scene->vertex_count][i];
      if (i == 4 || i == 5) {
         word->integer = integer(scene, 1 + i);
      } else {
         word->number = scene->values[1 + i].number;
      }
   }
   scene->vertex_count++;
   return true;
}

static bool take_indices(struct scene *scene)
{
   const unsigned more = scene->word_count - 1;
   GLuint *larger = realloc(scene->indices, (scene->index_count + more + 1) * sizeof(GLuint));
   if (larger == NULL || !are_values(scene, 1, more)) {
      scene->indices = larger != NULL ? larger : scene->indices;
      return refuse_line(scene, "NUMBER...");
   }
   scene->indices = larger;
   for (unsigned i = 0; i < more; i++) {
      scene->indices[scene->index_count++] = (GLuint)integer(scene, 1 + i);
   }
   return true;
}

static bool take_index_bytes(struct scene *scene)
{
   scene->index_bytes = are_values(scene, 1, 1) ? (unsigned)integer(scene, 1) : 0;
   return scene->index_bytes == 1 || scene->index_bytes == 2 || scene->index_bytes == 4 ||
          refuse_line(scene, "1, 2 or 4");
}

/* ---- What is made or drawn in its place ---- */

static bool later(struct scene *scene)
{
   (void)scene;
   return true;
}

/* Texels that follow from their places alone: bytes that no two neighbours share. */
static void fill_texels(GLubyte *texels, GLint width, GLint height, GLint level)
{
   for (GLint i = 0; i < width * height * 4; i++) {
      const unsigned mixed = (unsigned)(i + 1) * 2654435761u ^ (unsigned)level * 2246822519u;
      texels[i] = (GLubyte)(mixed >> 24);
   }
}

/* "texture FORMAT WIDTH HEIGHT LEVELS": of bytes, at unit 0. */
static bool make_texture(struct scene *scene)
{
   GLuint texture;
   static GLubyte texels[128 * 128 * 4];
   if (!are_values(scene, 1, 4) || integer(scene, 2) < 1 || integer(scene, 2) > 128 || integer(scene, 3) < 1 ||
       integer(scene, 3) > 128) {
      return refuse_line(scene, "FORMAT WIDTH HEIGHT LEVELS");
   }
   const GLenum format = (GLenum)integer(scene, 1);
   const GLenum order = format == GL_RGBA8UI || format == GL_R8UI ? GL_RGBA_INTEGER : GL_RGBA;
   GLint width = integer(scene, 2), height = integer(scene, 3);
   draw_gl.GenTextures(1, &texture);
   draw_gl.BindTexture(GL_TEXTURE_2D, texture);
   draw_gl.TexStorage2D(GL_TEXTURE_2D, integer(scene, 4), format, width, height);
   for (GLint level = 0; level < integer(scene, 4); level++) {
      fill_texels(texels, width, height, level);
      draw_gl.TexSubImage2D(GL_TEXTURE_2D, level, 0, 0, width, height, order, GL_UNSIGNED_BYTE, texels);
      width = width > 1 ? width / 2 : 1;
      height = height > 1 ? height / 2 : 1;
   }
   return opengl_check(scene->opengl, HOST_NO_LAUNCH, "scene: texture");
}

static bool set_uniform(struct scene *scene)
{
   GLint values[4];
   if (!are_values(scene, 1, 4)) {
      return refuse_line(scene, "I J K L");
   }
   for (unsigned i = 0; i < 4; i++) {
      values[i] = integer(scene, 1 + i);
   }
   draw_gl.Uniform4iv(draw_gl.GetUniformLocation(scene->opengl->program, "u"), 1, values);
   return true;
}

/* Whether all indices name vertices, or restart. */
static bool indices_fit(const struct scene *scene, GLint first, GLint count, GLint base)
{
   const GLuint fixed = scene->index_bytes == 4 ? UINT32_MAX : (1u << 8 * scene->index_bytes) - 1;
   bool good = (size_t)first + (size_t)count <= scene->index_count;
   for (GLint i = 0; good && i < count; i++) {
      const GLuint index = scene->indices[first + i];
      const long long vertex = (long long)index + base;
      good = (scene->restarts[1] && index == fixed) || (scene->restarts[0] && index == scene->restart) ||
             (vertex >= 0 && vertex < (long long)scene->vertex_count);
   }
   return good;
}

/* "draw MODE FIRST COUNT INSTANCES BASE INDEXED" */
static bool make_draw(struct scene *scene)
{
   if (!are_values(scene, 1, 6)) {
      return refuse_line(scene, "MODE FIRST COUNT INSTANCES BASE INDEXED");
   }
   const GLenum mode = (GLenum)integer(scene, 1);
   const GLint first = integer(scene, 2), count = integer(scene, 3), instances = integer(scene, 4),
               base = integer(scene, 5);
   const bool indexed = integer(scene, 6) != 0;
   if (first < 0 || count < 0 || instances < 0 || instances > 64 ||
       !(indexed ? indices_fit(scene, first, count, base) : (size_t)first + (size_t)count <= scene->vertex_count)) {
      return refuse_line(scene, "it reads vertices that the scene does not have");
   }
   if (indexed) {
      const GLenum type = scene->index_bytes == 1   ? GL_UNSIGNED_BYTE
                          : scene->index_bytes == 2 ? GL_UNSIGNED_SHORT
                                                    : GL_UNSIGNED_INT;
      draw_gl.DrawElementsInstancedBaseVertex(mode, count, type, (const void *)((size_t)first * scene->index_bytes),
                                              instances, base);
   } else {
      draw_gl.DrawArraysInstanced(mode, first, count, instances);
   }
   return true;
}

/* What of the state says which indices are no vertices. */
static void watch_restart(struct scene *scene, GLint value)
{
   const bool on = strcmp(scene->words[0], "Enable") == 0;
   if (strcmp(scene->words[0], "PrimitiveRestartIndex") == 0) {
      scene->restart = (GLuint)value;
   } else if (on || strcmp(scene->words[0], "Disable") == 0) {
      scene->restarts[0] = value == GL_PRIMITIVE_RESTART ? on : scene->restarts[0];
      scene->restarts[1] = value == GL_PRIMITIVE_RESTART_FIXED_INDEX ? on : scene->restarts[1];
   }
}

static bool make_call(struct scene *scene)
{
   struct opengl_word *values = &scene->values[1];
   if (!are_values(scene, 1, scene->word_count - 1)) {
      return refuse_line(scene, "an argument is no constant that is known");
   }
   if (strcmp(scene->words[0], "BeginQuery") == 0) {
      const GLuint number = (GLuint)values[1].integer;
      if (scene->word_count != 3 || number >= QUERIES || scene->asked[number]) {
         return refuse_line(scene, "TARGET NUMBER, each once");
      }
      scene->asked[number] = true;
      values[1].integer = (GLint)scene->queries[number];
   }
   watch_restart(scene, values[0].integer);
   return opengl_call(scene->words[0], values, scene->word_count - 1) || refuse_line(scene, "no such call");
}

static const struct {
   const char *word;
   bool (*first)(struct scene *scene);  /* before anything is drawn */
   bool (*second)(struct scene *scene); /* in its place */
} kinds[] = {
    {"size", take_size, later},
    {"spare", take_spare, later},
    {"target", take_target, later},
    {"depth", take_depth, later},
    {"vertex", take_vertex, later},
    {"index", take_indices, later},
    {"index_bytes", take_index_bytes, later},
    {"texture", later, make_texture},
    {"uniform", later, set_uniform},
    {"draw", later, make_draw},
};

/* The lines "v TEXT" and "f TEXT" are the shaders'. */
static bool take_shader_line(struct scene *scene, const char *line, size_t length, bool second)
{
   const bool shader = length >= 2 && (line[0] == 'v' || line[0] == 'f') && line[1] == ' ';
   if (shader && !second) {
      fprintf(scene->shader_files[line[0] == 'f'], "%.*s\n", (int)length - 2, line + 2);
   }
   return shader;
}

static bool take_line(struct scene *scene, const char *line, size_t length, bool second)
{
   if (length == 0 || line[0] == '#' || take_shader_line(scene, line, length, second)) {
      return true;
   }
   char *text = scene->text = strndup(line, length);
   bool good = text != NULL || opengl_refuse(scene->opengl, HOST_BAD_REQUEST, "out of memory");
   bool (*take)(struct scene *) = second ? make_call : later;
   if (good) {
      split(scene);
      for (size_t i = 0; scene->word_count > 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
         if (strcmp(kinds[i].word, scene->words[0]) == 0) {
            take = second ? kinds[i].second : kinds[i].first;
         }
      }
      good = scene->word_count == 0 || take(scene);
   }
   free(text);
   return good;
}

static bool take_lines(struct scene *scene, const char *text, size_t size, bool second)
{
   bool good = true;
   for (const char *line = text, *end = text + size; good && line < end;) {
      const char *stop = memchr(line, '\n', (size_t)(end - line));
      const size_t length = (size_t)((stop != NULL ? stop : end) - line);
      good = take_line(scene, line, length, second);
      line += length + 1;
   }
   return good;
}

/* ---- Objects ---- */

static bool load(struct scene *scene)
{
   void *function;
#define LOAD(type, name)                                                                                               \
   function = opengl_find("gl" #name);                                                                                 \
   if (function == NULL) {                                                                                             \
      return opengl_refuse(scene->opengl, HOST_NO_LOADER, "the driver has no gl" #name);                               \
   }                                                                                                                   \
   memcpy(&draw_gl.name, &function, sizeof(function));
   DRAW_FUNCTIONS(LOAD)
#undef LOAD
   const char *missing = opengl_calls_load(opengl_find);
   return missing == NULL || opengl_refuse(scene->opengl, HOST_NO_LOADER, "the driver has no %s", missing);
}

static void attach(const struct scene *scene, struct target *target, GLint samples)
{
   draw_gl.GenRenderbuffers(1, &target->renderbuffer);
   draw_gl.BindRenderbuffer(GL_RENDERBUFFER, target->renderbuffer);
   draw_gl.RenderbufferStorageMultisample(GL_RENDERBUFFER, samples > 1 ? samples : 0, (GLenum)target->format.integer,
                                          scene->width, scene->height);
   draw_gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, target->attachment, GL_RENDERBUFFER, target->renderbuffer);
}

static bool is_integer(GLenum format, bool *is_signed)
{
   static const GLenum with[] = {GL_R8I, GL_RGBA8I, GL_RG16I, GL_RGBA16I, GL_R32I, GL_RG32I, GL_RGBA32I};
   static const GLenum without[] = {GL_R8UI,  GL_RG8UI,  GL_RGBA8UI,  GL_R16UI,     GL_RGBA16UI,
                                    GL_R32UI, GL_RG32UI, GL_RGBA32UI, GL_RGB10_A2UI};
   *is_signed = false;
   for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
      *is_signed |= with[i] == format;
   }
   bool any = *is_signed;
   for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
      any |= without[i] == format;
   }
   return any;
}

/* A scene that leaves out its own clears is determined, too. */
static void clear_all(const struct scene *scene)
{
   static const struct opengl_word words[6] = {{.integer = GL_COLOR}};
   struct opengl_word target[6];
   bool is_signed;
   memcpy(target, words, sizeof(target));
   for (unsigned i = 0; i < TARGETS; i++) {
      const bool whole = is_integer((GLenum)scene->targets[i].format.integer, &is_signed);
      target[1].integer = (GLint)i;
      if (scene->targets[i].attachment != 0) {
         (void)opengl_call(!whole ? "ClearBufferfv" : is_signed ? "ClearBufferiv" : "ClearBufferuiv", target, 6);
      }
   }
   const struct opengl_word depth[4] = {{.integer = GL_DEPTH_STENCIL}};
   (void)opengl_call("ClearBufferfi", depth, 4);
}

/* A framebuffer with the scene's targets; of one sample: without depth. Returns 0 if the driver does not take it. */
static GLuint make_framebuffer(struct scene *scene, GLint samples, bool with_depth)
{
   GLuint framebuffer;
   GLenum buffers[TARGETS];
   draw_gl.GenFramebuffers(1, &framebuffer);
   draw_gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   for (unsigned i = 0; i < TARGETS; i++) {
      buffers[i] = scene->targets[i].attachment != 0 ? scene->targets[i].attachment : GL_NONE;
      if (buffers[i] != GL_NONE) {
         attach(scene, &scene->targets[i], samples);
      }
   }
   if (with_depth && scene->depth.attachment != 0) {
      attach(scene, &scene->depth, samples);
   }
   draw_gl.DrawBuffers(TARGETS, buffers);
   clear_all(scene);
   return draw_gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE ? framebuffer : 0;
}

static void make_vertices(struct scene *scene)
{
   static const GLint parts[3][3] = {{4, GL_FLOAT, 0}, {2, GL_INT, 16}, {2, GL_FLOAT, 24}};
   GLuint array, buffers[2];
   draw_gl.GenVertexArrays(1, &array);
   draw_gl.BindVertexArray(array);
   draw_gl.GenBuffers(2, buffers);
   draw_gl.BindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   draw_gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(scene->vertex_count * sizeof(scene->vertices[0])), scene->vertices,
                      GL_STATIC_DRAW);
   for (GLuint i = 0; i < 3; i++) {
      const void *at = (const void *)(size_t)parts[i][2];
      draw_gl.EnableVertexAttribArray(i);
      if (parts[i][1] == GL_INT) {
         draw_gl.VertexAttribIPointer(i, parts[i][0], GL_INT, sizeof(scene->vertices[0]), at);
      } else {
         draw_gl.VertexAttribPointer(i, parts[i][0], GL_FLOAT, GL_FALSE, sizeof(scene->vertices[0]), at);
      }
   }
   draw_gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
   uint8_t *narrow = malloc(scene->index_count * 4 + 1);
   for (size_t i = 0; narrow != NULL && i < scene->index_count; i++) { /* the machine is little-endian */
      memcpy(narrow + i * scene->index_bytes, &scene->indices[i], scene->index_bytes);
   }
   draw_gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(scene->index_count * scene->index_bytes), narrow,
                      GL_STATIC_DRAW);
   free(narrow);
}

/* ---- The answer ---- */

static bool write_plane(struct scene *scene, const char *name, struct host_plane plane, GLenum order, GLenum type)
{
   const size_t size = (size_t)plane.width * plane.height * plane.channels * 4;
   uint32_t *words = calloc(1, size + 1);
   if (words == NULL) {
      return opengl_refuse(scene->opengl, HOST_BAD_REQUEST, "out of memory");
   }
   snprintf(plane.name, sizeof(plane.name), "%s", name);
   plane.spare = scene->spare;
   draw_gl.ReadPixels(0, 0, scene->width, scene->height, order, type, words);
   host_record_write_two(scene->opengl->result, HOST_PLANE, 0, &plane, sizeof(plane), words, size);
   free(words);
   return opengl_check(scene->opengl, HOST_NO_LAUNCH, name);
}

static bool write_target(struct scene *scene, unsigned number)
{
   const struct target *target = &scene->targets[number];
   bool is_signed;
   const bool whole = is_integer((GLenum)target->format.integer, &is_signed);
   char name[16];
   if (target->attachment == 0) {
      return true;
   }
   snprintf(name, sizeof(name), "target %u", number);
   draw_gl.ReadBuffer(target->attachment);
   const struct host_plane plane = {.kind = whole ? HOST_PLANE_INTEGERS : HOST_PLANE_FLOATS,
                                    .width = (uint32_t)scene->width,
                                    .height = (uint32_t)scene->height,
                                    .channels = 4,
                                    .tolerance = target->tolerance};
   return write_plane(scene, name, plane, whole ? GL_RGBA_INTEGER : GL_RGBA,
                      !whole      ? GL_FLOAT
                      : is_signed ? GL_INT
                                  : GL_UNSIGNED_INT);
}

static bool write_depth(struct scene *scene)
{
   const GLenum attachment = scene->depth.attachment;
   struct host_plane plane = {.kind = HOST_PLANE_FLOATS,
                              .width = (uint32_t)scene->width,
                              .height = (uint32_t)scene->height,
                              .channels = 1,
                              .tolerance = scene->depth.tolerance};
   bool good = true;
   if (attachment != 0 && attachment != GL_STENCIL_ATTACHMENT) {
      good = write_plane(scene, "depth", plane, GL_DEPTH_COMPONENT, GL_FLOAT);
   }
   if (good && (attachment == GL_STENCIL_ATTACHMENT || attachment == GL_DEPTH_STENCIL_ATTACHMENT)) {
      plane.kind = HOST_PLANE_INTEGERS;
      good = write_plane(scene, "stencil", plane, GL_STENCIL_INDEX, GL_UNSIGNED_INT);
   }
   return good;
}

/* Of several samples, each target is resolved, and depth is not read: which sample counts is the driver's choice. */
static bool resolve(struct scene *scene, GLuint drawn)
{
   const GLuint single = make_framebuffer(scene, 1, false);
   if (single == 0) {
      return opengl_refuse(scene->opengl, HOST_NO_FEATURE, "the framebuffer to resolve to is not complete");
   }
   draw_gl.BindFramebuffer(GL_READ_FRAMEBUFFER, drawn);
   for (unsigned i = 0; i < TARGETS; i++) {
      GLenum buffers[TARGETS] = {GL_NONE, GL_NONE, GL_NONE, GL_NONE};
      buffers[i] = scene->targets[i].attachment;
      if (buffers[i] != 0) {
         draw_gl.ReadBuffer(buffers[i]);
         draw_gl.DrawBuffers(TARGETS, buffers);
         draw_gl.BlitFramebuffer(0, 0, scene->width, scene->height, 0, 0, scene->width, scene->height,
                                 GL_COLOR_BUFFER_BIT, GL_NEAREST);
      }
   }
   draw_gl.BindFramebuffer(GL_READ_FRAMEBUFFER, single);
   return opengl_check(scene->opengl, HOST_NO_LAUNCH, "scene: resolve");
}

static bool write_answer(struct scene *scene, GLuint drawn)
{
   bool good = true;
   for (unsigned i = 0; i < QUERIES; i++) {
      if (scene->asked[i]) {
         GLuint passed = 0;
         struct host_plane plane = {.kind = HOST_PLANE_INTEGERS,
                                    .width = 1,
                                    .height = 1,
                                    .channels = 1,
                                    .spare = scene->spare * (GLuint)scene->samples};
         snprintf(plane.name, sizeof(plane.name), "query %u", i);
         draw_gl.GetQueryObjectuiv(scene->queries[i], GL_QUERY_RESULT, &passed);
         host_record_write_two(scene->opengl->result, HOST_PLANE, 0, &plane, sizeof(plane), &passed, sizeof(passed));
      }
   }
   draw_gl.Disable(GL_SCISSOR_TEST);
   good = scene->samples > 1 ? resolve(scene, drawn) : write_depth(scene);
   for (unsigned i = 0; good && i < TARGETS; i++) {
      good = write_target(scene, i);
   }
   return good;
}

static bool draw(struct scene *scene, const char *text, size_t size)
{
   if (!take_lines(scene, text, size, false) || fflush(scene->shader_files[0]) != 0 ||
       fflush(scene->shader_files[1]) != 0 || !opengl_build(scene->opengl, (const char *const *)scene->shaders)) {
      return false;
   }
   if (scene->width == 0) {
      return opengl_refuse(scene->opengl, HOST_BAD_REQUEST, "scene: it has no line size");
   }
   const GLuint framebuffer = make_framebuffer(scene, scene->samples, true);
   if (framebuffer == 0) {
      return opengl_refuse(scene->opengl, HOST_NO_FEATURE, "the driver does not take these targets together");
   }
   make_vertices(scene);
   draw_gl.GenQueries(QUERIES, scene->queries);
   draw_gl.Disable(GL_DITHER);
   const struct opengl_word whole[4] = {{0}, {0}, {.integer = scene->width}, {.integer = scene->height}};
   (void)opengl_call("Viewport", whole, 4); /* else it is empty, since there is no window */
   return opengl_check(scene->opengl, HOST_NO_LAUNCH, "scene: its objects") && take_lines(scene, text, size, true) &&
          opengl_check(scene->opengl, HOST_NO_LAUNCH, "scene") && write_answer(scene, framebuffer);
}

void opengl_draw_scene(struct opengl *opengl, const char *text, size_t size)
{
   struct scene scene = {.opengl = opengl, .samples = 1, .index_bytes = 2, .restart = UINT32_MAX};
   for (unsigned i = 0; i < 2; i++) {
      scene.shader_files[i] = open_memstream(&scene.shaders[i], &scene.shader_sizes[i]);
   }
   if (scene.shader_files[0] == NULL || scene.shader_files[1] == NULL) {
      opengl_refuse(opengl, HOST_BAD_REQUEST, "out of memory");
   } else if (load(&scene)) {
      (void)draw(&scene, text, size);
   }
   for (unsigned i = 0; i < 2; i++) {
      if (scene.shader_files[i] != NULL) {
         fclose(scene.shader_files[i]);
      }
      free(scene.shaders[i]);
   }
   free(scene.vertices);
   free(scene.indices);
}
