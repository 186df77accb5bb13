/* SPDX-License-Identifier: MIT
 *
 * Points and lines, as polygons: a point is a square of its size, a line a parallelogram that is as wide as the line in
 * the direction in which it advances less, as Vulkan allows where lines are not strict. Neither has a back, unless it
 * is the side or corner of a polygon.
 */
#include <math.h>
#include <string.h>

#include "vgpu/render/shape.h"

#define MOST_SIZE 511.0 /* pixels, as Mesa reports it */
#define FAR 16000.0     /* pixels: what lies beyond is left out */
enum { DEPTH_CLIP = 1 << 10, DISCARD = 1 << 17 };
#define SPRITE_UV_10 2u /* object type (docs/spec/render.md): the second coordinate of a point is 0 at its bottom */

static double size_of(const struct render_draw *draw, const uint32_t *outputs)
{
   const struct render_extras extras = render_find_extras(draw);
   float size = 1;
   if (extras.size_word) {
      memcpy(&size, &outputs[extras.size_word], sizeof(size));
   }
   return size >= 1 ? fmin((double)size, MOST_SIZE) : 1;
}

static bool is_discarded(const struct render_draw *draw)
{
   return (draw->state.cull | draw->state.cull2) & DISCARD;
}

/* How far inside of plane n a corner lies: 0 in front of the eye, then near and far, then the program's own. */
static double inside(const struct render_draw *draw, const struct render_point *point, unsigned n)
{
   if (n == 0) {
      return point->at[3] - 1e-20;
   }
   if (n <= 2) {
      return !(draw->state.cull & DEPTH_CLIP) ? 1 : n == 1 ? point->at[2] : point->at[3] - point->at[2];
   }
   return point->distance[n - 3];
}

static unsigned plane_count(const struct render_draw *draw)
{
   return 3 + render_find_extras(draw).distances;
}

bool render_add_square(struct render_pass *pass, const struct render_draw *draw, const struct render_part *part,
                       const struct render_point *point)
{
   struct render_corners corners = part->corners;
   double screen[3][4], centre[4];
   int32_t x[4], y[4];
   for (unsigned n = 0; n < plane_count(draw); n++) {
      if (inside(draw, point, n) < 0) {
         return true;
      }
   }
   render_to_screen(draw, part->place.viewport, point, centre);
   const bool bottom_up = draw->state.face2[0] >> 28 == SPRITE_UV_10;
   const double half = size_of(draw, corners.outputs[0]) / 2, w = centre[3], at_x = centre[0] / w, at_y = centre[1] / w;
   if (fabs(at_x) > FAR || fabs(at_y) > FAR) {
      return true;
   }
   for (unsigned i = 0; i < 4; i++) { /* clockwise from the top left */
      const double right = i == 1 || i == 2, low = i >= 2;
      x[i] = render_fixed(at_x - half + 2 * half * right);
      y[i] = render_fixed(at_y - half + 2 * half * low);
      if (i < 3) {
         screen[i][0] = (at_x - half + 2 * half * right) * w;
         screen[i][1] = (at_y - half + 2 * half * low) * w;
         screen[i][2] = centre[2];
         screen[i][3] = w;
         corners.sprite[i][0] = right;
         corners.sprite[i][1] = low != bottom_up;
      }
   }
   return render_add_polygon(pass, draw, &corners, screen, x, y, 4, false, &part->place, part->back);
}

bool render_add_sprite(struct render_pass *pass, const struct render_draw *draw, const uint32_t *outputs,
                       uint32_t number)
{
   struct render_part part = {.corners = {.outputs = {outputs, outputs, outputs},
                                          .flat = {outputs, outputs, outputs},
                                          .number = number,
                                          .is_point = true}};
   struct render_point point;
   return is_discarded(draw) || !render_find_place(pass, draw, outputs, &part.place) ||
          !render_point_of(draw, part.place.viewport, outputs, &point) || render_add_square(pass, draw, &part, &point);
}

/* Cuts both ends of a line; false: nothing is left. */
static bool clip_line(const struct render_draw *draw, const struct render_point ends[2], double cut[2])
{
   cut[0] = 0;
   cut[1] = 1;
   for (unsigned n = 0; n < plane_count(draw); n++) {
      const double a = inside(draw, &ends[0], n), b = inside(draw, &ends[1], n);
      if (a < 0 && b < 0) {
         return false;
      }
      if (a < 0) {
         cut[0] = fmax(cut[0], a / (a - b));
      } else if (b < 0) {
         cut[1] = fmin(cut[1], a / (a - b));
      }
   }
   return cut[0] < cut[1];
}

static double width_of(const struct render_draw *draw, bool back)
{
   return ((draw->state.face[back] >> 8 & 0xff) + 1) / 16.0;
}

/* The cut ends on the screen; false: they lie too far out. */
static bool place_ends(const struct render_point ends[2], const double cut[2], double at[2][2])
{
   for (unsigned i = 0; i < 2; i++) {
      const double t = cut[i], w = ends[0].at[3] + t * (ends[1].at[3] - ends[0].at[3]);
      for (unsigned axis = 0; axis < 2; axis++) {
         at[i][axis] = (ends[0].at[axis] + t * (ends[1].at[axis] - ends[0].at[axis])) / w;
         if (fabs(at[i][axis]) > FAR) {
            return false;
         }
      }
   }
   return true;
}

bool render_add_segment(struct render_pass *pass, const struct render_draw *draw, const struct render_part *part,
                        const struct render_point ends[2])
{
   double screen[3][4], cut[2], at[2][2];
   if (!clip_line(draw, ends, cut) || !place_ends(ends, cut, at)) {
      return true;
   }
   /* The corners of the planes are the whole line's ends, and a point beside the first one. */
   const double dx = at[1][0] - at[0][0], dy = at[1][1] - at[0][1];
   const unsigned minor = fabs(dx) >= fabs(dy) ? 1 : 0;
   const double half = width_of(draw, part->back) / 2;
   for (unsigned i = 0; i < 3; i++) {
      render_to_screen(draw, part->place.viewport, &ends[i & 1], screen[i]);
   }
   screen[2][minor] += half * screen[2][3];
   int32_t x[4], y[4];
   for (unsigned i = 0; i < 4; i++) {
      const unsigned end = i == 1 || i == 2;
      const double aside = i < 2 ? -half : half;
      x[i] = render_fixed(at[end][0] + (minor == 0 ? aside : 0));
      y[i] = render_fixed(at[end][1] + (minor == 1 ? aside : 0));
   }
   const bool reversed = minor == 1 ? dx < 0 : dy > 0;
   return (fabs(dx) < 1e-9 && fabs(dy) < 1e-9) ||
          render_add_polygon(pass, draw, &part->corners, screen, x, y, 4, reversed, &part->place, part->back);
}

bool render_add_line(struct render_pass *pass, const struct render_draw *draw, const uint32_t *first,
                     const uint32_t *second, uint32_t number)
{
   struct render_part part = {
       .corners = {.outputs = {first, second, first}, .flat = {first, second, second}, .number = number}};
   struct render_point ends[2];
   return is_discarded(draw) || !render_find_place(pass, draw, first, &part.place) ||
          !render_point_of(draw, part.place.viewport, first, &ends[0]) ||
          !render_point_of(draw, part.place.viewport, second, &ends[1]) || render_add_segment(pass, draw, &part, ends);
}
