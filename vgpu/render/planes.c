/* SPDX-License-Identifier: MIT
 *
 * Coefficients of a primitive: docs/spec/render.md 4. With the corners' screen positions times w as the rows of a
 * matrix, a quantity times the inverse gives the plane of (quantity / w), whatever the signs of w are; so clipping
 * changes no coefficient.
 */
#include <string.h>

#include "vgpu/render/pass.h"

enum model { FLAT_0 = 0, FLAT_2 = 2, LINEAR = 3, FLAT_1 = 6, PERSPECTIVE = 7 };
enum source { VARYING, FRAGMENT_Z, POINT_COORDINATE, PRIMITIVE_ID, BARYCENTRIC = 5 };
#define READS_Z (1u << 21) /* of output select */

static double number(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return (double)value;
}

/* The inverse's columns, each a corner's share of a plane. false: the corners lie on a line. */
struct shares {
   double of[3][3]; /* by corner: a, b, c */
   double w[3];
};

static void find_shares(double screen[3][4], struct shares *shares)
{
   double determinant = 0;
   for (unsigned i = 0; i < 3; i++) {
      const double *next = screen[(i + 1) % 3], *last = screen[(i + 2) % 3];
      double *of = shares->of[i];
      of[0] = next[1] * last[3] - next[3] * last[1];
      of[1] = next[3] * last[0] - next[0] * last[3];
      of[2] = next[0] * last[1] - next[1] * last[0];
      shares->w[i] = screen[i][3];
   }
   for (unsigned k = 0; k < 3; k++) {
      determinant += screen[0][k == 2 ? 3 : k] * shares->of[0][k];
   }
   for (unsigned i = 0; i < 3; i++) {
      for (unsigned k = 0; k < 3; k++) {
         shares->of[i][k] /= determinant;
      }
   }
}

/* The plane of (value / w). */
static struct vgpu_plane plane_of(const struct shares *shares, const double value[3])
{
   struct vgpu_plane plane = {0};
   for (unsigned i = 0; i < 3; i++) {
      plane.a += shares->of[i][0] * value[i];
      plane.b += shares->of[i][1] * value[i];
      plane.c += shares->of[i][2] * value[i];
   }
   return plane;
}

static struct vgpu_plane flat(uint32_t bits)
{
   return (struct vgpu_plane){.flat = true, .bits = bits};
}

/* A varying's word of the vertices' outputs. */
static struct vgpu_plane varying(const struct shares *shares, const struct render_corners *corners, unsigned word,
                                 unsigned model)
{
   double value[3];
   if (model != LINEAR && model != PERSPECTIVE) {
      return flat(corners->flat[model == FLAT_1 ? 1 : model == FLAT_2 ? 2 : 0][word]);
   }
   for (unsigned i = 0; i < 3; i++) {
      value[i] = number(corners->outputs[i][word]) * (model == LINEAR ? shares->w[i] : 1);
   }
   return plane_of(shares, value);
}

/* Whether the value depends on an output that nothing wrote. word: of the undefined bits. */
static bool is_undefined(const struct render_corners *corners, size_t word, unsigned model)
{
   if (model != LINEAR && model != PERSPECTIVE) {
      return corners->flat[model == FLAT_1 ? 1 : model == FLAT_2 ? 2 : 0][word];
   }
   return corners->outputs[0][word] | corners->outputs[1][word] | corners->outputs[2][word];
}

void render_planes(const struct render_draw *draw, const struct render_corners *corners, double screen[3][4],
                   struct vgpu_plane *planes, struct vgpu_plane *z)
{
   static const double ones[3] = {1, 1, 1};
   const double depths[3] = {screen[0][2], screen[1][2], screen[2][2]};
   const unsigned user = draw->state.output_select & READS_Z ? 2 : 1; /* the slot of the first varying */
   struct shares shares;
   find_shares(screen, &shares);
   *z = plane_of(&shares, depths);
   for (uint32_t i = 0; i < draw->binding_count; i++) {
      const struct render_binding *binding = &draw->bindings[i];
      for (unsigned k = 0; k < binding->count; k++) {
         struct vgpu_plane *plane = &planes[binding->to + k];
         const unsigned slot = binding->slot + k, word = 4 + slot - user;
         if (binding->source == FRAGMENT_Z) {
            *plane = *z;
         } else if (binding->source == POINT_COORDINATE && corners->is_point && k < 2) {
            double value[3];
            for (unsigned n = 0; n < 3; n++) {
               value[n] = corners->sprite[n][k] * (binding->model == PERSPECTIVE ? 1 : shares.w[n]);
            }
            *plane = plane_of(&shares, value);
         } else if (binding->source == PRIMITIVE_ID) {
            *plane = flat(corners->number);
         } else if (binding->source == VARYING && slot == 0) {
            *plane = plane_of(&shares, ones);
         } else if (binding->source == VARYING && slot >= user && word < (draw->state.vertex_outputs & 0xff)) {
            *plane = varying(&shares, corners, word, binding->model);
            plane->undefined = draw->undefined && is_undefined(corners, word + draw->undefined, binding->model);
         } else {
            *plane = flat(0);
         }
      }
   }
}
