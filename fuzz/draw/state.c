/* SPDX-License-Identifier: MIT
 *
 * Calls that clear and set state. Invariant: state only names what the scene's targets have.
 */
#include "fuzz/draw/draw.h"

static const char *const comparisons[] = {"NEVER",   "LESS",     "EQUAL",  "LEQUAL",
                                          "GREATER", "NOTEQUAL", "GEQUAL", "ALWAYS"};
static const char *const polygon_modes[] = {"FILL", "POINT", "LINE"};
static const char *const faces[] = {"FRONT", "BACK", "FRONT_AND_BACK"};

static void clear_target(struct draw_maker *maker, unsigned number)
{
   const struct draw_format *format = maker->targets[number];
   const bool whole = format->kind == DRAW_UINT || format->kind == DRAW_INT;
   util_text_add(&maker->text, "ClearBuffer%s COLOR %u",
                 !whole                     ? "fv"
                 : format->kind == DRAW_INT ? "iv"
                                            : "uiv",
                 number);
   for (unsigned i = 0; i < DRAW_CHANNELS; i++) {
      const uint32_t bits = format->bits[i] != 0 ? format->bits[i] : 1, most = (uint32_t)((UINT64_C(1) << bits) - 1);
      const uint32_t value = draw_below(maker, most < 1u << 20 ? most + 1 : 1u << 20);
      if (whole) {
         util_text_add(&maker->text, " %u", value);
      } else if (format->kind == DRAW_FLOAT) {
         util_text_add(&maker->text, " %.9g", draw_below(maker, 17) / 16.0);
      } else {
         util_text_add(&maker->text, " %.9g", (double)value / most);
      }
   }
   util_text_add(&maker->text, "\n");
}

static void clear_depth(struct draw_maker *maker)
{
   if (maker->has_depth && maker->has_stencil) {
      util_text_add(&maker->text, "ClearBufferfi DEPTH_STENCIL 0 %.9g %u\n", draw_below(maker, 65) / 64.0,
                    draw_below(maker, 256));
   } else if (maker->has_depth) {
      util_text_add(&maker->text, "ClearBufferfv DEPTH 0 %.9g 0 0 0\n", draw_below(maker, 65) / 64.0);
   } else if (maker->has_stencil) {
      util_text_add(&maker->text, "ClearBufferiv STENCIL 0 %u 0 0 0\n", draw_below(maker, 256));
   }
}

static void set_viewport(struct draw_maker *maker)
{
   int32_t *viewport = maker->viewport;
   const uint32_t wide = maker->width >= 64 ? 64 : maker->width >= 32 ? 32 : 16;
   const uint32_t high = maker->height >= 64 ? 64 : maker->height >= 32 ? 32 : 16;
   viewport[0] = (int32_t)draw_below(maker, maker->width - wide + 1);
   viewport[1] = (int32_t)draw_below(maker, maker->height - high + 1);
   viewport[2] = (int32_t)wide;
   viewport[3] = (int32_t)high;
   util_text_add(&maker->text, "Viewport %d %d %d %d\n", viewport[0], viewport[1], viewport[2], viewport[3]);
}

void draw_clears(struct draw_maker *maker)
{
   for (unsigned i = 0; i < maker->target_count; i++) {
      clear_target(maker, i);
   }
   clear_depth(maker);
   set_viewport(maker);
   if (maker->sample_shading) {
      util_text_add(&maker->text, "Enable SAMPLE_SHADING\nMinSampleShading 1\n");
   }
   if (maker->clips) { /* Mesa 26.2.6 clips by what is not enabled, too: docs/mesa-bugs.md */
      util_text_add(&maker->text, "Enable CLIP_DISTANCE0\n");
   }
   if (draw_chance(maker, 8)) {
      maker->upside_down = !maker->points && draw_chance(maker, 50);
      util_text_add(&maker->text, "ClipControl %s %s\n", maker->upside_down ? "UPPER_LEFT" : "LOWER_LEFT",
                    draw_chance(maker, 50) ? "ZERO_TO_ONE" : "NEGATIVE_ONE_TO_ONE");
   }
}

/* Inside the viewport, by two pixels and more: so lines may end outside it. */
static void set_scissor(struct draw_maker *maker)
{
   int32_t *scissor = maker->scissor;
   maker->scissored = draw_chance(maker, 40);
   if (!maker->scissored) {
      util_text_add(&maker->text, "Disable SCISSOR_TEST\n");
      return;
   }
   for (unsigned i = 0; i < 2; i++) {
      const int32_t size = maker->viewport[2 + i];
      scissor[i] = maker->viewport[i] + 2 + (int32_t)draw_below(maker, (uint32_t)size / 2 - 2);
      scissor[2 + i] = 1 + (int32_t)draw_below(maker, (uint32_t)(maker->viewport[i] + size - 2 - scissor[i]));
   }
   util_text_add(&maker->text, "Enable SCISSOR_TEST\nScissor %d %d %d %d\n", scissor[0], scissor[1], scissor[2],
                 scissor[3]);
}

/* 64 units move no depth as far as its tolerance, only past an equal one. Mesa's driver moves by two steps a unit, so
 * more of them would differ. llvmpipe's bias of corners of a triangle without an area makes their depth 0. */
static void set_bias(struct draw_maker *maker)
{
   static const int units[] = {-64, 0, 64};
   util_text_add(&maker->text, "%s POLYGON_OFFSET_FILL\nPolygonOffset %d %d\n",
                 draw_chance(maker, 90) ? "Enable" : "Disable", (int)draw_below(maker, 5) - 2,
                 DRAW_CHOOSE(maker, units));
}

static void set_depth(struct draw_maker *maker)
{
   maker->tests_depth = draw_chance(maker, 70);
   util_text_add(&maker->text, "%s DEPTH_TEST\n", maker->tests_depth ? "Enable" : "Disable");
   const bool writes = !maker->clips && !maker->wild && draw_chance(maker, 80);
   util_text_add(&maker->text, "DepthFunc %s\n", DRAW_CHOOSE(maker, comparisons));
   util_text_add(&maker->text, "DepthMask %u\n", writes);
   util_text_add(&maker->text, "%s DEPTH_CLAMP\n", draw_chance(maker, 25) ? "Enable" : "Disable");
   if (maker->ranged) {
      util_text_add(&maker->text, "DepthRangef %.9g %.9g\n", draw_below(maker, 5) / 4.0, draw_below(maker, 5) / 4.0);
   }
   if (!maker->depth_16 && !maker->ranged && (maker->filled || maker->polygons == DRAW_FILLED) &&
       draw_chance(maker, 30)) { /* what 16 bits make of it is not certain */
      set_bias(maker);
   }
}

static void set_stencil(struct draw_maker *maker)
{
   static const char *const operations[] = {"KEEP", "ZERO",   "REPLACE",   "INCR",
                                            "DECR", "INVERT", "INCR_WRAP", "DECR_WRAP"};
   /* llvmpipe tests corners and sides of back polygons as those of front ones. */
   util_text_add(&maker->text, "%s STENCIL_TEST\n",
                 draw_chance(maker, 75) && maker->polygons == DRAW_FILLED ? "Enable" : "Disable");
   for (unsigned i = 0; i < 2; i++) {
      util_text_add(&maker->text, "StencilFuncSeparate %s %s %u %u\n", faces[i],
                    draw_chance(maker, 40) ? "ALWAYS" : DRAW_CHOOSE(maker, comparisons), draw_below(maker, 256),
                    draw_chance(maker, 60) ? 255 : draw_below(maker, 256));
      util_text_add(&maker->text, "StencilOpSeparate %s %s %s %s\n", faces[i], DRAW_CHOOSE(maker, operations),
                    DRAW_CHOOSE(maker, operations), DRAW_CHOOSE(maker, operations));
      util_text_add(&maker->text, "StencilMaskSeparate %s %u\n", faces[i],
                    draw_chance(maker, 60) ? 255 : draw_below(maker, 256));
   }
}

static void set_blend(struct draw_maker *maker, unsigned number)
{
   static const char *const factors[] = {"ZERO",
                                         "ONE",
                                         "SRC_COLOR",
                                         "ONE_MINUS_SRC_COLOR",
                                         "SRC_ALPHA",
                                         "ONE_MINUS_SRC_ALPHA",
                                         "CONSTANT_COLOR",
                                         "ONE_MINUS_CONSTANT_COLOR",
                                         "CONSTANT_ALPHA",
                                         "ONE_MINUS_CONSTANT_ALPHA",
                                         "DST_ALPHA",
                                         "ONE_MINUS_DST_ALPHA",
                                         "DST_COLOR",
                                         "ONE_MINUS_DST_COLOR",
                                         "SRC_ALPHA_SATURATE"};
   /* Products of two colours of the target double what is rounded, at each draw, without an end in floats. */
   const uint32_t target = 10, all = sizeof(factors) / sizeof(factors[0]);
   const uint32_t source = maker->targets[number]->kind == DRAW_FLOAT ? target : all;
   static const char *const equations[] = {"FUNC_ADD", "FUNC_ADD", "FUNC_SUBTRACT", "FUNC_REVERSE_SUBTRACT",
                                           "MIN",      "MAX"};
   util_text_add(&maker->text, "%s BLEND %u\n", draw_chance(maker, 75) ? "Enablei" : "Disablei", number);
   util_text_add(&maker->text, "BlendFuncSeparatei %u %s", number, factors[draw_below(maker, source)]);
   util_text_add(&maker->text, " %s", factors[draw_below(maker, target)]);
   util_text_add(&maker->text, " %s", factors[draw_below(maker, source)]);
   util_text_add(&maker->text, " %s\n", factors[draw_below(maker, target)]);
   util_text_add(&maker->text, "BlendEquationSeparatei %u %s %s\n", number, DRAW_CHOOSE(maker, equations),
                 DRAW_CHOOSE(maker, equations));
   util_text_add(&maker->text, "BlendColor %.9g %.9g %.9g %.9g\n", draw_below(maker, 5) / 4.0,
                 draw_below(maker, 5) / 4.0, draw_below(maker, 5) / 4.0, draw_below(maker, 5) / 4.0);
}

static void set_colours(struct draw_maker *maker)
{
   static const char *const operations[] = {
       "CLEAR", "AND",   "AND_REVERSE", "COPY",       "AND_INVERTED",  "NOOP",        "XOR",  "OR",
       "NOR",   "EQUIV", "INVERT",      "OR_REVERSE", "COPY_INVERTED", "OR_INVERTED", "NAND", "SET"};
   for (unsigned i = 0; i < maker->target_count; i++) {
      const enum draw_kind kind = maker->targets[i]->kind;
      if (maker->blends && kind != DRAW_UINT && kind != DRAW_INT) {
         set_blend(maker, i);
      }
      if (draw_chance(maker, 15)) {
         util_text_add(&maker->text, "ColorMaski %u %u %u %u %u\n", i, draw_below(maker, 2), draw_below(maker, 2),
                       draw_below(maker, 2), draw_below(maker, 2));
      }
   }
   if (maker->logic) {
      util_text_add(&maker->text, "Enable COLOR_LOGIC_OP\nLogicOp %s\n", DRAW_CHOOSE(maker, operations));
   }
   if (draw_chance(maker, 50)) {
      util_text_add(&maker->text, "Enable FRAMEBUFFER_SRGB\n");
   }
}

static void set_samples(struct draw_maker *maker)
{
   if (!maker->writes_depth && draw_chance(maker, 25)) {
      util_text_add(&maker->text, "Enable SAMPLE_MASK\nSampleMaski 0 %u\n", draw_below(maker, 16));
   }
}

void draw_state(struct draw_maker *maker)
{
   if (maker->draws > 1 && draw_chance(maker, 20)) {
      util_text_add(&maker->text, "%s\n", draw_chance(maker, 50) ? "Flush" : "Finish");
   }
   if (draw_chance(maker, 15)) {
      set_viewport(maker);
   }
   set_scissor(maker);
   if (maker->polygons != DRAW_FILLED) {
      maker->filled = draw_chance(maker, 30);
      util_text_add(&maker->text, "PolygonMode FRONT_AND_BACK %s\n",
                    polygon_modes[maker->filled ? DRAW_FILLED : maker->polygons]);
   }
   if (draw_chance(maker, 12)) {
      clear_target(maker, draw_below(maker, maker->target_count));
   }
   if (draw_chance(maker, 8)) {
      clear_depth(maker);
   }
   if (maker->has_depth) {
      set_depth(maker);
   }
   if (maker->has_stencil) {
      set_stencil(maker);
   }
   set_colours(maker);
   if (maker->samples > 1) {
      set_samples(maker);
   }
   if (draw_chance(maker, 25)) {
      util_text_add(&maker->text, "Enable CULL_FACE\nCullFace %s\n",
                    draw_chance(maker, 90) ? faces[draw_below(maker, 2)] : faces[2]);
   }
   if (draw_chance(maker, 25)) {
      util_text_add(&maker->text, "FrontFace %s\n", draw_chance(maker, 50) ? "CW" : "CCW");
   }
   if (draw_chance(maker, 30)) {
      maker->first_vertex = draw_chance(maker, 50);
      util_text_add(&maker->text, "ProvokingVertex %s_VERTEX_CONVENTION\n", maker->first_vertex ? "FIRST" : "LAST");
   }
   if (draw_chance(maker, 2)) {
      util_text_add(&maker->text, "Enable RASTERIZER_DISCARD\n");
   }
   util_text_add(&maker->text, "uniform %d %d %d %d\n", (int)draw_below(maker, 2000) - 1000, (int)draw_below(maker, 64),
                 (int)draw_below(maker, 9) - 4, (int)draw_below(maker, 2147483647));
}
