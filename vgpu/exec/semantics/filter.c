/* SPDX-License-Identifier: MIT
 *
 * The linear filter for all lanes: loops over lanes that the compiler makes vectors of. Invariant: a channel is that of
 * vgpu_plain_filter() bit by bit: the exact sum of weights times channels, rounded once.
 *
 * A channel of byte b is b / 255 rounded to f32, which for each of the 256 bytes is (b * 0x808080 + h) / 2^31, where h
 * is b's highest set bit, 0 for 0. So the sum is 0x808080 times the weighted sum of bytes, plus that of h. Weights are
 * multiples of 1/256 along each axis, so both sums have at most 24 bits, and are exact in f32 however they are added
 * up.
 */
#include "vgpu/exec/semantics/filter.h"

#include <math.h>

#include "vgpu/exec/semantics/texels.h"
#include "vgpu/exec/semantics/vector.h"

#define MOST_TEXEL 0x1p30 /* of a coordinate, in texels */

/* Along an axis: the two texels and the weight of the second one. */
struct line {
   VGPU_LANE_ARRAY(int32_t, texels[2]);
   VGPU_LANE_ARRAY(float, next);
};

/* As vgpu_span_of() does; an inactive lane is like the first active one. false: a texel's number is too large for this
 * road. */
static bool find_line(uint32_t exec, const uint32_t *words, double scale, struct line *line)
{
   VGPU_LANE_ARRAY(float, given);
   const uint32_t spare = words[__builtin_ctz(exec)];
   uint32_t far = 0;
   memcpy(given, words, sizeof(given));
   for (unsigned lane = 0; lane < VGPU_LANES && exec != VGPU_ALL; lane++) {
      const uint32_t word = exec >> lane & 1 ? words[lane] : spare;
      memcpy(&given[lane], &word, sizeof(word));
   }
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const double at = (double)given[lane] * scale - 0.5, first = floor(at);
      const bool near = fabs(first) < MOST_TEXEL;
      far |= !near;
      line->texels[0][lane] = (int32_t)(near ? first : 0);
      line->next[lane] = (float)(floor((at - first) * VGPU_FRACTION + 0.5) / VGPU_FRACTION);
   }
   return !far;
}

/* Texels outside of the image; false: one is the border. */
static bool wrap_line(uint8_t mode, int32_t size, struct line *line)
{
   int32_t outside = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      line->texels[1][lane] = line->texels[0][lane] + 1;
   }
   for (unsigned i = 0; i < 2; i++) {
      int32_t *texels = line->texels[i];
      for (unsigned lane = 0; lane < VGPU_LANES && mode == VGPU_WRAP_EDGE; lane++) {
         const int32_t most = texels[lane] < size ? texels[lane] : size - 1;
         texels[lane] = most > 0 ? most : 0;
      }
      for (unsigned lane = 0; lane < VGPU_LANES && mode == VGPU_WRAP_REPEAT && !(size & (size - 1)); lane++) {
         texels[lane] &= size - 1;
      }
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         outside |= texels[lane] | (size - 1 - texels[lane]);
      }
   }
   for (unsigned i = 0; i < 2 * VGPU_LANES && outside < 0; i++) {
      int32_t *texel = &line->texels[i / VGPU_LANES][i % VGPU_LANES];
      const int64_t wrapped = *texel >= 0 && *texel < size ? *texel : vgpu_wrap(mode, *texel, size);
      if (wrapped < 0) {
         return false;
      }
      *texel = (int32_t)wrapped;
   }
   return true;
}

static void find_range(const int32_t texels[2][VGPU_LANES], uint32_t range[2])
{
   int32_t least = INT32_MAX, most = 0;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const int32_t a = texels[0][lane], b = texels[1][lane];
      const int32_t low = a < b ? a : b, high = a < b ? b : a;
      least = low < least ? low : least;
      most = high > most ? high : most;
   }
   range[0] = (uint32_t)least;
   range[1] = (uint32_t)most;
}

/* A byte and its highest set bit: the exponent of the byte as a float. */
struct channel {
   float byte, high;
};

VGPU_INLINE struct channel channel_of(uint32_t texel, unsigned channel)
{
   struct channel value = {.byte = (float)(int32_t)(texel >> 8 * channel & 0xff)};
   uint32_t bits;
   memcpy(&bits, &value.byte, sizeof(bits));
   bits &= VGPU_F32_INF;
   memcpy(&value.high, &bits, sizeof(bits));
   return value;
}

/* Both are exact: `next` is a multiple of 1/256, and results have at most 24 bits. */
VGPU_INLINE struct channel between(struct channel a, struct channel b, float next)
{
   return (struct channel){vgpu_fma_lane(b.byte - a.byte, next, a.byte), vgpu_fma_lane(b.high - a.high, next, a.high)};
}

VGPU_INLINE void mix(uint32_t texels[4][VGPU_LANES], const struct line *x, const struct line *y, unsigned channel,
                     uint32_t to[VGPU_LANES])
{
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const struct channel above =
          between(channel_of(texels[0][lane], channel), channel_of(texels[1][lane], channel), x->next[lane]);
      const struct channel below =
          between(channel_of(texels[2][lane], channel), channel_of(texels[3][lane], channel), x->next[lane]);
      const struct channel all = between(above, below, y->next[lane]);
      const float sum = vgpu_fma_lane(all.byte, 0x808080p0f, all.high) * 0x1p-31f;
      memcpy(&to[lane], &sum, sizeof(sum));
   }
}

bool vgpu_filter_lanes(const struct vgpu_sample *sample, const uint32_t *const at[2], uint32_t channels[4][VGPU_LANES])
{
   const unsigned level = sample->image->first_level;
   const struct vgpu_mip *mip = &sample->image->mips[level];
   const struct vgpu_sampler *sampler = sample->sampler;
   const uint32_t exec = sample->simd->exec;
   struct line x, y;
   VGPU_LANE_ARRAY(uint32_t, across[2]);
   VGPU_LANE_ARRAY(uint32_t, down[2]);
   VGPU_LANE_ARRAY(uint32_t, texels[4]);
   uint32_t columns[2], rows[2];
   if (mip->width > VGPU_MOST_SIDE || mip->height > VGPU_MOST_SIDE || !vgpu_plain_choose(sample, level) ||
       !find_line(exec, at[0], sampler->pixels ? 1 : mip->width, &x) ||
       !find_line(exec, at[1], sampler->pixels ? 1 : mip->height, &y) ||
       !wrap_line(sampler->wrap[0], (int32_t)mip->width, &x) ||
       !wrap_line(sampler->wrap[1], (int32_t)mip->height, &y)) {
      return false;
   }
   find_range(x.texels, columns);
   find_range(y.texels, rows);
   if (!vgpu_plain_has_bytes(sample, (const uint32_t[4]){columns[0], rows[0], columns[1], rows[1]})) {
      return false;
   }
   for (unsigned i = 0; i < 2; i++) {
      vgpu_texel_shares(mip, (const uint32_t *)x.texels[i], false, across[i]);
      vgpu_texel_shares(mip, (const uint32_t *)y.texels[i], true, down[i]);
   }
   for (unsigned corner = 0; corner < 4; corner++) {
      VGPU_LANE_ARRAY(uint32_t, numbers);
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         numbers[lane] = across[corner & 1][lane] + down[corner >> 1][lane];
      }
      if (!vgpu_texel_fetch(&sample->simd->worker->memory, sample->plain, 0, numbers, texels[corner])) {
         return false;
      }
   }
   mix(texels, &x, &y, 0, channels[0]);
   mix(texels, &x, &y, 1, channels[1]);
   mix(texels, &x, &y, 2, channels[2]);
   mix(texels, &x, &y, 3, channels[3]);
   return true;
}
