/* SPDX-License-Identifier: MIT
 *
 * Draws a scene with an OpenGL driver, without a window, and prints the milliseconds of its fastest frame, and a
 * checksum of the last one's pixels: draw_scenes SCENE FRAMES. draw_speed.py compares drivers. Invariant: a frame is
 * timed from its first call until its last pixel is drawn.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"

#define SIDE 1024   /* pixels of the picture */
#define TEXELS 256  /* of a side of the texture */
#define COLUMNS 100 /* of small triangles, and rows */
#define STRIDE 5    /* floats of a vertex: x, y, z, s, t */

#define FUNCTIONS(X)                                                                                                   \
   X(void, glClear, (GLbitfield))                                                                                      \
   X(void, glEnable, (GLenum))                                                                                         \
   X(void, glViewport, (GLint, GLint, GLsizei, GLsizei))                                                               \
   X(void, glFinish, (void))                                                                                           \
   X(void, glGenTextures, (GLsizei, GLuint *))                                                                         \
   X(void, glBindTexture, (GLenum, GLuint))                                                                            \
   X(void, glTexImage2D, (GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum, const void *))                \
   X(void, glTexParameteri, (GLenum, GLenum, GLint))                                                                   \
   X(void, glGenFramebuffers, (GLsizei, GLuint *))                                                                     \
   X(void, glBindFramebuffer, (GLenum, GLuint))                                                                        \
   X(void, glGenRenderbuffers, (GLsizei, GLuint *))                                                                    \
   X(void, glBindRenderbuffer, (GLenum, GLuint))                                                                       \
   X(void, glRenderbufferStorage, (GLenum, GLenum, GLsizei, GLsizei))                                                  \
   X(void, glFramebufferRenderbuffer, (GLenum, GLenum, GLenum, GLuint))                                                \
   X(GLenum, glCheckFramebufferStatus, (GLenum))                                                                       \
   X(GLuint, glCreateShader, (GLenum))                                                                                 \
   X(void, glShaderSource, (GLuint, GLsizei, const GLchar *const *, const GLint *))                                    \
   X(void, glCompileShader, (GLuint))                                                                                  \
   X(GLuint, glCreateProgram, (void))                                                                                  \
   X(void, glAttachShader, (GLuint, GLuint))                                                                           \
   X(void, glBindAttribLocation, (GLuint, GLuint, const GLchar *))                                                     \
   X(void, glLinkProgram, (GLuint))                                                                                    \
   X(void, glUseProgram, (GLuint))                                                                                     \
   X(void, glGenBuffers, (GLsizei, GLuint *))                                                                          \
   X(void, glBindBuffer, (GLenum, GLuint))                                                                             \
   X(void, glBufferData, (GLenum, GLsizeiptr, const void *, GLenum))                                                   \
   X(void, glVertexAttribPointer, (GLuint, GLint, GLenum, GLboolean, GLsizei, const void *))                           \
   X(void, glEnableVertexAttribArray, (GLuint))                                                                        \
   X(void, glDrawArrays, (GLenum, GLint, GLsizei))                                                                     \
   X(void, glReadPixels, (GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *))                                     \
   X(GLenum, glGetError, (void))
#define DECLARE(type, name, arguments) static type(*own_##name) arguments;
FUNCTIONS(DECLARE)

static void die(const char *what)
{
   fprintf(stderr, "draw_scenes: %s\n", what);
   exit(1);
}

static void open_display(void)
{
   PFNEGLGETPLATFORMDISPLAYEXTPROC get;
   __eglMustCastToProperFunctionPointerType function = eglGetProcAddress("eglGetPlatformDisplayEXT");
   memcpy(&get, &function, sizeof(get));
   EGLDisplay display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
   if (!display || !eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API)) {
      die("no surfaceless display");
   }
   const EGLint attributes[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
   EGLConfig config;
   EGLint count = 0;
   if (!eglChooseConfig(display, attributes, &config, 1, &count) || !count) {
      die("no configuration");
   }
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
   if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
      die("no context");
   }
#define LOAD(type, name, arguments)                                                                                    \
   function = eglGetProcAddress(#name);                                                                                \
   memcpy(&own_##name, &function, sizeof(function));
   FUNCTIONS(LOAD)
}

static void make_framebuffer(void)
{
   GLuint framebuffer, buffers[2];
   own_glGenFramebuffers(1, &framebuffer);
   own_glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   own_glGenRenderbuffers(2, buffers);
   own_glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
   own_glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIDE, SIDE);
   own_glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
   own_glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
   own_glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, SIDE, SIDE);
   own_glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
   if (own_glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
      die("the framebuffer is not complete");
   }
   own_glViewport(0, 0, SIDE, SIDE);
}

static void make_texture(void)
{
   static unsigned char texels[TEXELS * TEXELS * 4];
   GLuint texture;
   for (unsigned i = 0; i < sizeof(texels); i++) {
      texels[i] = (unsigned char)(i * 7 + i / TEXELS);
   }
   own_glGenTextures(1, &texture);
   own_glBindTexture(GL_TEXTURE_2D, texture);
   own_glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, TEXELS, TEXELS, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   own_glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   own_glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
}

static void make_program(const char *fragment)
{
   static const char *const vertex = "attribute vec3 at; attribute vec2 st; varying vec2 place;"
                                     "void main() { place = st; gl_Position = vec4(at, 1.0); }";
   const char *const sources[2] = {vertex, fragment};
   const GLuint program = own_glCreateProgram();
   for (unsigned i = 0; i < 2; i++) {
      const GLuint shader = own_glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
      own_glShaderSource(shader, 1, &sources[i], NULL);
      own_glCompileShader(shader);
      own_glAttachShader(program, shader);
   }
   own_glBindAttribLocation(program, 0, "at");
   own_glBindAttribLocation(program, 1, "st");
   own_glLinkProgram(program);
   own_glUseProgram(program);
}

/* ---- Scenes ---- */

struct vertices {
   float data[COLUMNS * COLUMNS * 3 * STRIDE];
   unsigned count;
};

static void add(struct vertices *vertices, float x, float y, float z, float s, float t)
{
   const float vertex[STRIDE] = {x, y, z, s, t};
   memcpy(&vertices->data[STRIDE * vertices->count++], vertex, sizeof(vertex));
}

/* One triangle over the whole picture. */
static void whole(struct vertices *vertices)
{
   add(vertices, -1, -1, 0, 0, 0);
   add(vertices, 3, -1, 0, 2, 0);
   add(vertices, -1, 3, 0, 0, 2);
}

/* A cube of two triangles a face, turned, in parallel projection. */
static void cube(struct vertices *vertices)
{
   static const float corners[6][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};
   for (unsigned i = 0; i < 36; i++) {
      const unsigned axis = i / 12;
      float at[3];
      at[axis] = i / 6 % 2 ? 0.5f : -0.5f;
      at[(axis + 1) % 3] = corners[i % 6][0] / 2;
      at[(axis + 2) % 3] = corners[i % 6][1] / 2;
      const float x = 0.8f * at[0] + 0.6f * at[2], z = 0.8f * at[2] - 0.6f * at[0];
      add(vertices, x, 0.8f * at[1] - 0.6f * z, 0.6f * at[1] + 0.8f * z, corners[i % 6][0], corners[i % 6][1]);
   }
}

/* 10,000 triangles of some 40 pixels each. */
static void small(struct vertices *vertices)
{
   const float step = 2.0f / COLUMNS;
   for (unsigned i = 0; i < COLUMNS * COLUMNS; i++) {
      const float x = (float)(i % COLUMNS) * step - 1, y = (float)(i / COLUMNS) * step - 1;
      add(vertices, x, y, 0, 0, 0);
      add(vertices, x + 0.9f * step, y, 0, 1, 0);
      add(vertices, x, y + 0.9f * step, 0, 0, 1);
   }
}

#define TEXTURED "uniform sampler2D image; varying vec2 place; void main() { gl_FragColor = texture2D(image, place); }"
#define LOOP                                                                                                           \
   "varying vec2 place; void main() { vec2 z = place; float n = 0.0;"                                                  \
   "for (int i = 0; i < 64; i++) { z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) * 0.7 + place * 0.3;"              \
   "n += z.x; } gl_FragColor = vec4(n * 0.01, z.y, place); }"
static const struct {
   const char *name, *fragment;
   void (*make)(struct vertices *vertices);
} scenes[] = {
    {"triangle", TEXTURED, whole}, {"cube", TEXTURED, cube}, {"loop", LOOP, whole}, {"small", TEXTURED, small}};

/* FNV-1a of the picture's words. */
static uint64_t checksum(void)
{
   static uint32_t pixels[SIDE * SIDE];
   uint64_t sum = UINT64_C(0xcbf29ce484222325);
   own_glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (size_t i = 0; i < sizeof(pixels) / sizeof(pixels[0]); i++) {
      sum = (sum ^ pixels[i]) * UINT64_C(0x100000001b3);
   }
   return sum;
}

static void draw(const struct vertices *vertices, unsigned frames)
{
   GLuint buffer;
   double best = INFINITY;
   own_glGenBuffers(1, &buffer);
   own_glBindBuffer(GL_ARRAY_BUFFER, buffer);
   own_glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(vertices->count * STRIDE * sizeof(float)), vertices->data,
                    GL_STATIC_DRAW);
   own_glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, STRIDE * sizeof(float), NULL);
   own_glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, STRIDE * sizeof(float),
                             (const void *)(uintptr_t)(3 * sizeof(float)));
   own_glEnableVertexAttribArray(0);
   own_glEnableVertexAttribArray(1);
   own_glEnable(GL_DEPTH_TEST);
   for (unsigned i = 0; i < frames; i++) {
      const uint64_t start = util_clock_ns();
      own_glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      own_glDrawArrays(GL_TRIANGLES, 0, (GLsizei)vertices->count);
      own_glFinish();
      best = fmin(best, (double)(util_clock_ns() - start) / 1e6);
   }
   const uint64_t sum = checksum();
   if (own_glGetError() != GL_NO_ERROR) {
      die("OpenGL reports an error");
   }
   printf("%.2f\npicture %016" PRIx64 "\n", best, sum);
}

int main(int count, char **arguments)
{
   static struct vertices vertices;
   for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
      if (count == 3 && !strcmp(arguments[1], scenes[i].name)) {
         open_display();
         make_framebuffer();
         make_texture();
         make_program(scenes[i].fragment);
         scenes[i].make(&vertices);
         draw(&vertices, (unsigned)strtoul(arguments[2], NULL, 10));
         return 0;
      }
   }
   fprintf(stderr, "Usage: draw_scenes triangle|cube|loop|small FRAMES\n");
   return 79;
}
