/* SPDX-License-Identifier: MIT
 *
 * Sampling: which levels and texels a coordinate means, and their weighted sum. The precision of the hardware's filter
 * is not known; weights here have 8 bits of fraction. A texel outside the image is what the wrap mode says. There is
 * one sample however anisotropic the filter is.
 */
#include <math.h>
#include <string.h>

#include "vgpu/exec/half.h"
#include "vgpu/exec/image/plain.h"

enum function { LESS_EQUAL, GREATER_EQUAL, LESS, GREATER, EQUAL, NOT_EQUAL, ALWAYS, NEVER };
enum mip_filter { MIP_NONE, MIP_NEAREST, MIP_LINEAR };
#define LEVEL_STEPS 64.0
#define ONE 0x3f800000u

void vgpu_sampler_read(struct vgpu_sampler *sampler, uint64_t word)
{
   *sampler = (struct vgpu_sampler){.linear_up = word >> 23 & 3,
                                    .linear_down = word >> 25 & 3,
                                    .mip_filter = word >> 27 & 3,
                                    .wrap = {word >> 29 & 7, word >> 32 & 7, word >> 35 & 7},
                                    .pixels = word >> 38 & 1,
                                    .function = word >> 39 & 7,
                                    .compares = word >> 42 & 1,
                                    .border = word >> 55 & 3,
                                    .seamful = word >> 57 & 1,
                                    .least_level = (double)(word & 1023) / LEVEL_STEPS,
                                    .most_level = (double)(word >> 10 & 1023) / LEVEL_STEPS};
   if ((word >> 23 & 3) > 1 || (word >> 25 & 3) > 1) {
      sampler->problem = "a bicubic filter";
   }
}

/* ---- Texels ---- */

int64_t vgpu_wrap(uint8_t mode, int64_t at, int64_t size)
{
   switch (mode) {
   case VGPU_WRAP_REPEAT:
      return (at % size + size) % size;
   case VGPU_WRAP_MIRROR: {
      int64_t twice = (at % (2 * size) + 2 * size) % (2 * size);
      return twice < size ? twice : 2 * size - 1 - twice;
   }
   case VGPU_WRAP_EDGE_OLD: /* the coordinate was clamped */
   case VGPU_WRAP_BORDER:
      return at < 0 || at >= size ? -1 : at;
   case VGPU_WRAP_MIRROR_ONCE:
      at = at < 0 ? -1 - at : at;
      return at >= size ? size - 1 : at;
   default:
      return at < 0 ? 0 : at >= size ? size - 1 : at;
   }
}

static void read_border(const struct vgpu_sample *sample, uint32_t channels[4])
{
   const struct vgpu_sampler *sampler = sample->sampler;
   const uint32_t one = vgpu_image_is_integer(sample->image) ? 1 : ONE;
   if (sampler->border == 3) {
      vgpu_border_decode(sample->image, sampler->custom, channels);
      return;
   }
   channels[0] = channels[1] = channels[2] = sampler->border == 2 ? one : 0;
   channels[3] = sampler->border ? one : 0;
}

static bool is_cube(const struct vgpu_image *image)
{
   return image->dimension == VGPU_CUBE || image->dimension == VGPU_CUBE_ARRAY;
}

static bool has_rows(const struct vgpu_image *image)
{
   return image->dimension != VGPU_1D && image->dimension != VGPU_1D_ARRAY;
}

/* A face of a cube has the direction  major * axis + s * right + t * down,  with s and t from -1 to 1. */
static const struct {
   int8_t axis[3], right[3], down[3];
} faces[6] = {
    {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
    {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}}, {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
};

static double along(const double direction[3], const int8_t axis[3])
{
   return direction[0] * axis[0] + direction[1] * axis[1] + direction[2] * axis[2];
}

/* The face that a direction meets, and where: from 0 to 1. */
static unsigned face_of(const double direction[3], double at[2])
{
   unsigned face = 0;
   for (unsigned i = 1; i < 6; i++) {
      face = along(direction, faces[i].axis) > along(direction, faces[face].axis) ? i : face;
   }
   const double major = along(direction, faces[face].axis);
   at[0] = major > 0 ? (along(direction, faces[face].right) / major + 1) / 2 : 0.5;
   at[1] = major > 0 ? (along(direction, faces[face].down) / major + 1) / 2 : 0.5;
   return face;
}

/* A texel beside a face is the one that the direction of its centre meets on the next face. */
static void cross_edge(uint32_t side, unsigned *face, int64_t *x, int64_t *y)
{
   const double s = 2 * ((double)*x + 0.5) / side - 1, t = 2 * ((double)*y + 0.5) / side - 1;
   double direction[3], at[2];
   for (unsigned i = 0; i < 3; i++) {
      direction[i] = faces[*face].axis[i] + s * faces[*face].right[i] + t * faces[*face].down[i];
   }
   *face = face_of(direction, at);
   *x = vgpu_wrap(VGPU_WRAP_EDGE, (int64_t)floor(at[0] * side), side);
   *y = vgpu_wrap(VGPU_WRAP_EDGE, (int64_t)floor(at[1] * side), side);
}

static bool is_inside(int64_t at, uint32_t size)
{
   return at >= 0 && at < size;
}

/* A texel of a level, wherever it is. */
static void read_wrapped(const struct vgpu_sample *sample, unsigned level, const int64_t texel[3], uint32_t channels[4])
{
   const struct vgpu_image *image = sample->image;
   const struct vgpu_sampler *sampler = sample->sampler;
   const struct vgpu_mip *mip = &image->mips[level];
   int64_t x = texel[0], y = texel[1], z = sample->layer;
   if (is_cube(image) && !sampler->seamful && !(is_inside(x, mip->width) && is_inside(y, mip->height))) {
      unsigned face = (unsigned)(z % 6);
      cross_edge(mip->width, &face, &x, &y);
      z = z / 6 * 6 + face;
   } else {
      x = vgpu_wrap(sampler->wrap[0], x, mip->width);
      y = has_rows(image) ? vgpu_wrap(sampler->wrap[1], y, mip->height) : 0;
      z = image->dimension == VGPU_3D ? vgpu_wrap(sampler->wrap[2], texel[2], mip->depth) : z;
   }
   if (x < 0 || y < 0 || z < 0) {
      read_border(sample, channels);
      return;
   }
   const struct vgpu_texel_place place = {.x = (uint32_t)x, .y = (uint32_t)y, .layer = (uint32_t)z, .level = level};
   const uint8_t *bytes = sample->plain ? vgpu_plain_texel(sample, level, place.x, place.y) : NULL;
   for (unsigned i = 0; bytes && i < 4; i++) {
      memcpy(&channels[i], &vgpu_bytes_of_one[bytes[i]], sizeof(channels[i]));
   }
   if (!bytes) {
      vgpu_texel_read(sample->op, sample->simd, image, &place, channels);
   }
}

/* ---- Comparison ---- */

static bool compare(uint8_t function, float reference, float texel)
{
   switch (function) {
   case LESS_EQUAL:
      return reference <= texel;
   case GREATER_EQUAL:
      return reference >= texel;
   case LESS:
      return reference < texel;
   case GREATER:
      return reference > texel;
   case EQUAL:
      return !(reference < texel || reference > texel);
   case NOT_EQUAL:
      return reference < texel || reference > texel;
   default:
      return function == ALWAYS;
   }
}

/* Replaces a texel by the result of the comparison with it. The reference has the range of the format. */
static void apply_comparison(const struct vgpu_sample *sample, uint32_t channels[4])
{
   if (!sample->shadow) {
      return;
   }
   const bool limited = sample->image->type == VGPU_UNORM;
   const float reference = limited ? fminf(fmaxf(sample->reference, 0), 1) : sample->reference;
   const bool passes = compare(sample->sampler->function, reference, vgpu_bits_float(channels[0]));
   channels[0] = channels[1] = channels[2] = channels[3] = passes ? ONE : 0;
}

/* ---- Filters ---- */

static double least(double a, double b)
{
   return a < b ? a : b;
}

static double most(double a, double b)
{
   return a > b ? a : b;
}

/* OpenGL's old clamp: of the coordinate, so that a linear filter takes half of the border at most. */
static struct vgpu_span clamped_span(double at, int32_t offset, bool linear, double size)
{
   const struct vgpu_span span = vgpu_span_of(fmin(fmax(at + offset, 0), size), 0, linear);
   return (struct vgpu_span){!linear && span.first >= (int64_t)size ? (int64_t)size - 1 : span.first, span.next};
}

static unsigned dimensions(const struct vgpu_image *image)
{
   return image->dimension == VGPU_3D ? 3 : has_rows(image) ? 2 : 1;
}

/* Where in a level the sample is. */
static void find_spans(const struct vgpu_sample *sample, unsigned level, bool linear, struct vgpu_span spans[3])
{
   const struct vgpu_mip *mip = &sample->image->mips[level];
   const double sizes[3] = {mip->width, mip->height, mip->depth};
   for (unsigned i = 0; i < 3; i++) {
      const double at = sample->sampler->pixels ? sample->at[i] : sample->at[i] * sizes[i];
      if (i >= dimensions(sample->image)) {
         spans[i] = (struct vgpu_span){0, 0};
      } else if (sample->sampler->wrap[i] == VGPU_WRAP_EDGE_OLD) {
         spans[i] = clamped_span(at, sample->offset[i], linear, sizes[i]);
      } else {
         spans[i] = vgpu_span_of(at, sample->offset[i], linear);
      }
   }
}

static void filter(const struct vgpu_sample *sample, unsigned level, bool linear, double sum[4])
{
   struct vgpu_span spans[3];
   find_spans(sample, level, linear, spans);
   const uint8_t *wraps = sample->sampler->wrap;
   if (sample->plain && wraps[0] != VGPU_WRAP_EDGE_OLD && wraps[1] != VGPU_WRAP_EDGE_OLD &&
       vgpu_plain_filter(sample, level, spans, sum)) {
      return;
   }
   memset(sum, 0, 4 * sizeof(*sum));
   const unsigned count = dimensions(sample->image);
   for (unsigned corner = 0; corner < 1u << count; corner++) {
      int64_t texel[3] = {0};
      double weight = 1;
      for (unsigned i = 0; i < count; i++) {
         const bool next = corner >> i & 1;
         texel[i] = spans[i].first + next;
         weight *= next ? spans[i].next : 1 - spans[i].next;
      }
      if (weight > 0) {
         uint32_t channels[4];
         read_wrapped(sample, level, texel, channels);
         apply_comparison(sample, channels);
         for (unsigned i = 0; i < 4; i++) {
            sum[i] += weight * (double)vgpu_bits_float(channels[i]);
         }
      }
   }
}

static void take_nearest(const struct vgpu_sample *sample, unsigned level, uint32_t channels[4])
{
   struct vgpu_span spans[3];
   find_spans(sample, level, false, spans);
   read_wrapped(sample, level, (const int64_t[3]){spans[0].first, spans[1].first, spans[2].first}, channels);
   apply_comparison(sample, channels);
}

/* One component of the four texels that a linear filter takes: below left, below right, above right, above left. */
static void gather(const struct vgpu_sample *sample, uint32_t channels[4])
{
   static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
   struct vgpu_span spans[3];
   find_spans(sample, sample->image->first_level, true, spans);
   for (unsigned i = 0; i < 4; i++) {
      uint32_t texel[4];
      const int64_t at[3] = {spans[0].first + order[i][0], spans[1].first + order[i][1], 0};
      read_wrapped(sample, sample->image->first_level, at, texel);
      apply_comparison(sample, texel);
      channels[i] = sample->shadow ? texel[0] : vgpu_image_component(sample->image, texel, (unsigned)sample->gather);
   }
}

/* A direction becomes a face, whose layer is the sample's. */
static struct vgpu_sample on_face(const struct vgpu_sample *sample)
{
   struct vgpu_sample found = *sample;
   found.layer = sample->layer * 6 + face_of(sample->at, found.at);
   return found;
}

static double level_of(const struct vgpu_sample *sample)
{
   const struct vgpu_sampler *sampler = sample->sampler;
   const double level = isnan(sample->level) ? 0 : sample->level;
   return least(most(level, sampler->least_level), sampler->most_level);
}

bool vgpu_sampler_needs_level(const struct vgpu_sampler *sampler)
{
   return sampler->mip_filter != MIP_NONE || sampler->linear_up != sampler->linear_down;
}

/* vgpu_f32_from_double() of a sum of fractions. */
static uint32_t round_sum(double sum)
{
   const float value = (float)sum;
   uint32_t bits;
   if (!(value > 0x1p-100f)) {
      return vgpu_f32_from_double(sum);
   }
   memcpy(&bits, &value, sizeof(bits));
   return bits;
}

/* The level that the mip filter takes, counted from the first one; a fraction lies between two. */
static double level_taken(const struct vgpu_sample *sample)
{
   const uint8_t mip_filter = sample->sampler->mip_filter;
   const double last = sample->image->last_level - sample->image->first_level;
   const double at = mip_filter == MIP_NONE ? 0 : least(most(level_of(sample), 0), last);
   return mip_filter == MIP_NEAREST ? most((double)-vgpu_floor(-(at + 0.5)) - 1, 0) : at;
}

static void take(const struct vgpu_sample *sample, uint32_t channels[4])
{
   const struct vgpu_image *image = sample->image;
   const struct vgpu_sampler *sampler = sample->sampler;
   const double at = level_taken(sample);
   const bool linear =
       (level_of(sample) > 0 ? sampler->linear_down : sampler->linear_up) && !vgpu_image_is_integer(image);
   const unsigned whole = (unsigned)at;
   const unsigned first = image->first_level + whole;
   const double part = vgpu_round_weight(at - whole);
   if (!linear && part <= 0) {
      take_nearest(sample, first, channels);
      return;
   }
   double sum[4], next[4] = {0};
   filter(sample, first, linear, sum);
   if (part > 0) {
      filter(sample, first + 1, linear, next);
   }
   for (unsigned i = 0; i < 4; i++) {
      channels[i] = round_sum(sum[i] * (1 - part) + next[i] * part);
   }
}

/* take() of a plain image without levels of detail; false: the general road. */
static bool take_plain(const struct vgpu_sample *sample, uint32_t channels[4])
{
   const struct vgpu_sampler *sampler = sample->sampler;
   const struct vgpu_mip *mip = &sample->image->mips[sample->image->first_level];
   const double width = sampler->pixels ? 1 : mip->width, height = sampler->pixels ? 1 : mip->height;
   double sum[4];
   if (!sample->plain || sample->gather >= 0 || !sampler->linear_up || vgpu_sampler_needs_level(sampler) ||
       sampler->wrap[0] == VGPU_WRAP_EDGE_OLD || sampler->wrap[1] == VGPU_WRAP_EDGE_OLD) {
      return false;
   }
   const struct vgpu_span spans[2] = {vgpu_span_of(sample->at[0] * width, sample->offset[0], true),
                                      vgpu_span_of(sample->at[1] * height, sample->offset[1], true)};
   if (!vgpu_plain_filter(sample, sample->image->first_level, spans, sum)) {
      return false;
   }
   for (unsigned i = 0; i < 4; i++) {
      channels[i] = round_sum(sum[i]);
   }
   return true;
}

void vgpu_sample_take(const struct vgpu_sample *sample, uint32_t channels[4])
{
   if (take_plain(sample, channels)) {
      return;
   }
   memset(channels, 0, 4 * sizeof(*channels));
   if (sample->image->null) {
      return;
   }
   const struct vgpu_sample found = is_cube(sample->image) ? on_face(sample) : *sample;
   if (sample->gather >= 0) {
      gather(&found, channels);
   } else {
      take(&found, channels);
   }
}

void vgpu_sample_query(const struct vgpu_sample *sample, uint32_t channels[4])
{
   memset(channels, 0, 4 * sizeof(*channels));
   if (!sample->image->null) {
      channels[0] = vgpu_f32_from_double(level_taken(sample));
      channels[1] = vgpu_f32_from_double(isnan(sample->level) ? 0 : sample->level);
   }
}

void vgpu_cube_gradients(const double direction[3], float gradients[6])
{
   double at[2];
   const unsigned face = face_of(direction, at);
   const double major = along(direction, faces[face].axis);
   const int8_t *const axes[2] = {faces[face].right, faces[face].down};
   float found[4];
   for (unsigned side = 0; side < 2; side++) {
      const double step[3] = {(double)gradients[side], (double)gradients[2 + side], (double)gradients[4 + side]};
      for (unsigned i = 0; i < 2; i++) {
         const double on_face = along(direction, axes[i]);
         found[2 * i + side] = major > 0
                                   ? (float)((along(step, axes[i]) * major - on_face * along(step, faces[face].axis)) /
                                             (2 * major * major))
                                   : 0;
      }
   }
   memcpy(gradients, found, sizeof(found));
}

double vgpu_gradient_level(const struct vgpu_image *image, const float *gradients, unsigned coordinates)
{
   const struct vgpu_mip *mip = &image->mips[image->first_level];
   const double sizes[3] = {mip->width, mip->height, mip->depth};
   double longest = 0;
   for (unsigned side = 0; side < 2; side++) {
      double sum = 0;
      for (unsigned i = 0; i < coordinates; i++) {
         const double step = (double)gradients[2 * i + side] * sizes[i];
         sum += step * step;
      }
      longest = fmax(longest, sum);
   }
   return longest > 0 ? log2(longest) / 2 : -127;
}
