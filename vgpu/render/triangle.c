/* SPDX-License-Identifier: MIT
 *
 * From a triangle's corners to triangles on the screen: culling, clipping, viewport, fixed point. A triangle is clipped
 * in homogeneous coordinates; the polygon that is left becomes a fan of triangles that share their edges' points, so
 * that no pixel is lost or drawn twice.
 */
#include <math.h>
#include <string.h>

#include "vgpu/render/pass.h"
#include "util/array.h"

#define MOST_POINTS 24u   /* of a clipped polygon: three and one for each plane */
#define MOST_DISTANCES 8u /* that clip, of the program's own */
#define GUARD 16384.0     /* pixels: positions beyond are clipped */
#define LEAST_W 1e-20
enum { CULL_FRONT = 1 << 0, CULL_BACK = 1 << 1, DEPTH_CLIP = 1 << 10, FRONT_CCW = 1 << 16, DISCARD = 1 << 17 };
enum { SELECT_VIEWPORT = 1 << 19, SELECT_LAYER = 1 << 20 };

/* A corner of the polygon: screen position times w, depth as clip space has it, and the program's clip distances. */
struct point {
   double at[4]; /* x, y, clip z, w */
   double distance[MOST_DISTANCES];
};

struct polygon {
   struct point points[MOST_POINTS];
   unsigned count;
};

static double number(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return (double)value;
}

/* How far a point is on the inner side of a plane. */
typedef double plane_distance(const struct point *point, unsigned n);

static double beyond_w(const struct point *point, unsigned n)
{
   (void)n;
   return point->at[3] - LEAST_W;
}

/* n: the near, the far plane. */
static double beyond_depth(const struct point *point, unsigned n)
{
   return n ? point->at[3] - point->at[2] : point->at[2];
}

static double beyond_own(const struct point *point, unsigned n)
{
   return point->distance[n];
}

/* n: left, right, top, bottom. */
static double beyond_guard(const struct point *point, unsigned n)
{
   const double at = point->at[n / 2];
   return GUARD * point->at[3] + (n & 1 ? -at : at);
}

static struct point between(const struct point *a, const struct point *b, double t)
{
   struct point point;
   for (unsigned i = 0; i < 4; i++) {
      point.at[i] = a->at[i] + t * (b->at[i] - a->at[i]);
   }
   for (unsigned i = 0; i < MOST_DISTANCES; i++) {
      point.distance[i] = a->distance[i] + t * (b->distance[i] - a->distance[i]);
   }
   return point;
}

/* Keeps the part of the polygon on the inner side. An edge is cut from its inner end, whichever way round it is, so
 * that two triangles at it get the same point. */
static void clip(struct polygon *polygon, plane_distance *distance, unsigned n)
{
   struct polygon kept = {.count = 0};
   bool all = true;
   for (unsigned i = 0; i < polygon->count; i++) {
      all = all && distance(&polygon->points[i], n) >= 0;
   }
   if (all) {
      return;
   }
   for (unsigned i = 0; i < polygon->count; i++) {
      const struct point *a = &polygon->points[i], *b = &polygon->points[(i + 1) % polygon->count];
      const double da = distance(a, n), db = distance(b, n);
      if (da >= 0) {
         kept.points[kept.count++] = *a;
      }
      if ((da >= 0) != (db >= 0)) {
         kept.points[kept.count++] = da >= 0 ? between(a, b, da / (da - db)) : between(b, a, db / (db - da));
      }
   }
   *polygon = kept;
}

static void clip_all(const struct render_draw *draw, struct polygon *polygon, unsigned distances)
{
   clip(polygon, beyond_w, 0);
   for (unsigned n = 0; n < 2 && draw->state.cull & DEPTH_CLIP; n++) {
      clip(polygon, beyond_depth, n);
   }
   for (unsigned n = 0; n < distances; n++) {
      clip(polygon, beyond_own, n);
   }
   for (unsigned n = 0; n < 4; n++) {
      clip(polygon, beyond_guard, n);
   }
}

/* ---- Outputs besides the position: they are the last ones (docs/spec/render.md 4) ---- */

struct extras {
   unsigned distances, first_distance, layer_word; /* layer_word 0: none */
};

static struct extras find_extras(const struct render_draw *draw)
{
   const uint32_t select = draw->state.output_select, words = draw->state.vertex_outputs & 0xff;
   struct extras extras = {.distances = (unsigned)__builtin_popcount(select & 0xff)};
   if (extras.distances > words) {
      extras.distances = 0;
   }
   extras.first_distance = words - extras.distances;
   if (select & (SELECT_VIEWPORT | SELECT_LAYER) && extras.first_distance > 4) {
      extras.layer_word = extras.first_distance - 1;
   }
   return extras;
}

/* ---- Onto the screen ---- */

static int32_t fixed(double value)
{
   return (int32_t)lrint(value * (1 << RENDER_SUBPIXELS));
}

/* Twice the area of the points' fan; positive: clockwise on the screen. */
static int64_t area_of(const int32_t *x, const int32_t *y, unsigned count)
{
   int64_t area = 0;
   for (unsigned i = 0; i < count; i++) {
      const unsigned next = (i + 1) % count;
      area += (int64_t)x[i] * y[next] - (int64_t)x[next] * y[i];
   }
   return area;
}

static bool add_fan(struct render_pass *pass, const int32_t *x, const int32_t *y, unsigned count, bool reversed)
{
   for (unsigned i = 1; i + 1 < count; i++) {
      if (!ARRAY_RESERVE_ONE(pass->triangles, pass->triangle_count)) {
         return render_out_of_memory(pass);
      }
      const unsigned second = reversed ? i + 1 : i, third = reversed ? i : i + 1;
      pass->triangles[pass->triangle_count++] = (struct render_triangle){
          .x = {x[0], x[second], x[third]},
          .y = {y[0], y[second], y[third]},
          .primitive = (uint32_t)pass->primitive_count,
      };
   }
   return true;
}

/* Depth as the viewport makes it, times w. */
static void to_screen(const float viewport[6], const struct point *point, double screen[4])
{
   screen[0] = point->at[0];
   screen[1] = point->at[1];
   screen[2] = (double)viewport[5] * point->at[2] + (double)viewport[4] * point->at[3];
   screen[3] = point->at[3];
}

static bool is_culled(const struct render_draw *draw, bool back)
{
   return draw->state.cull & (back ? CULL_BACK : CULL_FRONT);
}

bool render_add_triangle(struct render_pass *pass, const struct render_draw *draw, const struct render_corners *corners)
{
   const struct extras extras = find_extras(draw);
   const uint32_t where = extras.layer_word ? corners->outputs[0][extras.layer_word] : 0;
   const uint32_t count = draw->state.viewport_count ? draw->state.viewport_count : 1;
   const uint32_t index = where >> 16 < count ? where >> 16 : 0;
   const float *viewport = draw->state.viewport[index];
   struct polygon polygon = {.count = 3};
   double screen[3][4];
   if ((draw->state.cull | draw->state.cull2) & DISCARD) {
      return true;
   }
   for (unsigned i = 0; i < 3; i++) {
      struct point *point = &polygon.points[i];
      const uint32_t *words = corners->outputs[i];
      const double w = number(words[3]);
      point->at[0] = (double)viewport[1] * number(words[0]) + (double)viewport[0] * w;
      point->at[1] = (double)viewport[3] * number(words[1]) + (double)viewport[2] * w;
      point->at[2] = number(words[2]);
      point->at[3] = w;
      for (unsigned n = 0; n < MOST_DISTANCES; n++) {
         point->distance[n] = n < extras.distances ? number(words[extras.first_distance + n]) : 0;
      }
      for (unsigned k = 0; k < 4; k++) {
         if (!isfinite(point->at[k])) {
            return true;
         }
      }
      to_screen(viewport, point, screen[i]);
   }
   clip_all(draw, &polygon, extras.distances);
   int32_t x[MOST_POINTS], y[MOST_POINTS];
   for (unsigned i = 0; i < polygon.count; i++) {
      x[i] = fixed(polygon.points[i].at[0] / polygon.points[i].at[3]);
      y[i] = fixed(polygon.points[i].at[1] / polygon.points[i].at[3]);
   }
   const int64_t area = polygon.count < 3 ? 0 : area_of(x, y, polygon.count);
   const bool ccw = (area < 0) != corners->odd, front_ccw = draw->state.cull & FRONT_CCW, back = ccw != front_ccw;
   if (area == 0 || is_culled(draw, back)) {
      return true;
   }
   const uint32_t layer = extras.layer_word ? where & 0xffff : 0;
   if (layer >= pass->command->layers) {
      return true;
   }
   if (!ARRAY_RESERVE(pass->planes, pass->plane_capacity, pass->plane_count + draw->plane_count) ||
       !ARRAY_RESERVE_ONE(pass->primitives, pass->primitive_count) || !add_fan(pass, x, y, polygon.count, area < 0)) {
      return render_out_of_memory(pass);
   }
   struct render_primitive *primitive = &pass->primitives[pass->primitive_count++];
   *primitive = (struct render_primitive){.draw = draw,
                                          .first_plane = pass->plane_count,
                                          .viewport = (uint8_t)index,
                                          .layer = (uint16_t)layer,
                                          .back = back};
   render_planes(draw, corners, screen, pass->planes + pass->plane_count, &primitive->z);
   pass->plane_count += draw->plane_count;
   return true;
}
