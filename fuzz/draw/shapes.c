/* SPDX-License-Identifier: MIT
 *
 * Vertices and draws. Invariant: window coordinates are odd multiples of 1/16, and what a viewport or a w makes of them
 * is exact, so that all rasterisers see the same triangles.
 */
#include "fuzz/draw/draw.h"

#include <string.h>

#define MOST_VERTICES 16u

struct shape {
   const char *mode;
   uint32_t first, count; /* of its vertices */
   int32_t depth;         /* in 64ths */
   bool slopes;
   uint32_t instances; /* each a bit further to the right and up: the vertex shader moves it */
};

/* A place along one axis in pixels, `border` of them from the edge of the viewport. */
static double place(struct draw_maker *maker, const struct shape *shape, uint32_t size, uint32_t border)
{
   const uint32_t room = shape->instances > 1 ? size * 5 / 8 : size;
   const double at = border + draw_below(maker, room - 2 * border) + (1 + 2 * draw_below(maker, 8)) / 16.0;
   return maker->wild ? at * 2 - size / 2.0 - 1 / 16.0 : at;
}

static double to_clip(double pixels, int32_t size)
{
   return pixels / (size / 2.0) - 1;
}

static void write_vertex(struct draw_maker *maker, const struct shape *shape, double x, double y)
{
   static const double ws[] = {1, 1, 2, 0.5, 4};
   static const double clips[] = {-1, 1, 1, 3};
   const double w = maker->perspective ? DRAW_CHOOSE(maker, ws) : 1;
   /* Depths that lie apart from all others and from what is cleared, half a step of 16 bits among them: 0.0071 is no
    * sum of their values. */
   const bool apart = shape->slopes || maker->depth_16 || maker->clips || maker->wild;
   const double z = shape->depth / 64.0 + (apart ? 0.0071 : 0) + (shape->slopes ? draw_below(maker, 16) / 128.0 : 0);
   const double u = maker->clips ? DRAW_CHOOSE(maker, clips) : draw_below(maker, 17) / 16.0;
   const double v = maker->clips ? DRAW_CHOOSE(maker, clips) : draw_below(maker, 17) / 16.0;
   util_text_add(&maker->text, "vertex %.9g %.9g %.9g %.9g %d %d %.9g %.9g\n", to_clip(x, maker->viewport[2]) * w,
                 to_clip(y, maker->viewport[3]) * w, z * w, w, (int)draw_below(maker, 100000) - 50000,
                 (int)draw_below(maker, 256), u, v);
   maker->vertices++;
}

/* Vertices anywhere. */
static void scatter(struct draw_maker *maker, struct shape *shape, uint32_t border)
{
   for (uint32_t i = 0; i < shape->count; i++) {
      const double x = place(maker, shape, (uint32_t)maker->viewport[2], border);
      write_vertex(maker, shape, x, place(maker, shape, (uint32_t)maker->viewport[3], border));
   }
}

/* A strip of two triangles that form a rectangle. */
static void rectangle(struct draw_maker *maker, struct shape *shape)
{
   const double x[2] = {place(maker, shape, (uint32_t)maker->viewport[2], 0),
                        place(maker, shape, (uint32_t)maker->viewport[2], 0)};
   const double y[2] = {place(maker, shape, (uint32_t)maker->viewport[3], 0),
                        place(maker, shape, (uint32_t)maker->viewport[3], 0)};
   shape->mode = "TRIANGLE_STRIP";
   shape->count = 4;
   for (unsigned i = 0; i < 4; i++) {
      write_vertex(maker, shape, x[i & 1], y[i >> 1]);
   }
}

/* Along an axis, from one side of the scissor to the other: which pixels a line ends with is left to implementations.
 */
static void lines(struct draw_maker *maker, struct shape *shape)
{
   const int32_t *scissor = maker->scissor, *viewport = maker->viewport;
   shape->mode = "LINES";
   for (uint32_t i = 0; i < shape->count / 2; i++) {
      const unsigned along = draw_below(maker, 2), across = 1 - along;
      double ends[2][2];
      ends[0][along] = scissor[along] - viewport[along] - 1 - 3 / 16.0;
      ends[1][along] = scissor[along] - viewport[along] + scissor[2 + along] + 1 + 3 / 16.0;
      ends[0][across] = ends[1][across] = draw_below(maker, (uint32_t)viewport[2 + across]) + 9 / 16.0;
      for (unsigned end = 0; end < 2; end++) {
         write_vertex(maker, shape, ends[end][0], ends[end][1]);
      }
   }
   shape->count &= ~1u;
}

static bool draws_corners(const struct draw_maker *maker)
{
   return maker->polygons == DRAW_CORNERS && !maker->filled;
}

static void make_vertices(struct draw_maker *maker, struct shape *shape)
{
   static const char *const modes[] = {"TRIANGLES", "TRIANGLE_STRIP", "TRIANGLE_FAN", "TRIANGLES"};
   const bool one_sample = maker->samples == 1 && maker->scissored;
   shape->first = maker->vertices;
   shape->count = 3 + draw_below(maker, MOST_VERTICES - 3);
   const bool upright = !maker->clips && !maker->wild && !maker->upside_down;
   if (one_sample && !maker->points && upright && shape->instances == 1 && draw_chance(maker, 15)) {
      lines(maker, shape);
   } else if (maker->points || (upright && draw_chance(maker, 10))) {
      shape->mode = "POINTS";
      shape->instances = 1; /* inside the viewport, since drivers differ in what they clip of points */
      scatter(maker, shape, 5);
   } else if (draw_chance(maker, 25) && !draws_corners(maker)) {
      rectangle(maker, shape);
   } else {
      shape->mode = DRAW_CHOOSE(maker, modes);
      if (maker->first_vertex && maker->clips && strcmp(shape->mode, "TRIANGLE_FAN") == 0) {
         shape->mode = "TRIANGLE_STRIP"; /* F49 of docs/mesa-bugs.md */
      }
      shape->instances = maker->first_vertex && strcmp(shape->mode, "TRIANGLE_FAN") == 0 ? 1 : shape->instances;
      shape->instances = draws_corners(maker) ? 1 : shape->instances;
      scatter(maker, shape, draws_corners(maker) ? 5 : 0);
   }
}

/* Indices of the shape's vertices, each at least once on average, some of which restart. Returns how many. Those of
 * lines are their vertices in order: lines between any two would end inside the scissor, and not along an axis. So are
 * those of slopes: which of two triangles in one plane is in front is a matter of rounding.
 */
static uint32_t make_indices(struct draw_maker *maker, const struct shape *shape, int32_t base)
{
   const bool are_lines = shape->mode[0] == 'L';
   const uint32_t count = shape->count + (are_lines || shape->slopes ? 0 : draw_below(maker, shape->count));
   util_text_add(&maker->text, "index");
   for (uint32_t i = 0; i < count; i++) {
      const bool restarts = !are_lines && maker->restart >= 0 && i % 8 != 0 && draw_chance(maker, 12);
      if (i > 0 && i % 16 == 0) {
         util_text_add(&maker->text, "\nindex");
      }
      const int32_t index = (int32_t)(shape->first + (i < shape->count ? i : draw_below(maker, shape->count))) - base;
      util_text_add(&maker->text, " %d", restarts ? maker->restart : index);
   }
   util_text_add(&maker->text, "\n");
   return count;
}

static void set_restart(struct draw_maker *maker)
{
   static const int32_t largest[] = {0, 255, 65535, 0, -1};
   maker->restart = -1;
   util_text_add(&maker->text, "Disable PRIMITIVE_RESTART\nDisable PRIMITIVE_RESTART_FIXED_INDEX\n");
   if (draw_chance(maker, 40) && maker->index_bytes < 4 && draw_chance(maker, 50)) {
      maker->restart = largest[maker->index_bytes];
      util_text_add(&maker->text, "Enable PRIMITIVE_RESTART_FIXED_INDEX\n");
   } else if (draw_chance(maker, 40)) {
      maker->restart = 200 + (int32_t)draw_below(maker, 50);
      util_text_add(&maker->text, "Enable PRIMITIVE_RESTART\nPrimitiveRestartIndex %d\n", maker->restart);
   }
}

static void set_points(struct draw_maker *maker, const struct shape *shape)
{
   if (shape->mode[0] == 'P' || draws_corners(maker)) {
      util_text_add(&maker->text, "%s PROGRAM_POINT_SIZE\nPointSize %u\n",
                    draw_chance(maker, 60) ? "Enable" : "Disable", 1 + draw_below(maker, 9));
      if (draw_chance(maker, 40)) {
         util_text_add(&maker->text, "PointParameteri POINT_SPRITE_COORD_ORIGIN %s\n",
                       draw_chance(maker, 50) ? "UPPER_LEFT" : "LOWER_LEFT");
      }
   }
}

void draw_shape(struct draw_maker *maker)
{
   struct shape shape = {.depth = (int32_t)draw_below(maker, 121) - 60};
   const bool indexed = draw_chance(maker, 45) && maker->vertices < 180,
              asks = maker->queries < 4 && !maker->early && maker->polygons != DRAW_EDGES && draw_chance(maker, 20);
   shape.instances = draw_chance(maker, 25) ? 2 + draw_below(maker, 3) : 1;
   shape.depth = draw_chance(maker, 6) ? (draw_chance(maker, 50) ? 80 : -80) : shape.depth;
   shape.slopes = draw_chance(maker, 25) && !maker->depth_16 && shape.depth < 48 && shape.depth > -48;
   shape.instances = shape.slopes ? 1 : shape.instances; /* one's plane may be another one's */
   make_vertices(maker, &shape);
   set_points(maker, &shape);
   const char *query = draw_chance(maker, 70) ? "SAMPLES_PASSED" : "ANY_SAMPLES_PASSED";
   if (asks) {
      util_text_add(&maker->text, "BeginQuery %s %u\n", query, maker->queries++);
   }
   if (indexed) {
      const int32_t base = shape.first != 0 && draw_chance(maker, 40) ? (int32_t)draw_below(maker, shape.first + 1) : 0;
      const uint32_t first = maker->indices;
      set_restart(maker);
      const uint32_t count = make_indices(maker, &shape, base);
      util_text_add(&maker->text, "draw %s %u %u %u %d 1\n", shape.mode, first, count, shape.instances, base);
      maker->indices += count;
   } else {
      util_text_add(&maker->text, "draw %s %u %u %u 0 0\n", shape.mode, shape.first, shape.count, shape.instances);
   }
   if (asks) {
      util_text_add(&maker->text, "EndQuery %s\n", query);
   }
}
