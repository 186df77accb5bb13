/* SPDX-License-Identifier: MIT
 *
 * See shape.h. Invariant: a primitive's coefficients follow from its vertices, never from how it was clipped.
 */
#include "vgpu/render/shape.h"

#include <math.h>
#include <string.h>

#include "vgpu/spare.h"

#define LEAST_CAPACITY 64u /* of an array that grows */

enum { SELECT_SIZE = 1 << 18, SELECT_VIEWPORT = 1 << 19, SELECT_LAYER = 1 << 20 };

static double number(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return (double)value;
}

struct render_extras render_find_extras(const struct render_draw *draw)
{
   const uint32_t select = draw->state.output_select, words = draw->state.vertex_outputs & 0xff;
   struct render_extras extras = {.distances = (unsigned)__builtin_popcount(select & 0xff)};
   if (extras.distances > words) {
      extras.distances = 0;
   }
   extras.first_distance = words - extras.distances;
   unsigned end = extras.first_distance;
   if (select & (SELECT_VIEWPORT | SELECT_LAYER) && end > 4) {
      extras.layer_word = --end;
   }
   if (select & SELECT_SIZE && end > 4) {
      extras.size_word = --end;
   }
   return extras;
}

bool render_find_place(const struct render_pass *pass, const struct render_draw *draw, const uint32_t *outputs,
                       struct render_place *place)
{
   const struct render_extras extras = render_find_extras(draw);
   const uint32_t where = extras.layer_word ? outputs[extras.layer_word] : 0;
   const uint32_t count = draw->state.viewport_count ? draw->state.viewport_count : 1;
   *place = (struct render_place){.layer = where & 0xffff, .viewport = where >> 16 < count ? where >> 16 : 0};
   place->layer = pass->command->layers > 1 ? place->layer : 0; /* OpenGL: a framebuffer without layers ignores it */
   return place->layer < pass->command->layers;
}

bool render_point_of(const struct render_draw *draw, uint32_t viewport, const uint32_t *outputs,
                     struct render_point *point)
{
   const struct render_extras extras = render_find_extras(draw);
   const float *view = draw->state.viewport[viewport];
   const double w = number(outputs[3]);
   point->at[0] = (double)view[1] * number(outputs[0]) + (double)view[0] * w;
   point->at[1] = (double)view[3] * number(outputs[1]) + (double)view[2] * w;
   point->at[2] = number(outputs[2]);
   point->at[3] = w;
   for (unsigned n = 0; n < RENDER_DISTANCES; n++) {
      point->distance[n] = n < extras.distances ? number(outputs[extras.first_distance + n]) : 0;
   }
   return isfinite(point->at[0]) && isfinite(point->at[1]) && isfinite(point->at[2]) && isfinite(w);
}

void render_to_screen(const struct render_draw *draw, uint32_t viewport, const struct render_point *point,
                      double screen[4])
{
   const float *view = draw->state.viewport[viewport];
   screen[0] = point->at[0];
   screen[1] = point->at[1];
   screen[2] = (double)view[5] * point->at[2] + (double)view[4] * point->at[3];
   screen[3] = point->at[3];
}

int32_t render_fixed(double pixels)
{
   return (int32_t)lrint(pixels * (1 << RENDER_SUBPIXELS));
}

/* Room for `more` elements behind `count` ones, in memory that passes use one after the other. array: the address of
 * the pointer to them. */
static bool reserve(struct render_pass *pass, void *array, size_t *capacity, size_t count, size_t more, size_t size)
{
   void *old;
   size_t room = *capacity < LEAST_CAPACITY ? LEAST_CAPACITY : 2 * *capacity, bytes;
   if (more <= *capacity - count) {
      return true;
   }
   room = room < count + more ? count + more : room;
   void *larger = __builtin_mul_overflow(room, size, &bytes) ? NULL : vgpu_spare_take(pass->base->spare, bytes);
   if (!larger) {
      return render_out_of_memory(pass);
   }
   memcpy(&old, array, sizeof(old));
   if (count) {
      memcpy(larger, old, count * size);
   }
   vgpu_spare_give(pass->base->spare, old, *capacity * size);
   memcpy(array, &larger, sizeof(larger));
   *capacity = room;
   return true;
}

static bool reserve_planes(struct render_pass *pass, size_t more)
{
   return reserve(pass, &pass->planes, &pass->plane_capacity, pass->plane_count, more, sizeof(*pass->planes));
}

static bool reserve_primitives(struct render_pass *pass, size_t more)
{
   return reserve(pass, &pass->primitives, &pass->primitive_capacity, pass->primitive_count, more,
                  sizeof(*pass->primitives));
}

static bool reserve_triangles(struct render_pass *pass, size_t more)
{
   return reserve(pass, &pass->triangles, &pass->triangle_capacity, pass->triangle_count, more,
                  sizeof(*pass->triangles));
}

static bool add_fan(struct render_pass *pass, const int32_t *x, const int32_t *y, unsigned count, bool reversed)
{
   for (unsigned i = 1; i + 1 < count; i++) {
      if (!reserve_triangles(pass, 1)) {
         return false;
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

bool render_expect(struct render_pass *pass, const struct render_draw *draw, size_t primitives)
{
   return reserve_planes(pass, primitives * draw->plane_count) && reserve_primitives(pass, primitives) &&
          reserve_triangles(pass, primitives);
}

bool render_add_polygon(struct render_pass *pass, const struct render_draw *draw, const struct render_corners *corners,
                        double screen[3][4], const int32_t *x, const int32_t *y, unsigned count, bool reversed,
                        const struct render_place *place, bool back)
{
   if (!reserve_planes(pass, draw->plane_count) || !reserve_primitives(pass, 1) ||
       !add_fan(pass, x, y, count, reversed)) {
      return false;
   }
   struct render_primitive *primitive = &pass->primitives[pass->primitive_count++];
   *primitive = (struct render_primitive){.draw = draw,
                                          .first_plane = pass->plane_count,
                                          .viewport = (uint8_t)place->viewport,
                                          .layer = (uint16_t)place->layer,
                                          .back = back};
   memset(pass->planes + pass->plane_count, 0, draw->plane_count * sizeof(*pass->planes));
   render_planes(draw, corners, screen, pass->planes + pass->plane_count, &primitive->z);
   primitive->z.c += (double)render_bias(pass, draw, &primitive->z, screen);
   pass->plane_count += draw->plane_count;
   return true;
}
