/* SPDX-License-Identifier: MIT
 *
 * Shaders: integers a, b, c, d that follow from flat values alone and decide everything, and numbers s, t, q between 0
 * and 1 or so that follow from interpolated ones and decide nothing. Invariant: each line of a body stands for itself.
 */
#include "fuzz/draw/draw.h"

#include <string.h>

/* $ is one of the integers, # a constant, @ an integer that is used as an index or a count. */
static const char *const whole_lines[] = {
    "$ += $;",
    "$ ^= $;",
    "$ = $ - $;",
    "$ = $ * $;",
    "$ &= $ | #;",
    "$ |= $ & #;",
    "$ = ~$ + #;",
    "$ = $ << ($ & 7);",
    "$ = $ >> ($ & 15);",
    "$ = int(uint($) >> uint($ & 31));",
    "$ = min($, $);",
    "$ = max($, $);",
    "$ = abs($ >> 1);",
    "$ += sign($);",
    "$ = bitCount($);",
    "$ ^= bitfieldReverse($);",
    "$ += findMSB($);",
    "$ += findLSB($ | #);",
    "$ = bitfieldExtract($, 3, 9);",
    "$ = bitfieldInsert($, $, 5, 7);",
    "$ = $ < $ ? $ : $;",
    "$ = $ == $ ? # : $;",
    "$ = int(uint($) / uint(($ & 15) + 1));",
    "$ = int(uint($) % uint(($ & 31) + 1));",
    "$ = $ / 7;",
    "$ += $ * 5;",
    "if ($ > $) { $ += $; } else { $ ^= #; }",
    "if (($ & 3) == 1) $ -= $;",
    "for (int i = 0; i < ($ & 7); i++) { $ = $ * 3 + i; }",
    "for (int i = 0; i < 5; i++) { if ((($ >> i) & 1) == 0) $ += #; }",
    "switch ($ & 3) { case 0: $ += #; break; case 1: $ = ~$; break; default: $ ^= $; }",
    "{ int many[4] = int[4](a, b, c, d); $ ^= many[$ & 3]; }",
    "{ int some[3]; some[0] = a; some[1] = b; some[2] = #; $ += some[int(uint($) % 3u)]; }",
    "$ += int(u.x) ^ u[$ & 3];",
    "{ ivec3 w = ivec3($, $, $).zxy; $ = w.x + w.y * #; }",
    "$ = floatBitsToInt(intBitsToFloat(($ & 0x7fffff) | 0x3f800000));",
    "$ += int(float($ & 1023) * 0.5);",
    "$ = any(equal(ivec2($ & 1, $ & 1), ivec2(1, 0))) ? $ : #;"};
static const char *const number_lines[] = {"! = ! * !;",
                                           "! = 1.0 - !;",
                                           "! = (! + !) * 0.5;",
                                           "! = mix(!, !, !);",
                                           "! = max(!, !);",
                                           "! = min(!, !);",
                                           "! = clamp(!, 0.25, 0.75);",
                                           "! = sqrt(abs(!) * 0.5 + 0.25);",
                                           "! = sin(!);",
                                           "! = exp2(! - 1.0);",
                                           "! = ! * 0.5 + float($ & 15) * 0.03125;",
                                           "! = dot(vec2(!, !), vec2(0.5, 0.25));",
                                           "! = ($ & 1) == 0 ? ! : !;",
                                           "! = 1.0 / (1.0 + abs(!));",
                                           "! = smoothstep(-0.5, 1.5, !);",
                                           "if (($ & 7) < 3) ! = !;",
                                           "! = inversesqrt(abs(!) + 1.0);"};

static void write_line(struct draw_maker *maker, char shader, const char *line)
{
   static const char wholes[] = "abcd", numbers[] = "stq";
   util_text_add(&maker->text, "%c    ", shader);
   for (const char *at = line; *at != '\0'; at++) {
      if (*at == '#') {
         util_text_add(&maker->text, "%u", draw_below(maker, 1u << draw_below(maker, 20)));
      } else {
         util_text_add(&maker->text, "%c",
                       *at == '$'   ? wholes[draw_below(maker, 4)]
                       : *at == '!' ? numbers[draw_below(maker, 3)]
                                    : *at);
      }
   }
   util_text_add(&maker->text, "\n");
}

static void write_body(struct draw_maker *maker, char shader, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++) {
      write_line(maker, shader, DRAW_CHOOSE(maker, whole_lines));
   }
}

/* The last line is one, so that no smaller scene leaves an output undefined. */
static void write_vertex_shader(struct draw_maker *maker, const char *quality)
{
   struct util_text *text = &maker->text;
   util_text_add(text, "v #version 450 core\nv layout(location = 0) in vec4 at;\nv layout(location = 1) in ivec2 ij;\n"
                       "v layout(location = 2) in vec2 uv;\nv uniform ivec4 u;\nv flat out ivec4 whole;\n");
   util_text_add(text, "v %s out vec4 number;\n%sv void main() {\n", quality,
                 maker->clips ? "v out float gl_ClipDistance[1];\n" : "");
   util_text_add(text, "v    int a = ij.x, b = ij.y, c = gl_VertexID, d = gl_InstanceID;\n");
   write_body(maker, 'v', draw_below(maker, 6));
   util_text_add(text,
                 "v    gl_Position = at + vec4(0.25, 0.125, 0.03125, 0) * float(gl_InstanceID) * at.w; "
                 "gl_PointSize = float((b & 7) + 1); whole = ivec4(a, b, c, d); "
                 "number = vec4(uv, 1.0 - uv.x * uv.y, float(d & 3) * 0.25);%s }\n",
                 maker->clips ? " gl_ClipDistance[0] = uv.x;" : "");
}

/* What an output gets: exact values of the format, or interpolated ones. */
static void write_output(struct draw_maker *maker, unsigned number)
{
   const struct draw_format *format = maker->targets[number];
   const bool whole = format->kind == DRAW_UINT || format->kind == DRAW_INT;
   static const char wholes[] = "abcd", numbers[] = "stq";
   util_text_add(&maker->text, " o%u = %s(", number,
                 format->kind == DRAW_UINT  ? "uvec4"
                 : format->kind == DRAW_INT ? "ivec4"
                                            : "vec4");
   for (unsigned i = 0; i < DRAW_CHANNELS; i++) {
      const uint32_t bits = format->bits[i] != 0 ? format->bits[i] : 1, most = (uint32_t)((UINT64_C(1) << bits) - 1);
      const char from = wholes[draw_below(maker, 4)];
      util_text_add(&maker->text, "%s", i > 0 ? ", " : "");
      if (whole && bits == 32) {
         util_text_add(&maker->text, "%c", from);
      } else if (whole) {
         util_text_add(&maker->text, "%c & %u", from, most);
      } else if (maker->smooth[number] && (bits > 2 || format->bits[i] == 0) && draw_chance(maker, 70)) {
         util_text_add(&maker->text, "%c", numbers[draw_below(maker, 3)]);
      } else if (format->kind == DRAW_FLOAT && !maker->blends) {
         util_text_add(&maker->text, "float(%c & %u)", from, most);
      } else if (format->kind == DRAW_FLOAT) {
         util_text_add(&maker->text, "float(%c & 15) * 0.0625", from);
      } else {
         util_text_add(&maker->text, "float(%c & %u) / %u.0", from, most, most);
      }
   }
   util_text_add(&maker->text, ");");
}

static void write_texture(struct draw_maker *maker)
{
   static const char *const whole[] = {
       "a ^= int(texelFetch(image, ivec2(b & 7, c & 7), 0).x);",
       "d += int(textureLod(image, (vec2(ivec2(a & 31, b & 31)) + 0.25) * 0.0625, float(c & 1)).w);",
       "c += textureSize(image, 0).x;"};
   static const char *const number[] = {
       "s = texelFetch(image, ivec2(b & 7, c & 7), 0).x;",
       "q = textureLod(image, (vec2(ivec2(a & 31, b & 31) - 8) + 0.25) * 0.0625, 0.0).x;",
       "s = textureGather(image, vec2(float(c & 15) * 0.0625 + 0.03, 0.53)).y;"};
   util_text_add(&maker->text, "f    %s\n",
                 maker->integer_texture ? DRAW_CHOOSE(maker, whole) : DRAW_CHOOSE(maker, number));
}

static void write_fragment_shader(struct draw_maker *maker, const char *quality)
{
   static const char *const types[] = {"vec4", "vec4", "vec4", "uvec4", "ivec4"};
   struct util_text *text = &maker->text;
   const bool discards = !maker->sample_shading && draw_chance(maker, 25);
   util_text_add(text, "f #version 450 core\n");
   util_text_add(text, maker->early ? "f layout(early_fragment_tests) in;\n" : "");
   util_text_add(text, "f uniform ivec4 u;\nf flat in ivec4 whole;\nf %s in vec4 number;\n", quality);
   if (maker->texture) {
      util_text_add(text, "f layout(binding = 0) uniform %s image;\n",
                    maker->integer_texture ? "usampler2D" : "sampler2D");
   }
   for (unsigned i = 0; i < maker->target_count; i++) {
      util_text_add(text, "f layout(location = %u) out %s o%u;\n", i, types[maker->targets[i]->kind], i);
   }
   util_text_add(text, "f void main() {\nf    int a = whole.x, b = whole.y, c = whole.z ^ int(gl_FragCoord.x), d = "
                       "whole.w + int(gl_FragCoord.y);\n"
                       "f    float s = number.x, t = number.y, q = number.z + number.w;\n");
   util_text_add(text, draw_chance(maker, 50) ? "f    b ^= gl_PrimitiveID << 3;\n" : "");
   util_text_add(text, draw_chance(maker, 50) ? "f    d += gl_FrontFacing ? 64 : 0;\n" : "");
   if (maker->points) { /* y needs x: F48 of docs/mesa-bugs.md */
      util_text_add(text, "f    s = gl_PointCoord.x; q = gl_PointCoord.y + gl_PointCoord.x * 0.125;\n");
   }
   util_text_add(text, maker->sample_shading ? "f    a += gl_SampleID * 37;\n" : "");
   write_body(maker, 'f', 1 + draw_below(maker, 10));
   if (maker->texture) {
      write_texture(maker);
   }
   if (draw_chance(maker, 60)) {
      for (uint32_t i = draw_below(maker, 4); i > 0; i--) {
         write_line(maker, 'f', DRAW_CHOOSE(maker, number_lines));
      }
   }
   if (discards) {
      util_text_add(text, "f    if (((%c ^ %c) & 3) == %u) discard;\n", "abcd"[draw_below(maker, 4)],
                    "abcd"[draw_below(maker, 4)], draw_below(maker, 4));
   }
   if (maker->has_depth && !maker->ranged && draw_chance(maker, 12)) {
      maker->writes_depth = true;
      util_text_add(text, "f    gl_FragDepth = float((c + d) & 63) / 64.0;\n");
   }
   if (maker->samples > 1 && !maker->sample_shading && draw_chance(maker, 15)) {
      util_text_add(text, "f    gl_SampleMask[0] = %c;\n", "abcd"[draw_below(maker, 4)]);
   }
   util_text_add(text, "f   "); /* one line, for the same reason */
   for (unsigned i = 0; i < maker->target_count; i++) {
      write_output(maker, i);
   }
   util_text_add(text, " }\n");
}

void draw_shaders(struct draw_maker *maker)
{
   const char *quality = !maker->wild && !maker->clips && draw_chance(maker, 30) ? "noperspective" : "smooth";
   write_vertex_shader(maker, quality);
   write_fragment_shader(maker, quality);
}
