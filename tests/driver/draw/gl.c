/* SPDX-License-Identifier: MIT
 *
 * Draws one case with an OpenGL driver, without a window, and writes its pixels: gl CASE OUTPUT | --list. drawing.py
 * compares them with llvmpipe's. Invariant: a case has no answer of its own.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 128
#define HEIGHT 72

/* What is not in OpenGL 1.1, by EGL's own way. */
#define FUNCTIONS(X)                                                                                                   \
   X(PFNGLGENFRAMEBUFFERSPROC, glGenFramebuffers)                                                                      \
   X(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer)                                                                      \
   X(PFNGLGENRENDERBUFFERSPROC, glGenRenderbuffers)                                                                    \
   X(PFNGLBINDRENDERBUFFERPROC, glBindRenderbuffer)                                                                    \
   X(PFNGLRENDERBUFFERSTORAGEPROC, glRenderbufferStorage)                                                              \
   X(PFNGLFRAMEBUFFERRENDERBUFFERPROC, glFramebufferRenderbuffer)                                                      \
   X(PFNGLCHECKFRAMEBUFFERSTATUSPROC, glCheckFramebufferStatus)                                                        \
   X(PFNGLCOMPRESSEDTEXIMAGE2DPROC, glCompressedTexImage2D)                                                            \
   X(PFNGLTEXIMAGE3DPROC, glTexImage3D)                                                                                \
   X(PFNGLACTIVETEXTUREPROC, glActiveTexture)                                                                          \
   X(PFNGLCREATESHADERPROC, glCreateShader)                                                                            \
   X(PFNGLSHADERSOURCEPROC, glShaderSource)                                                                            \
   X(PFNGLCOMPILESHADERPROC, glCompileShader)                                                                          \
   X(PFNGLCREATEPROGRAMPROC, glCreateProgram)                                                                          \
   X(PFNGLATTACHSHADERPROC, glAttachShader)                                                                            \
   X(PFNGLLINKPROGRAMPROC, glLinkProgram)                                                                              \
   X(PFNGLUSEPROGRAMPROC, glUseProgram)                                                                                \
   X(PFNGLGETUNIFORMLOCATIONPROC, glGetUniformLocation)                                                                \
   X(PFNGLUNIFORM1IPROC, glUniform1i)
#define DECLARE(type, name) static type own_##name;
FUNCTIONS(DECLARE)

static void (*own_clear_color)(GLfloat, GLfloat, GLfloat, GLfloat);
static void (*own_clear)(GLbitfield);
static void (*own_enable)(GLenum);
static void (*own_disable)(GLenum);
static void (*own_scissor)(GLint, GLint, GLsizei, GLsizei);
static void (*own_viewport)(GLint, GLint, GLsizei, GLsizei);
static void (*own_read_pixels)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *);
static void (*own_begin)(GLenum);
static void (*own_end)(void);
static void (*own_colour)(GLfloat, GLfloat, GLfloat, GLfloat);
static void (*own_vertex)(GLfloat, GLfloat, GLfloat);
static void (*own_blend)(GLenum, GLenum);
static void (*own_polygon_mode)(GLenum, GLenum);
static void (*own_shade_model)(GLenum);
static void (*own_point_size)(GLfloat);
static void (*own_bind_texture)(GLenum, GLuint);
static void (*own_texture_parameter)(GLenum, GLenum, GLint);
static void (*own_coordinate)(GLfloat, GLfloat);
static void (*own_generate)(GLsizei, GLuint *);
static void (*own_texture_image)(GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum, const void *);
static GLenum (*own_error)(void);

static void die(const char *what)
{
   fprintf(stderr, "gl: %s\n", what);
   exit(1);
}

static void load(void)
{
   const struct {
      const char *name;
      void *to;
   } functions[] = {{"glClearColor", &own_clear_color},
                    {"glClear", &own_clear},
                    {"glEnable", &own_enable},
                    {"glDisable", &own_disable},
                    {"glScissor", &own_scissor},
                    {"glViewport", &own_viewport},
                    {"glReadPixels", &own_read_pixels},
                    {"glBegin", &own_begin},
                    {"glEnd", &own_end},
                    {"glColor4f", &own_colour},
                    {"glVertex3f", &own_vertex},
                    {"glBlendFunc", &own_blend},
                    {"glPolygonMode", &own_polygon_mode},
                    {"glShadeModel", &own_shade_model},
                    {"glPointSize", &own_point_size},
                    {"glBindTexture", &own_bind_texture},
                    {"glTexParameteri", &own_texture_parameter},
                    {"glTexCoord2f", &own_coordinate},
                    {"glGenTextures", &own_generate},
                    {"glTexImage2D", &own_texture_image},
                    {"glGetError", &own_error},
#define ENTRY(type, name) {#name, &own_##name},
                    FUNCTIONS(ENTRY)};
   for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
      __eglMustCastToProperFunctionPointerType function = eglGetProcAddress(functions[i].name);
      if (!function) {
         die(functions[i].name);
      }
      memcpy(functions[i].to, &function, sizeof(function));
   }
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
}

static void make_framebuffer(void)
{
   GLuint framebuffer, buffers[2];
   own_glGenFramebuffers(1, &framebuffer);
   own_glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   own_glGenRenderbuffers(2, buffers);
   own_glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
   own_glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, WIDTH, HEIGHT);
   own_glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
   own_glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
   own_glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, WIDTH, HEIGHT);
   own_glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
   if (own_glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
      die("the framebuffer is not complete");
   }
   own_viewport(0, 0, WIDTH, HEIGHT);
}

static void clear(void)
{
   own_clear_color(0.1f, 0.7f, 0.3f, 0.9f);
   own_clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

static void clear_part(void)
{
   clear();
   own_enable(GL_SCISSOR_TEST);
   own_scissor(11, 7, 60, 41);
   own_clear_color(0.8f, 0.2f, 0.6f, 0.5f);
   own_clear(GL_COLOR_BUFFER_BIT);
   own_disable(GL_SCISSOR_TEST);
}

static void shape(GLenum kind, unsigned count)
{
   static const GLfloat at[8][3] = {{-0.9f, -0.8f, 0.1f}, {0.8f, -0.6f, 0.5f}, {-0.5f, 0.9f, -0.4f},
                                    {0.7f, 0.8f, 0.9f},   {0.1f, -0.9f, 0.2f}, {0.9f, 0.3f, -0.7f},
                                    {-0.8f, 0.4f, 0.6f},  {0.2f, 0.1f, 0.0f}};
   own_begin(kind);
   for (unsigned i = 0; i < count; i++) {
      own_colour((GLfloat)(i & 1), (GLfloat)(i >> 1 & 1), (GLfloat)(i >> 2), 0.6f);
      own_vertex(at[i][0], at[i][1], at[i][2]);
   }
   own_end();
}

static void triangles(void)
{
   clear();
   shape(GL_TRIANGLES, 6);
}

static void quads(void)
{
   clear();
   shape(GL_QUAD_STRIP, 4);
}

static void depth(void)
{
   clear();
   own_enable(GL_DEPTH_TEST);
   shape(GL_TRIANGLE_STRIP, 8);
   own_disable(GL_DEPTH_TEST);
}

static void blend(void)
{
   clear();
   own_enable(GL_BLEND);
   own_blend(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   shape(GL_TRIANGLE_FAN, 8);
   own_disable(GL_BLEND);
}

static void polygon(GLenum mode)
{
   clear();
   own_point_size(5);
   own_polygon_mode(GL_FRONT_AND_BACK, mode);
   shape(GL_TRIANGLES, 6);
   own_polygon_mode(GL_FRONT_AND_BACK, GL_FILL);
}

static void polygon_lines(void)
{
   polygon(GL_LINE);
}

static void polygon_points(void)
{
   polygon(GL_POINT);
}

/* The colour of a line is that of its second vertex. */
static void line_loop(void)
{
   clear();
   own_shade_model(GL_FLAT);
   shape(GL_LINE_LOOP, 5);
}

/* ---- Compressed blocks ---- */

#define COLUMNS 7 /* of the kinds of ASTC, in two rows */

static unsigned random_byte(void)
{
   static unsigned long long state = 1;
   state = state * 6364136223846793005ULL + 1442695040888963407ULL;
   return (unsigned)(state >> 56);
}

/* Random bits. Most of these are errors, so three of four blocks get one partition and ends of low dynamic range. */
static void fill_block(unsigned char block[16])
{
   static const unsigned char kinds[10] = {0, 1, 4, 5, 6, 8, 9, 10, 12, 13};
   for (unsigned i = 0; i < 16; i++) {
      block[i] = (unsigned char)random_byte();
   }
   if (random_byte() % 4) {
      const unsigned kind = kinds[random_byte() % 10];
      block[1] = (unsigned char)((block[1] & 7) | kind << 5);
      block[2] = (unsigned char)((block[2] & 0xfe) | kind >> 3);
   }
}

/* A rectangle of the framebuffer shows a texture of its size, texel by texel. */
static void show(GLenum format, unsigned across, unsigned down, GLint left, GLint bottom)
{
   static unsigned char blocks[WIDTH * HEIGHT]; /* 16 bytes for each block of 16 texels or more, and its edges */
   const GLsizei width = WIDTH / COLUMNS, height = HEIGHT / 2;
   const unsigned columns = ((unsigned)width + across - 1) / across, rows = ((unsigned)height + down - 1) / down;
   const GLsizei size = (GLsizei)(columns * rows * 16);
   if ((size_t)size > sizeof(blocks)) {
      die("too many blocks");
   }
   for (GLsizei i = 0; i < size; i += 16) {
      fill_block(blocks + i);
   }
   own_texture_parameter(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   own_texture_parameter(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   own_glCompressedTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, size, blocks);
   own_viewport(left, bottom, width, height);
   own_begin(GL_TRIANGLE_STRIP);
   for (unsigned i = 0; i < 4; i++) {
      own_colour(1, 1, 1, 1);
      own_coordinate((GLfloat)(i & 1), (GLfloat)(i >> 1));
      own_vertex(i & 1 ? 1 : -1, i >> 1 ? 1 : -1, 0);
   }
   own_end();
}

/* All sizes of ASTC's blocks. */
static void astc_blocks(GLenum first)
{
   static const unsigned char sizes[2 * COLUMNS][2] = {{4, 4}, {5, 4},  {5, 5},  {6, 5},  {6, 6},   {8, 5},   {8, 6},
                                                       {8, 8}, {10, 5}, {10, 6}, {10, 8}, {10, 10}, {12, 10}, {12, 12}};
   clear();
   own_enable(GL_TEXTURE_2D);
   for (unsigned i = 0; i < 2 * COLUMNS; i++) {
      show(first + i, sizes[i][0], sizes[i][1], (GLint)(i % COLUMNS * (WIDTH / COLUMNS)),
           (GLint)(i / COLUMNS * (HEIGHT / 2)));
   }
   own_disable(GL_TEXTURE_2D);
}

static void astc(void)
{
   astc_blocks(GL_COMPRESSED_RGBA_ASTC_4x4_KHR);
}

static void astc_srgb(void)
{
   astc_blocks(GL_COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR);
}

/* ---- Two roads to a texel ---- */

/* Both textures have the same texels, and their samples must be equal: else the pixel is of a colour of its own. The
 * virtual GPU takes the samples of the first one for all lanes at once, those of the second one lane by lane. */
static const char *const both_roads[2] = {
    "#version 130\n"
    "void main() { gl_Position = gl_Vertex; }",
    "#version 130\n"
    "#extension GL_EXT_texture_array : enable\n"
    "uniform sampler2D flat_image; uniform sampler2DArray layered;"
    "void main() { vec2 at = gl_FragCoord.xy * vec2(0.0431, 0.0717) - vec2(1.9, 1.7);"
    "vec4 one = texture(flat_image, at), other = texture(layered, vec3(at, 0.0));"
    "gl_FragColor = one == other ? one : vec4(1.0, 0.0, 1.0, 1.0); }"};

static void use_program(const char *const sources[2])
{
   const GLuint program = own_glCreateProgram();
   for (unsigned i = 0; i < 2; i++) {
      const GLuint shader = own_glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
      own_glShaderSource(shader, 1, &sources[i], NULL);
      own_glCompileShader(shader);
      own_glAttachShader(program, shader);
   }
   own_glLinkProgram(program);
   own_glUseProgram(program);
   own_glUniform1i(own_glGetUniformLocation(program, "flat_image"), 0);
   own_glUniform1i(own_glGetUniformLocation(program, "layered"), 1);
}

static void make_twins(GLsizei width, GLsizei height)
{
   static unsigned char texels[64 * 64 * 4];
   GLuint names[2];
   for (size_t i = 0; i < sizeof(texels); i++) {
      texels[i] = (unsigned char)random_byte();
   }
   own_generate(2, names);
   for (unsigned i = 0; i < 2; i++) {
      own_glActiveTexture(GL_TEXTURE0 + i);
      own_bind_texture(i ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D, names[i]);
      own_texture_parameter(i ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
      own_texture_parameter(i ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
      if (i) {
         own_glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, width, height, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      } else {
         own_texture_image(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      }
   }
}

/* Ways of wrapping in rectangles, the upper ones of a texture whose sides are no powers of two. */
static void texture_roads(void)
{
   static const GLint wraps[4][2] = {{GL_REPEAT, GL_MIRRORED_REPEAT},
                                     {GL_CLAMP_TO_EDGE, GL_REPEAT},
                                     {GL_CLAMP_TO_BORDER, GL_CLAMP_TO_EDGE},
                                     {GL_MIRRORED_REPEAT, GL_CLAMP_TO_BORDER}};
   clear();
   use_program(both_roads);
   for (GLint i = 0; i < 8; i++) {
      make_twins(i < 4 ? 64 : 43, i < 4 ? 32 : 29);
      for (unsigned k = 0; k < 2; k++) {
         own_glActiveTexture(GL_TEXTURE0 + k);
         own_texture_parameter(k ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wraps[i % 4][0]);
         own_texture_parameter(k ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wraps[i % 4][1]);
      }
      own_viewport(i % 4 * WIDTH / 4, i / 4 * HEIGHT / 2, WIDTH / 4, HEIGHT / 2);
      own_begin(GL_TRIANGLE_STRIP);
      for (unsigned corner = 0; corner < 4; corner++) {
         own_vertex(corner & 1 ? 1 : -1, corner >> 1 ? 1 : -0.9f, 0);
      }
      own_end();
   }
}

/* ---- A texel for each vertex ---- */

/* tests/driver/draw/drawing.py knows the coordinates. */
static const char *const of_vertices[2] = {"#version 130\n"
                                           "uniform sampler2D flat_image; out vec4 tint;"
                                           "void main() { gl_Position = gl_Vertex;"
                                           "tint = textureLod(flat_image, vec2(float(gl_VertexID) * 0.0431 - 0.7, "
                                           "float(gl_VertexID) * -0.0717 + 1.7), 0.0); }",
                                           "#version 130\n"
                                           "in vec4 tint;"
                                           "void main() { gl_FragColor = tint; }"};

static void vertex_texture(void)
{
   clear();
   use_program(of_vertices);
   make_twins(64, 32);
   own_begin(GL_TRIANGLE_STRIP);
   for (unsigned corner = 0; corner < 40; corner++) {
      own_vertex((float)(corner / 2) * 0.1f - 0.95f, corner & 1 ? 0.9f : -0.8f, 0);
   }
   own_end();
}

static const struct {
   const char *name;
   void (*draw)(void);
} cases[] = {{"clear", clear},
             {"clear_part", clear_part},
             {"triangles", triangles},
             {"quads", quads},
             {"depth", depth},
             {"blend", blend},
             {"polygon_lines", polygon_lines},
             {"polygon_points", polygon_points},
             {"line_loop", line_loop},
             {"astc", astc},
             {"astc_srgb", astc_srgb},
             {"texture_roads", texture_roads},
             {"vertex_texture", vertex_texture}};

int main(int argc, char **argv)
{
   static unsigned char pixels[WIDTH * HEIGHT * 4];
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      if (argc == 2 && !strcmp(argv[1], "--list")) {
         puts(cases[i].name);
      } else if (argc == 3 && !strcmp(argv[1], cases[i].name)) {
         open_display();
         load();
         make_framebuffer();
         cases[i].draw();
         own_read_pixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
         FILE *file = fopen(argv[2], "wb");
         if (own_error() != GL_NO_ERROR || !file || fwrite(pixels, 1, sizeof(pixels), file) != sizeof(pixels)) {
            die("the case was not drawn");
         }
         fclose(file);
         return 0;
      }
   }
   return argc == 2 ? 0 : 2;
}
