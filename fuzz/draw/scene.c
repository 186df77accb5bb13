/* SPDX-License-Identifier: MIT
 *
 * A scene as a whole: its targets and how far they may differ, then draws with state between them. Invariant: the scene
 * follows from the seed alone.
 */
#include "fuzz/draw/draw.h"

#include <string.h>

/* Targets of several samples are resolved, which OpenGL leaves open for integers and for sRGB: these stand behind. */
static const struct draw_format formats[] = {
    {"RGBA8", DRAW_UNORM, {8, 8, 8, 8}},
    {"RGBA8", DRAW_UNORM, {8, 8, 8, 8}},
    {"R8", DRAW_UNORM, {8}},
    {"RG8", DRAW_UNORM, {8, 8}},
    {"RGB10_A2", DRAW_UNORM, {10, 10, 10, 2}},
    {"RGBA16", DRAW_UNORM, {16, 16, 16, 16}},
    {"RGB565", DRAW_UNORM, {5, 6, 5}},
    {"RGBA4", DRAW_UNORM, {4, 4, 4, 4}},
    {"RGB5_A1", DRAW_UNORM, {5, 5, 5, 1}},
    {"RGBA16F", DRAW_FLOAT, {10, 10, 10, 10}},
    {"R16F", DRAW_FLOAT, {10}},
    {"R32F", DRAW_FLOAT, {16}},
    {"RGBA32F", DRAW_FLOAT, {16, 16, 16, 16}},
    {"R11F_G11F_B10F", DRAW_FLOAT, {5, 5, 4}},
    {"SRGB8_ALPHA8", DRAW_SRGB, {8, 8, 8, 8}},
    {"RGBA8UI", DRAW_UINT, {8, 8, 8, 8}},
    {"RGBA16UI", DRAW_UINT, {16, 16, 16, 16}},
    {"R32UI", DRAW_UINT, {32}},
    {"RGBA32UI", DRAW_UINT, {32, 32, 32, 32}},
    {"RGBA32UI", DRAW_UINT, {32, 32, 32, 32}},
    {"RGB10_A2UI", DRAW_UINT, {10, 10, 10, 2}},
    {"RG8UI", DRAW_UINT, {8, 8}},
    {"RGBA8I", DRAW_INT, {7, 7, 7, 7}},
    {"RGBA16I", DRAW_INT, {15, 15, 15, 15}},
    {"RGBA32I", DRAW_INT, {32, 32, 32, 32}},
    {"R32I", DRAW_INT, {32}},
};
#define FORMATS_OF_SAMPLES 14u

static const struct {
   const char *name;
   bool depth, stencil;
} depths[] = {{"DEPTH24_STENCIL8", true, true},   {"DEPTH32F_STENCIL8", true, true},
              {"DEPTH_COMPONENT16", true, false}, {"DEPTH_COMPONENT32F", true, false},
              {"DEPTH_COMPONENT24", true, false}, {"STENCIL_INDEX8", false, true}};

/* The step of the coarsest channel. An alpha of one or two bits counts where `all` channels are computed. */
static double step_of(const struct draw_format *format, bool all)
{
   double step = 0;
   for (unsigned i = 0; i < (all ? DRAW_CHANNELS : 3); i++) {
      const double one = format->bits[i] != 0 ? 1.0 / (double)((1u << format->bits[i]) - 1) : 0;
      step = format->bits[i] < 32 && one > step ? one : step;
   }
   return step;
}

/* Integers are exact. A number that is a multiple of the format's step is, too, until it is blended or averaged. An
 * interpolated one is right within 1/128, which is more than what any driver's reciprocals and sines make. */
static double tolerance(const struct draw_maker *maker, unsigned number)
{
   const struct draw_format *format = maker->targets[number];
   const double step = step_of(format, maker->blends || maker->samples > 1) * 1.01;
   double most = 1e-6; /* OpenGL reads them as floats */
   if (format->kind == DRAW_UINT || format->kind == DRAW_INT) {
      return 0;
   }
   most += maker->smooth[number] ? 1.0 / 128 + step : 0;
   most += maker->blends ? step * 2 * (1 + maker->draws) : 0; /* a draw covers a pixel several times */
   most += maker->samples > 1 ? step : 0;
   most += format->kind != DRAW_SRGB ? 0 : maker->blends ? 16 * step : 2 * step; /* dark steps are 13 times as wide */
   return most;
}

static void choose_targets(struct draw_maker *maker)
{
   const unsigned choice = sizeof(formats) / sizeof(formats[0]);
   maker->samples = draw_chance(maker, 25) ? 4 : 1;
   maker->target_count = draw_chance(maker, 60) ? 1 : 1 + draw_below(maker, DRAW_TARGETS);
   for (unsigned i = 0; i < maker->target_count; i++) {
      maker->targets[i] = &formats[draw_below(maker, maker->samples > 1 ? FORMATS_OF_SAMPLES : choice)];
   }
   maker->logic = draw_chance(maker, 12);
   /* llvmpipe's logic operations on RGB10_A2UI are wrong, and Mesa's on short integers with a sign (F42). */
   for (unsigned i = 0; i < maker->target_count; i++) {
      const struct draw_format *format = maker->targets[i];
      maker->logic &= strcmp(format->name, "RGB10_A2UI") != 0 && (format->kind != DRAW_INT || format->bits[0] == 32);
   }
   maker->blends = !maker->logic && draw_chance(maker, 35);
   for (unsigned i = 0; i < maker->target_count; i++) {
      const enum draw_kind kind = maker->targets[i]->kind;
      maker->smooth[i] = kind != DRAW_UINT && kind != DRAW_INT && !maker->logic && draw_chance(maker, 55);
   }
   if (draw_chance(maker, 75)) {
      const unsigned depth = draw_below(maker, sizeof(depths) / sizeof(depths[0]));
      maker->depth = depths[depth].name;
      maker->has_depth = depths[depth].depth;
      maker->depth_16 = strcmp(maker->depth, "DEPTH_COMPONENT16") == 0;
      maker->has_stencil = depths[depth].stencil;
   }
}

static void write_sampling(struct draw_maker *maker)
{
   static const char *const wraps[] = {"REPEAT", "MIRRORED_REPEAT", "CLAMP_TO_EDGE", "CLAMP_TO_BORDER",
                                       "MIRROR_CLAMP_TO_EDGE"};
   static const char *const channels[] = {"RED", "GREEN", "BLUE", "ALPHA", "ZERO", "ONE"};
   util_text_add(&maker->text, "TexParameteri TEXTURE_2D TEXTURE_MIN_FILTER NEAREST_MIPMAP_NEAREST\n"
                               "TexParameteri TEXTURE_2D TEXTURE_MAG_FILTER NEAREST\n");
   util_text_add(&maker->text, "TexParameteri TEXTURE_2D TEXTURE_WRAP_S %s\n", DRAW_CHOOSE(maker, wraps));
   util_text_add(&maker->text, "TexParameteri TEXTURE_2D TEXTURE_WRAP_T %s\n", DRAW_CHOOSE(maker, wraps));
   if (draw_chance(maker, 30)) {
      util_text_add(&maker->text, "TexParameteri TEXTURE_2D TEXTURE_SWIZZLE_%c %s\n", "RGBA"[draw_below(maker, 4)],
                    DRAW_CHOOSE(maker, channels));
   }
}

static void write_targets(struct draw_maker *maker)
{
   util_text_add(&maker->text, "size %u %u %u\n", maker->width, maker->height, maker->samples);
   for (unsigned i = 0; i < maker->target_count; i++) {
      util_text_add(&maker->text, "target %u %s %.6g\n", i, maker->targets[i]->name, tolerance(maker, i));
   }
   if (maker->depth != NULL) {
      util_text_add(&maker->text, "depth %s 0.0001\n", maker->depth);
   }
   if (maker->polygons == DRAW_EDGES) {
      util_text_add(&maker->text, "spare %u\n", maker->width * maker->height / 16);
   }
   if (maker->clips || maker->wild) {
      util_text_add(&maker->text, "spare %u\n", maker->width * maker->height / (maker->samples > 1 ? 24 : 64));
   }
   if (maker->texture) {
      static const char *const kinds[] = {"RGBA8", "R8", "RG8", "RGBA8_SNORM", "SRGB8_ALPHA8"};
      util_text_add(&maker->text, "texture %s %u %u %u\n",
                    maker->integer_texture ? "RGBA8UI" : DRAW_CHOOSE(maker, kinds), 8u << draw_below(maker, 3),
                    8u << draw_below(maker, 3), 1 + draw_below(maker, 3));
      write_sampling(maker);
   }
}

void draw_generate(struct draw_scene *scene, uint64_t seed)
{
   static const uint32_t sizes[] = {16, 33, 40, 64, 75, 100};
   struct draw_maker maker = {.random = {seed}, .text = {scene->text, sizeof(scene->text), 0}, .restart = -1};
   scene->text[0] = '\0';
   maker.width = DRAW_CHOOSE(&maker, sizes);
   maker.height = DRAW_CHOOSE(&maker, sizes);
   choose_targets(&maker);
   maker.draws = 1 + draw_below(&maker, 5);
   maker.texture = draw_chance(&maker, 35);
   maker.integer_texture = maker.texture && draw_chance(&maker, 40);
   maker.clips = draw_chance(&maker, 12);
   maker.wild = draw_chance(&maker, 12);
   maker.early = draw_chance(&maker, 10);
   maker.ranged = !maker.depth_16 && draw_chance(&maker, 20);
   maker.perspective = draw_chance(&maker, 40);
   maker.sample_shading = maker.samples > 1 && draw_chance(&maker, 20);
   maker.points = !maker.clips && !maker.wild && !maker.sample_shading && draw_chance(&maker, 8);
   if (!maker.clips && !maker.wild && !maker.points && draw_chance(&maker, 20)) {
      maker.polygons = maker.samples == 1 && draw_chance(&maker, 40) ? DRAW_EDGES : DRAW_CORNERS;
   }
   maker.index_bytes = 1u << draw_below(&maker, 3);
   write_targets(&maker);
   util_text_add(&maker.text, "index_bytes %u\n", maker.index_bytes);
   draw_shaders(&maker);
   draw_clears(&maker);
   for (uint32_t i = 0; i < maker.draws; i++) {
      draw_state(&maker);
      draw_shape(&maker);
   }
   scene->length = (uint32_t)maker.text.length;
   scene->lines = 0;
   for (uint32_t i = 0; i < scene->length; i++) {
      scene->lines += scene->text[i] == '\n';
   }
}
