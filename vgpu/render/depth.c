/* SPDX-License-Identifier: MIT
 *
 * Depth and stencil tests, their updates, and occlusion queries: docs/spec/render.md 3, 6. The order is the APIs':
 * stencil test, depth test, then the operation that both select.
 */
#include <inttypes.h>
#include <math.h>

#include "vgpu/exec/exec.h"
#include "vgpu/exec/rows.h"
#include "vgpu/render/tile.h"

#define ALWAYS 7u
enum { COUNTING = 2, BOOLEAN = 3 };
#define NO_DEPTH_WRITE (1u << 21)
#define STENCIL_TEST (1u << 18)
#define FORMAT_16 2u

/* Functions: bit 0 less, bit 1 equal, bit 2 greater. */
static bool passes(uint32_t function, bool less, bool equal)
{
   return function >> (less ? 0 : equal ? 1 : 2) & 1;
}

static uint8_t stencil_after(uint32_t operation, uint8_t value, uint8_t reference)
{
   switch (operation) {
   case 1:
      return 0;
   case 2:
      return reference;
   case 3:
      return value == UINT8_MAX ? value : (uint8_t)(value + 1);
   case 4:
      return value ? (uint8_t)(value - 1) : 0;
   case 5:
      return (uint8_t)~value;
   case 6:
      return (uint8_t)(value + 1);
   case 7:
      return (uint8_t)(value - 1);
   default:
      return value;
   }
}

static bool has_integer_depth(const struct render_pass *pass)
{
   return (pass->command->zls_ctrl >> 25 & 3) == FORMAT_16;
}

float render_bias(const struct render_pass *pass, const struct render_draw *draw, const struct vgpu_plane *z,
                  double screen[3][4])
{
   if (draw->bias == 0 && draw->slope == 0) {
      return 0;
   }
   double deepest = 0;
   for (unsigned i = 0; i < 3; i++) {
      if (screen[i][3] > 0) {
         deepest = fmax(deepest, screen[i][2] / screen[i][3]);
      }
   }
   int exponent;
   frexpf((float)deepest, &exponent);
   const double unit = pass->command->flags & DRM_ASAHI_RENDER_DBIAS_IS_INT ? 1 : ldexp(1, exponent - 24);
   const float bias = (float)((double)draw->bias * unit + (double)draw->slope * fmax(fabs(z->a), fabs(z->b)));
   return draw->clamp > 0 ? fminf(bias, draw->clamp) : draw->clamp < 0 ? fmaxf(bias, draw->clamp) : bias;
}

/* The primitive's depth at a sample: range, and what the format can hold. */
static float depth_at(const struct render_pass *pass, const struct render_primitive *primitive,
                      const struct vgpu_fragment *fragment, unsigned sample, const float *given)
{
   const struct render_scissor *scissor = &primitive->draw->scissors[primitive->viewport];
   const struct vgpu_plane *plane = &primitive->z;
   const double x = fragment->x + pass->sample_x[sample] / 16.0, y = fragment->y + pass->sample_y[sample] / 16.0;
   double z = given ? (double)*given : plane->a * x + plane->b * y + plane->c;
   z = z > (double)scissor->min_z ? z : (double)scissor->min_z;
   z = z < (double)scissor->max_z ? z : (double)scissor->max_z;
   return (float)(has_integer_depth(pass) ? nearbyint(z * UINT16_MAX) / UINT16_MAX : z);
}

static void count(struct render_pass *pass, const struct render_draw *draw, unsigned samples)
{
   const uint32_t mode = (draw->state.fragment_control[0] | draw->state.fragment_control[1]) >> 14 & 3;
   if (!samples || (mode != COUNTING && mode != BOOLEAN)) {
      return;
   }
   size_t run;
   const uint64_t va = pass->command->isp_oclqry_base + (draw->state.occlusion[0] >> 17) * UINT64_C(8);
   uint64_t *result = (uint64_t *)(void *)vgpu_pages_translate(pass->base->pages, va, VGPU_WRITE, &run);
   if (!result || run < sizeof(*result)) {
      render_fail(pass, VGPU_FAULT_MEMORY, "occlusion query: write to unmapped address 0x%" PRIx64, va);
   } else if (mode == COUNTING) {
      __atomic_fetch_add(result, samples, __ATOMIC_RELAXED);
   } else {
      __atomic_store_n(result, 1, __ATOMIC_RELAXED);
   }
}

/* One sample; returns whether it passes. */
static bool test_sample(struct render_tile *tile, const struct vgpu_fragment *fragment, unsigned sample,
                        const float *given, const uint8_t *given_stencil)
{
   const struct render_primitive *primitive = fragment->primitive;
   const struct render_state *state = &primitive->draw->state;
   const uint32_t control = state->fragment_control[0] | state->fragment_control[1];
   const unsigned side = primitive->back, two_sided = control >> 19 & 1, of = two_sided ? side : 0;
   const uint32_t face = state->face[side], face2 = state->face2[side], word = state->stencil[of];
   const size_t at = ((size_t)render_tile_pixel(tile, fragment->x, fragment->y) << tile->pass->samples_log2) + sample;
   const float z = depth_at(tile->pass, primitive, fragment, sample, given);
   const bool less = z < tile->z[at], equal = !(z < tile->z[at]) && !(z > tile->z[at]);
   const bool depth = passes(face >> 24 & 7, less, equal) && passes(face2 >> 24 & 7, less, equal);
   bool stencil = true;
   if (control & STENCIL_TEST) {
      const uint8_t reference = given_stencil ? *given_stencil : (uint8_t)state->face[of], value = tile->stencil[at];
      const uint8_t read = (uint8_t)(word >> 8), written = (uint8_t)word;
      stencil = passes(word >> 25 & 7, (reference & read) < (value & read), (reference & read) == (value & read));
      const uint32_t operation = !stencil ? word >> 22 & 7 : !depth ? word >> 19 & 7 : word >> 16 & 7;
      const uint8_t after = stencil_after(operation, value, reference);
      tile->stencil[at] = (uint8_t)((value & ~written) | (after & written));
   }
   if (stencil && depth && !(face & face2 & NO_DEPTH_WRITE)) {
      tile->z[at] = z;
   }
   return stencil && depth;
}

/* Whether every sample passes, and nothing changes or counts. */
static bool has_no_test(const struct render_primitive *primitive)
{
   const struct render_state *state = &primitive->draw->state;
   const uint32_t control = state->fragment_control[0] | state->fragment_control[1];
   const uint32_t face = state->face[primitive->back], face2 = state->face2[primitive->back];
   return !(control & STENCIL_TEST) && !(control >> 14 & 3) && (face & face2 & NO_DEPTH_WRITE) &&
          (face >> 24 & 7) == ALWAYS && (face2 >> 24 & 7) == ALWAYS;
}

uint32_t render_test(void *data, const struct vgpu_fragment *fragment, uint32_t samples, const float *z,
                     const uint8_t *stencil)
{
   struct render_tile *tile = data;
   const struct render_primitive *primitive = fragment->primitive;
   uint32_t passed = 0;
   if (!primitive || has_no_test(primitive)) {
      return samples;
   }
   for (uint32_t left = samples; left; left &= left - 1) {
      const unsigned sample = (unsigned)__builtin_ctz(left);
      passed |= (uint32_t)test_sample(tile, fragment, sample, z, stencil) << sample;
   }
   count(tile->pass, primitive->draw, (unsigned)__builtin_popcount(passed));
   return passed;
}

/* ---- Rows of one sample a pixel ---- */

/* Whether the depth test is all there is, of a depth that is a float. */
static bool is_plain(const struct render_pass *pass, const struct render_draw *draw)
{
   const uint32_t control = draw->state.fragment_control[0] | draw->state.fragment_control[1];
   return !(control & STENCIL_TEST) && !has_integer_depth(pass);
}

/* test_sample() for such a test. Rows of 16 pixels are tested together with the next one, whose depths stay. */
static uint32_t test_plain(struct render_tile *tile, const struct render_primitive *primitive, uint32_t y,
                           uint32_t pixels)
{
   const struct render_pass *pass = tile->pass;
   const struct render_state *state = &primitive->draw->state;
   const struct render_scissor *scissor = &primitive->draw->scissors[primitive->viewport];
   const uint32_t face = state->face[primitive->back], face2 = state->face2[primitive->back];
   const struct vgpu_depth_row row = {.a = primitive->z.a,
                                      .first = tile->origin[0] + pass->sample_x[0] / 16.0,
                                      .down = primitive->z.b * (y + pass->sample_y[0] / 16.0),
                                      .c = primitive->z.c,
                                      .least = (double)scissor->min_z,
                                      .most = (double)scissor->max_z,
                                      .function = face >> 24 & face2 >> 24 & 7,
                                      .writes = !(face & face2 & NO_DEPTH_WRITE)};
   return pass->base->level->rows->test_depth(&row, &tile->z[render_tile_pixel(tile, tile->origin[0], y)], pixels);
}

uint32_t render_test_row(struct render_tile *tile, const struct render_primitive *primitive, uint32_t y,
                         uint32_t pixels)
{
   uint32_t passed = 0;
   if (!pixels || has_no_test(primitive)) {
      return pixels;
   }
   if (is_plain(tile->pass, primitive->draw)) {
      passed = test_plain(tile, primitive, y, pixels);
   } else {
      for (uint32_t left = pixels; left; left &= left - 1) {
         const unsigned at = (unsigned)__builtin_ctz(left);
         const struct vgpu_fragment fragment = {
             .primitive = primitive, .x = (uint16_t)(tile->origin[0] + at), .y = (uint16_t)y};
         passed |= (uint32_t)test_sample(tile, &fragment, 0, NULL, NULL) << at;
      }
   }
   count(tile->pass, primitive->draw, (unsigned)__builtin_popcount(passed));
   return passed;
}
