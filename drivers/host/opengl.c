/* SPDX-License-Identifier: MIT
 *
 * The host of OpenGL: compiles a compute shader in GLSL in a context without a surface, and dispatches it with the
 * arguments of the request (drivers/host/protocol.h). It opens EGL itself and links with nothing else. Invariant:
 * whatever the driver refuses becomes a record of the result.
 */
#include "drivers/host/opengl.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "drivers/host/launches.h"

struct opengl_functions gl;

bool opengl_refuse(struct opengl *opengl, enum host_refusal why, const char *format, ...)
{
   char text[1024];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(text, sizeof(text), format, arguments);
   va_end(arguments);
   host_record_write_text(opengl->result, HOST_REFUSAL, why, text);
   return false;
}

bool opengl_check(struct opengl *opengl, enum host_refusal why, const char *what)
{
   const GLenum error = gl.glGetError();
   return error == GL_NO_ERROR || opengl_refuse(opengl, why, "%s: OpenGL's error 0x%04x", what, error);
}

/* ---- The context ---- */

#define EGL_FUNCTIONS(X)                                                                                               \
   X(eglGetProcAddress)                                                                                                \
   X(eglInitialize)                                                                                                    \
   X(eglBindAPI)                                                                                                       \
   X(eglChooseConfig)                                                                                                  \
   X(eglCreateContext)                                                                                                 \
   X(eglMakeCurrent)                                                                                                   \
   X(eglGetPlatformDisplay)
static struct {
#define POINTER(name) __typeof__(name) *name;
   EGL_FUNCTIONS(POINTER)
#undef POINTER
} egl;

static bool load_egl(struct opengl *opengl)
{
   void *library = dlopen("libEGL.so.1", RTLD_NOW);
   if (library == NULL) {
      return opengl_refuse(opengl, HOST_NO_LOADER, "EGL cannot be opened: %s", dlerror());
   }
#define LOOK(name)                                                                                                     \
   egl.name = (__typeof__(egl.name))dlsym(library, #name);                                                             \
   if (egl.name == NULL) {                                                                                             \
      return opengl_refuse(opengl, HOST_NO_LOADER, "libEGL.so.1 has no " #name);                                       \
   }
   EGL_FUNCTIONS(LOOK)
#undef LOOK
   return true;
}

static bool load_functions(struct opengl *opengl)
{
#define LOOK(type, name)                                                                                               \
   gl.name = (type)egl.eglGetProcAddress(#name);                                                                       \
   if (gl.name == NULL) {                                                                                              \
      return opengl_refuse(opengl, HOST_NO_LOADER, "the driver has no " #name);                                        \
   }
   OPENGL_FUNCTIONS(LOOK)
#undef LOOK
   return true;
}

static bool make_context(struct opengl *opengl)
{
   static const EGLint config_words[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                         EGL_NONE};
   static const EGLint context_words[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
   const EGLDisplay display = egl.eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   EGLConfig config = NULL;
   EGLint count = 0;
   if (display == EGL_NO_DISPLAY || !egl.eglInitialize(display, NULL, NULL) || !egl.eglBindAPI(EGL_OPENGL_API)) {
      return opengl_refuse(opengl, HOST_NO_DEVICE, "EGL has no display without a surface");
   }
   (void)egl.eglChooseConfig(display, config_words, &config, 1, &count);
   const EGLContext context = egl.eglCreateContext(display, count > 0 ? config : NULL, EGL_NO_CONTEXT, context_words);
   return (context != EGL_NO_CONTEXT && egl.eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) ||
          opengl_refuse(opengl, HOST_NO_DEVICE, "the driver has no OpenGL 4.5");
}

bool opengl_open(struct opengl *opengl)
{
   if (!load_egl(opengl) || !make_context(opengl) || !load_functions(opengl)) {
      return false;
   }
   const char *device = (const char *)gl.glGetString(GL_RENDERER), *version = (const char *)gl.glGetString(GL_VERSION);
   char text[600];
   if (device == NULL || !host_takes_device(device)) {
      return opengl_refuse(opengl, HOST_NO_DEVICE, "the OpenGL driver's device is no Apple GPU: %s",
                           device != NULL ? device : "");
   }
   snprintf(text, sizeof(text), "%s, OpenGL %s", device, version != NULL ? version : "");
   host_record_write_text(opengl->result, HOST_DRIVER, 0, text);
   gl.glPixelStorei(GL_PACK_ALIGNMENT, 1);
   gl.glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   return true;
}

/* ---- The shader ---- */

/* Mesa writes "0:7(3): error: ..." of line 7, column 3. */
static void write_log(struct opengl *opengl, const char *log)
{
   char *text = NULL;
   size_t size = 0;
   FILE *stream = open_memstream(&text, &size);
   for (const char *line = log; stream != NULL && *line != '\0';) {
      unsigned row, column;
      int used = 0;
      const size_t length = strcspn(line, "\n");
      if (sscanf(line, "0:%u(%u)%n", &row, &column, &used) == 2 && used > 0) {
         fprintf(stream, HOST_SOURCE_NAME ":%u:%u", row, column);
      }
      fprintf(stream, "%.*s\n", (int)length - used, line + used);
      line += length + (line[length] == '\n');
   }
   if (stream != NULL && fclose(stream) == 0) {
      host_record_write_text(opengl->result, HOST_LOG, 0, text);
   }
   free(text);
}

/* Adds to the log. */
static bool compile(GLuint program, GLenum stage, const char *source, GLint length, char *log, size_t size)
{
   const GLuint shader = gl.glCreateShader(stage);
   const size_t used = strlen(log);
   GLint good = 0;
   gl.glShaderSource(shader, 1, &source, &length);
   gl.glCompileShader(shader);
   gl.glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
   gl.glGetShaderInfoLog(shader, (GLsizei)(size - used), NULL, log + used);
   gl.glAttachShader(program, shader);
   return good;
}

static bool link_program(struct opengl *opengl, char *log, size_t size, bool compiled)
{
   GLint good = compiled;
   if (good) {
      gl.glLinkProgram(opengl->program);
      gl.glGetProgramiv(opengl->program, GL_LINK_STATUS, &good);
      gl.glGetProgramInfoLog(opengl->program, (GLsizei)(size - strlen(log)), NULL, log + strlen(log));
   }
   write_log(opengl, log);
   if (good) {
      gl.glUseProgram(opengl->program);
   }
   return good || opengl_refuse(opengl, HOST_NO_BUILD, "the driver does not compile the shader");
}

static bool build(struct opengl *opengl, const char *source, size_t size)
{
   char log[16384] = "";
   opengl->program = gl.glCreateProgram();
   const bool compiled = compile(opengl->program, GL_COMPUTE_SHADER, source, (GLint)size, log, sizeof(log));
   if (!link_program(opengl, log, sizeof(log), compiled)) {
      return false;
   }
   gl.glGetProgramiv(opengl->program, GL_COMPUTE_WORK_GROUP_SIZE, opengl->group);
   return opengl_read_interface(opengl) && opengl_check(opengl, HOST_NO_BUILD, "the shader's interface");
}

bool opengl_build(struct opengl *opengl, const char *const sources[2])
{
   static const GLenum stages[2] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
   char log[16384] = "";
   bool good = true;
   opengl->program = gl.glCreateProgram();
   for (unsigned i = 0; good && i < 2; i++) {
      good = compile(opengl->program, stages[i], sources[i], (GLint)strlen(sources[i]), log, sizeof(log));
   }
   return link_program(opengl, log, sizeof(log), good);
}

void *opengl_find(const char *name)
{
   void *function;
   const __eglMustCastToProperFunctionPointerType found = egl.eglGetProcAddress(name);
   memcpy(&function, &found, sizeof(function));
   return function;
}

static void write_facts(const struct opengl *opengl)
{
   struct host_facts facts = {.name = "main", .parameters = opengl->argument_count, .local_bytes = UINT64_MAX};
   for (unsigned i = 0; i < 3; i++) {
      facts.group[i] = (uint32_t)opengl->group[i];
   }
   host_record_write(opengl->result, HOST_FACTS, 0, &facts, sizeof(facts));
   for (uint32_t i = 0; i < facts.parameters; i++) {
      struct host_parameter parameter;
      opengl_parameter(&opengl->arguments[i], &parameter);
      host_record_write(opengl->result, HOST_PARAMETER, i, &parameter, sizeof(parameter));
   }
}

static bool offers(const char *extension, size_t length)
{
   GLint count = 0;
   gl.glGetIntegerv(GL_NUM_EXTENSIONS, &count);
   for (GLint i = 0; i < count; i++) {
      const char *name = (const char *)gl.glGetStringi(GL_EXTENSIONS, (GLuint)i);
      if (name != NULL && strlen(name) == length && memcmp(name, extension, length) == 0) {
         return true;
      }
   }
   return false;
}

/* Refuses the request if the driver does not offer an extension that it requires. */
static bool check_extensions(struct opengl *opengl, struct host_records *request)
{
   const struct host_record *record;
   const void *payload;
   const size_t start = request->at;
   bool good = true;
   while (good && (record = host_records_next(request, &payload)) != NULL) {
      if (record->kind == HOST_REQUIRE && !offers(payload, record->size)) {
         good = opengl_refuse(opengl, HOST_NO_FEATURE, "the driver does not offer %.*s", (int)record->size,
                              (const char *)payload);
      }
   }
   request->at = start;
   return good;
}

static void serve(struct opengl *opengl, struct host_records *request)
{
   const struct host_record *record, *source = NULL;
   const void *payload, *text = NULL;
   const size_t start = request->at;
   while ((record = host_records_next(request, &payload)) != NULL) {
      if (record->kind == HOST_SOURCE && (record->number == HOST_GLSL || record->number == HOST_SCENE)) {
         source = record;
         text = payload;
      } else if (record->kind == HOST_JOBS) {
         opengl->folder = strndup(payload, record->size);
      }
   }
   request->at = start;
   if (source == NULL) {
      opengl_refuse(opengl, HOST_BAD_REQUEST, "the request has no GLSL");
   } else if (source->number == HOST_SCENE) {
      if (opengl_open(opengl)) {
         opengl_draw_scene(opengl, text, source->size);
      }
   } else if (opengl_open(opengl) && check_extensions(opengl, request) && build(opengl, text, source->size)) {
      write_facts(opengl);
      opengl_serve_launches(opengl, request);
   }
}

int main(int argc, char **argv)
{
   struct host_records request;
   struct opengl opengl = {.result = host_start(argc, argv, &request)};
   if (opengl.result == NULL) {
      return 1;
   }
   serve(&opengl, &request);
   return host_records_close(opengl.result) ? 0 : 1;
}
