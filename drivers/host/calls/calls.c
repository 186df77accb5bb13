/* SPDX-License-Identifier: MIT
 *
 * The tables of calls and constants: calls.h.
 */
#include "drivers/host/calls/calls.h"

#include <stdlib.h>
#include <string.h>

#define I(n) words[n].integer
#define U(n) (GLuint) words[n].integer
#define E(n) (GLenum) words[n].integer
#define B(n) (GLboolean)(words[n].integer != 0)
#define F(n) words[n].number
#define CALLS(X)                                                                                                       \
   X(PFNGLENABLEPROC, Enable, 1, (E(0)))                                                                               \
   X(PFNGLDISABLEPROC, Disable, 1, (E(0)))                                                                             \
   X(PFNGLENABLEIPROC, Enablei, 2, (E(0), U(1)))                                                                       \
   X(PFNGLDISABLEIPROC, Disablei, 2, (E(0), U(1)))                                                                     \
   X(PFNGLVIEWPORTPROC, Viewport, 4, (I(0), I(1), I(2), I(3)))                                                         \
   X(PFNGLSCISSORPROC, Scissor, 4, (I(0), I(1), I(2), I(3)))                                                           \
   X(PFNGLDEPTHRANGEFPROC, DepthRangef, 2, (F(0), F(1)))                                                               \
   X(PFNGLDEPTHFUNCPROC, DepthFunc, 1, (E(0)))                                                                         \
   X(PFNGLDEPTHMASKPROC, DepthMask, 1, (B(0)))                                                                         \
   X(PFNGLSTENCILFUNCSEPARATEPROC, StencilFuncSeparate, 4, (E(0), E(1), I(2), U(3)))                                   \
   X(PFNGLSTENCILOPSEPARATEPROC, StencilOpSeparate, 4, (E(0), E(1), E(2), E(3)))                                       \
   X(PFNGLSTENCILMASKSEPARATEPROC, StencilMaskSeparate, 2, (E(0), U(1)))                                               \
   X(PFNGLBLENDFUNCSEPARATEIPROC, BlendFuncSeparatei, 5, (U(0), E(1), E(2), E(3), E(4)))                               \
   X(PFNGLBLENDEQUATIONSEPARATEIPROC, BlendEquationSeparatei, 3, (U(0), E(1), E(2)))                                   \
   X(PFNGLBLENDCOLORPROC, BlendColor, 4, (F(0), F(1), F(2), F(3)))                                                     \
   X(PFNGLCOLORMASKIPROC, ColorMaski, 5, (U(0), B(1), B(2), B(3), B(4)))                                               \
   X(PFNGLLOGICOPPROC, LogicOp, 1, (E(0)))                                                                             \
   X(PFNGLCULLFACEPROC, CullFace, 1, (E(0)))                                                                           \
   X(PFNGLFRONTFACEPROC, FrontFace, 1, (E(0)))                                                                         \
   X(PFNGLPOLYGONMODEPROC, PolygonMode, 2, (E(0), E(1)))                                                               \
   X(PFNGLPOLYGONOFFSETPROC, PolygonOffset, 2, (F(0), F(1)))                                                           \
   X(PFNGLPOINTSIZEPROC, PointSize, 1, (F(0)))                                                                         \
   X(PFNGLPOINTPARAMETERIPROC, PointParameteri, 2, (E(0), I(1)))                                                       \
   X(PFNGLPROVOKINGVERTEXPROC, ProvokingVertex, 1, (E(0)))                                                             \
   X(PFNGLPRIMITIVERESTARTINDEXPROC, PrimitiveRestartIndex, 1, (U(0)))                                                 \
   X(PFNGLCLIPCONTROLPROC, ClipControl, 2, (E(0), E(1)))                                                               \
   X(PFNGLSAMPLEMASKIPROC, SampleMaski, 2, (U(0), (GLbitfield)U(1)))                                                   \
   X(PFNGLSAMPLECOVERAGEPROC, SampleCoverage, 2, (F(0), B(1)))                                                         \
   X(PFNGLMINSAMPLESHADINGPROC, MinSampleShading, 1, (F(0)))                                                           \
   X(PFNGLTEXPARAMETERIPROC, TexParameteri, 3, (E(0), E(1), I(2)))                                                     \
   X(PFNGLBEGINQUERYPROC, BeginQuery, 2, (E(0), U(1)))                                                                 \
   X(PFNGLENDQUERYPROC, EndQuery, 1, (E(0)))                                                                           \
   X(PFNGLFLUSHPROC, Flush, 0, ())                                                                                     \
   X(PFNGLFINISHPROC, Finish, 0, ())                                                                                   \
   X(PFNGLCLEARBUFFERFIPROC, ClearBufferfi, 4, (E(0), I(1), F(2), I(3)))                                               \
   X(PFNGLCLEARBUFFERFVPROC, ClearBufferfv, 6, (E(0), I(1), (const GLfloat[]){F(2), F(3), F(4), F(5)}))                \
   X(PFNGLCLEARBUFFERIVPROC, ClearBufferiv, 6, (E(0), I(1), (const GLint[]){I(2), I(3), I(4), I(5)}))                  \
   X(PFNGLCLEARBUFFERUIVPROC, ClearBufferuiv, 6, (E(0), I(1), (const GLuint[]){U(2), U(3), U(4), U(5)}))

static struct {
#define POINTER(type, name, count, arguments) type name;
   CALLS(POINTER)
#undef POINTER
} functions;

#define WRAPPER(type, name, count, arguments)                                                                          \
   static void call_##name(const struct opengl_word *words)                                                            \
   {                                                                                                                   \
      (void)words;                                                                                                     \
      functions.name arguments;                                                                                        \
   }
CALLS(WRAPPER)
#undef WRAPPER

static const struct {
   const char *name;
   unsigned count;
   void (*call)(const struct opengl_word *words);
} calls[] = {
#define ROW(type, name, count, arguments) {#name, count, call_##name},
    CALLS(ROW)
#undef ROW
};

/* clang-format off */
#define CONSTANTS(X)                                                                                                   \
   X(FALSE) X(TRUE) X(NONE) X(ZERO) X(ONE) X(BLEND) X(CULL_FACE) X(DEPTH_TEST) X(STENCIL_TEST) X(SCISSOR_TEST)        \
   X(COLOR_LOGIC_OP) X(DEPTH_CLAMP) X(PRIMITIVE_RESTART) X(PRIMITIVE_RESTART_FIXED_INDEX) X(PROGRAM_POINT_SIZE)       \
   X(RASTERIZER_DISCARD) X(MULTISAMPLE) X(SAMPLE_MASK) X(SAMPLE_COVERAGE) X(SAMPLE_SHADING)                           \
   X(SAMPLE_ALPHA_TO_COVERAGE) X(SAMPLE_ALPHA_TO_ONE) X(FRAMEBUFFER_SRGB) X(POLYGON_OFFSET_FILL)                      \
   X(POLYGON_OFFSET_POINT) X(POLYGON_OFFSET_LINE) X(CLIP_DISTANCE0) X(CLIP_DISTANCE1) X(DITHER) X(NEVER) X(LESS) X(EQUAL) X(LEQUAL)          \
   X(GREATER) X(NOTEQUAL) X(GEQUAL) X(ALWAYS) X(KEEP) X(REPLACE) X(INCR) X(DECR) X(INVERT) X(INCR_WRAP) X(DECR_WRAP)  \
   X(SRC_COLOR) X(ONE_MINUS_SRC_COLOR) X(SRC_ALPHA) X(ONE_MINUS_SRC_ALPHA) X(DST_ALPHA) X(ONE_MINUS_DST_ALPHA)        \
   X(DST_COLOR) X(ONE_MINUS_DST_COLOR) X(SRC_ALPHA_SATURATE) X(CONSTANT_COLOR) X(ONE_MINUS_CONSTANT_COLOR)            \
   X(CONSTANT_ALPHA) X(ONE_MINUS_CONSTANT_ALPHA) X(FUNC_ADD) X(FUNC_SUBTRACT) X(FUNC_REVERSE_SUBTRACT) X(MIN) X(MAX)  \
   X(CLEAR) X(AND) X(AND_REVERSE) X(COPY) X(AND_INVERTED) X(NOOP) X(XOR) X(OR) X(NOR) X(EQUIV) X(OR_REVERSE)          \
   X(COPY_INVERTED) X(OR_INVERTED) X(NAND) X(SET) X(FRONT) X(BACK) X(FRONT_AND_BACK) X(CW) X(CCW) X(POINT) X(LINE)    \
   X(FILL) X(FIRST_VERTEX_CONVENTION) X(LAST_VERTEX_CONVENTION) X(LOWER_LEFT) X(UPPER_LEFT) X(NEGATIVE_ONE_TO_ONE)    \
   X(ZERO_TO_ONE) X(POINT_SPRITE_COORD_ORIGIN) X(SAMPLES_PASSED) X(ANY_SAMPLES_PASSED) X(COLOR) X(DEPTH) X(STENCIL)   \
   X(DEPTH_STENCIL) X(TEXTURE_2D) X(TEXTURE_MIN_FILTER) X(TEXTURE_MAG_FILTER) X(TEXTURE_WRAP_S) X(TEXTURE_WRAP_T)     \
   X(NEAREST) X(LINEAR) X(NEAREST_MIPMAP_NEAREST) X(REPEAT) X(MIRRORED_REPEAT) X(CLAMP_TO_EDGE) X(CLAMP_TO_BORDER)    \
   X(MIRROR_CLAMP_TO_EDGE) X(TEXTURE_SWIZZLE_R) X(TEXTURE_SWIZZLE_G) X(TEXTURE_SWIZZLE_B) X(TEXTURE_SWIZZLE_A)        \
   X(RED) X(GREEN) X(BLUE) X(ALPHA) X(TEXTURE_BASE_LEVEL) X(TEXTURE_MAX_LEVEL) X(POINTS) X(LINES) X(LINE_STRIP)       \
   X(TRIANGLES) X(TRIANGLE_STRIP) X(TRIANGLE_FAN) X(R8) X(RG8) X(RGBA8) X(RGBA8_SNORM) X(RGB565) X(RGBA4) X(RGB5_A1)  \
   X(RGB10_A2) X(RGBA16) X(R16) X(RG16) X(SRGB8_ALPHA8) X(R16F) X(RG16F) X(RGBA16F) X(R32F) X(RG32F) X(RGBA32F)       \
   X(R11F_G11F_B10F) X(R8UI) X(RG8UI) X(RGBA8UI) X(R16UI) X(RGBA16UI) X(R32UI) X(RG32UI) X(RGBA32UI) X(RGB10_A2UI)    \
   X(R8I) X(RGBA8I) X(RG16I) X(RGBA16I) X(R32I) X(RG32I) X(RGBA32I) X(DEPTH_COMPONENT16) X(DEPTH_COMPONENT24)         \
   X(DEPTH_COMPONENT32F) X(DEPTH24_STENCIL8) X(DEPTH32F_STENCIL8) X(STENCIL_INDEX8)
/* clang-format on */

static const struct {
   const char *name;
   GLint value;
} constants[] = {
#define CONSTANT(name) {#name, GL_##name},
    CONSTANTS(CONSTANT)
#undef CONSTANT
};

bool opengl_word_read(const char *text, struct opengl_word *word)
{
   char *end;
   for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
      if (strcmp(constants[i].name, text) == 0) {
         *word = (struct opengl_word){constants[i].value, (GLfloat)constants[i].value};
         return true;
      }
   }
   const double value = strtod(text, &end);
   const bool whole = value >= -2147483648.0 && value <= 4294967295.0;
   *word = (struct opengl_word){whole ? (GLint)(GLuint)(long long)value : 0, (GLfloat)value};
   return end != text && *end == '\0';
}

const char *opengl_calls_load(void *(*find)(const char *name))
{
   void *function;
#define LOAD(type, name, count, arguments)                                                                             \
   function = find("gl" #name);                                                                                        \
   if (function == NULL) {                                                                                             \
      return "gl" #name;                                                                                               \
   }                                                                                                                   \
   memcpy(&functions.name, &function, sizeof(function));
   CALLS(LOAD)
#undef LOAD
   return NULL;
}

bool opengl_call(const char *name, const struct opengl_word *words, unsigned count)
{
   for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
      if (strcmp(calls[i].name, name) == 0 && calls[i].count == count) {
         calls[i].call(words);
         return true;
      }
   }
   return false;
}
