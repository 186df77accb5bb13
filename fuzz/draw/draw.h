/* SPDX-License-Identifier: MIT
 *
 * Scenes: what an OpenGL driver is to draw, as text of which each line stands for itself. drivers/host/opengl_draw.c
 * draws one:
 *
 *    size WIDTH HEIGHT SAMPLES
 *    target NUMBER FORMAT TOLERANCE      a renderbuffer; how far floats may differ, of the larger number or of 1
 *    depth FORMAT TOLERANCE
 *    spare N                             so many pixels of each target may differ in any way
 *    texture FORMAT WIDTH HEIGHT LEVELS  at unit 0; its texels follow from their places
 *    v TEXT, f TEXT                      a line of the vertex shader, of the fragment shader
 *    vertex X Y Z W I J U V              attributes: a vec4, an ivec2 and a vec2
 *    index NUMBER...                     of `index_bytes N` each
 *    uniform I J K L                     the ivec4 u
 *    draw MODE FIRST COUNT INSTANCES BASE INDEXED
 *    Scissor 3 4 10 20                   any other word: a call of OpenGL, with constants by their names
 *
 * The viewport is the whole target where no line sets it.
 *
 * Invariant of what is generated: the API determines each value that is compared, up to the tolerance. So no vertex
 * lies where an edge passes a sample at a right angle, nothing random decides on an interpolated number, and what
 * OpenGL leaves to implementations (the ends of lines, levels of detail, samples that integers are resolved to,
 * centroids) is left out. Where planes clip triangles, their new corners are rounded as each rasteriser does it: such
 * scenes have spare pixels, and write no depth.
 */
#ifndef AGX_RUNNER_FUZZ_DRAW_DRAW_H
#define AGX_RUNNER_FUZZ_DRAW_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "fuzz/nir/program.h"
#include "util/random.h"
#include "util/text.h"

#define DRAW_TEXT 49152u
#define DRAW_TARGETS 3u
#define DRAW_CHANNELS 4u

struct draw_scene {
   uint32_t lines, length; /* of the text */
   char text[DRAW_TEXT];
};

enum draw_polygons { DRAW_FILLED, DRAW_CORNERS, DRAW_EDGES }; /* glPolygonMode */
enum draw_kind { DRAW_UNORM, DRAW_SRGB, DRAW_FLOAT, DRAW_UINT, DRAW_INT };
struct draw_format {
   const char *name;
   enum draw_kind kind;
   uint8_t bits[DRAW_CHANNELS]; /* that each channel holds exactly of an integer; 0: it has no such channel */
};

/* What is known of a scene while it is made. */
struct draw_maker {
   struct util_random random;
   struct util_text text;
   uint32_t width, height, samples;
   uint32_t target_count;
   const struct draw_format *targets[DRAW_TARGETS];
   bool smooth[DRAW_TARGETS]; /* the target gets interpolated numbers */
   bool blends, logic;
   const char *depth; /* NULL: none */
   bool has_depth, has_stencil, depth_16;
   bool texture, integer_texture, clips, perspective, sample_shading;
   bool early;        /* fragment tests: queries then count what is discarded, which llvmpipe does not do */
   bool writes_depth; /* gl_FragDepth: not beside GL_SAMPLE_MASK (F46 of docs/mesa-bugs.md) */
   bool ranged; /* DepthRangef: not beside gl_FragDepth and depth bias, which hardware clamps to it, nor 16 bits */
   bool first_vertex;           /* is the provoking one: not of all fans (F45 and F49 of docs/mesa-bugs.md) */
   bool points;                 /* all draws are of points: else their coordinates are undefined */
   bool wild;                   /* vertices lie outside the viewport, too */
   enum draw_polygons polygons; /* of the draws that are not filled */
   bool filled;                 /* the next draw is */
   uint32_t draws, vertices, indices, index_bytes, queries;
   int32_t restart; /* an index; -1: none */
   int32_t viewport[4], scissor[4];
   bool scissored, tests_depth;
   bool upside_down; /* window coordinates: llvmpipe then draws a row of a point's pixels outside the scissor */
};

static inline uint32_t draw_below(struct draw_maker *maker, uint32_t bound)
{
   return util_random_below(&maker->random, bound);
}

static inline bool draw_chance(struct draw_maker *maker, uint32_t percent)
{
   return util_random_chance(&maker->random, percent);
}

#define DRAW_CHOOSE(maker, list) (list)[draw_below(maker, sizeof(list) / sizeof((list)[0]))]

/* Both shaders. */
void draw_shaders(struct draw_maker *maker);
/* Calls that set state for the next draw; what is cleared before all draws. */
void draw_clears(struct draw_maker *maker);
void draw_state(struct draw_maker *maker);
/* Vertices, indices, and the draw of them. */
void draw_shape(struct draw_maker *maker);

void draw_generate(struct draw_scene *scene, uint64_t seed);
/* Leaves lines out for as long as the scene fails. */
void draw_shrink(void *program, const struct fuzz_difference *difference, fuzz_fails *fails, void *data);

#endif
