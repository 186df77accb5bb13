/* SPDX-License-Identifier: MIT
 *
 * From a triangle's corners to triangles on the screen: culling, clipping, viewport, fixed point. A triangle is clipped
 * in homogeneous coordinates; the polygon that is left becomes a fan of triangles that share their edges' points, so
 * that no pixel is lost or drawn twice.
 */
#include "vgpu/render/shape.h"

#include <string.h>

#define MOST_POINTS 24u /* of a clipped polygon: three and one for each plane */
#define GUARD 16384.0   /* pixels: positions beyond are clipped */
#define LEAST_W 1e-20
enum { CULL_FRONT = 1 << 0, CULL_BACK = 1 << 1, DEPTH_CLIP = 1 << 10, FRONT_CCW = 1 << 16, DISCARD = 1 << 17 };

struct polygon {
   struct render_point points[MOST_POINTS];
   unsigned count;
};

/* How far a point is on the inner side of a plane. */
typedef double plane_distance(const struct render_point *point, unsigned n);

static double beyond_w(const struct render_point *point, unsigned n)
{
   (void)n;
   return point->at[3] - LEAST_W;
}

/* n: the near, the far plane. */
static double beyond_depth(const struct render_point *point, unsigned n)
{
   return n ? point->at[3] - point->at[2] : point->at[2];
}

static double beyond_own(const struct render_point *point, unsigned n)
{
   return point->distance[n];
}

/* n: left, right, top, bottom. */
static double beyond_guard(const struct render_point *point, unsigned n)
{
   const double at = point->at[n / 2];
   return GUARD * point->at[3] + (n & 1 ? -at : at);
}

static struct render_point between(const struct render_point *a, const struct render_point *b, double t)
{
   struct render_point point;
   for (unsigned i = 0; i < 4; i++) {
      point.at[i] = a->at[i] + t * (b->at[i] - a->at[i]);
   }
   for (unsigned i = 0; i < RENDER_DISTANCES; i++) {
      point.distance[i] = a->distance[i] + t * (b->distance[i] - a->distance[i]);
   }
   return point;
}

/* Keeps the part of the polygon on the inner side. An edge is cut from its inner end, whichever way round it is, so
 * that two triangles at it get the same point. */
static void clip(struct polygon *polygon, plane_distance *distance, unsigned n)
{
   bool all = true;
   for (unsigned i = 0; i < polygon->count; i++) {
      all = all && distance(&polygon->points[i], n) >= 0;
   }
   if (all) {
      return;
   }
   struct polygon kept;
   kept.count = 0;
   for (unsigned i = 0; i < polygon->count; i++) {
      const struct render_point *a = &polygon->points[i], *b = &polygon->points[(i + 1) % polygon->count];
      const double da = distance(a, n), db = distance(b, n);
      if (da >= 0) {
         kept.points[kept.count++] = *a;
      }
      if ((da >= 0) != (db >= 0)) {
         kept.points[kept.count++] = da >= 0 ? between(a, b, da / (da - db)) : between(b, a, db / (db - da));
      }
   }
   polygon->count = kept.count;
   memcpy(polygon->points, kept.points, kept.count * sizeof(kept.points[0]));
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

/* ---- Onto the screen ---- */

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

static bool is_culled(const struct render_draw *draw, bool back)
{
   return draw->state.cull & (back ? CULL_BACK : CULL_FRONT);
}

enum { MODE_FILL, MODE_LINE, MODE_POINT };

/* The sides of a triangle that is drawn as lines, or its corners as points. */
static bool add_parts(struct render_pass *pass, const struct render_draw *draw, const struct render_corners *corners,
                      const struct render_point points[3], struct render_part part, unsigned mode)
{
   bool good = true;
   for (unsigned i = 0; i < 3 && good; i++) {
      const unsigned next = mode == MODE_LINE ? (i + 1) % 3 : i;
      const struct render_point ends[2] = {points[i], points[next]};
      part.corners = *corners;
      part.corners.is_point = mode == MODE_POINT;
      part.corners.outputs[0] = part.corners.outputs[2] = corners->outputs[i];
      part.corners.outputs[1] = corners->outputs[next];
      good = (mode == MODE_LINE ? render_add_segment : render_add_square)(pass, draw, &part, ends);
   }
   return good;
}

bool render_add_triangle(struct render_pass *pass, const struct render_draw *draw, const struct render_corners *corners)
{
   struct polygon polygon; /* 2 KiB that nothing needs zeroed */
   struct render_place place;
   struct render_point points[3];
   double screen[3][4];
   polygon.count = 3;
   if ((draw->state.cull | draw->state.cull2) & DISCARD ||
       !render_find_place(pass, draw, corners->outputs[0], &place)) {
      return true;
   }
   for (unsigned i = 0; i < 3; i++) {
      if (!render_point_of(draw, place.viewport, corners->outputs[i], &polygon.points[i])) {
         return true;
      }
      render_to_screen(draw, place.viewport, &polygon.points[i], screen[i]);
      points[i] = polygon.points[i];
   }
   clip_all(draw, &polygon, render_find_extras(draw).distances);
   int32_t x[MOST_POINTS], y[MOST_POINTS];
   for (unsigned i = 0; i < polygon.count; i++) {
      x[i] = render_fixed(polygon.points[i].at[0] / polygon.points[i].at[3]);
      y[i] = render_fixed(polygon.points[i].at[1] / polygon.points[i].at[3]);
   }
   const int64_t area = polygon.count < 3 ? 0 : area_of(x, y, polygon.count);
   /* Without an area it is a back one, and has corners and sides, but no inside (OpenGL 4.6, 14.6.1). */
   const bool ccw = (area < 0) != corners->odd, front_ccw = draw->state.cull & FRONT_CCW;
   const bool back = area == 0 || ccw != front_ccw;
   const unsigned mode = draw->state.face[back] >> 18 & 3;
   if (polygon.count < 3 || (area == 0 && mode == MODE_FILL) || is_culled(draw, back)) {
      return true;
   }
   if (mode != MODE_FILL) {
      return add_parts(pass, draw, corners, points, (struct render_part){.place = place, .back = back}, mode);
   }
   return render_add_polygon(pass, draw, corners, screen, x, y, polygon.count, area < 0, &place, back);
}
