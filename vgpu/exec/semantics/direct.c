/* SPDX-License-Identifier: MIT
 *
 * Texels of a level that is one run of the host's memory.
 */
#include "vgpu/exec/semantics/direct.h"

#include <string.h>

#include "vgpu/exec/semantics/texels.h"

#define ONE 0x3f800000u
#define MOST_WORDS 4u /* of a texel */

/* ---- What is prepared ---- */

/* Whether texels are rows of channels that vgpu_direct_load() decodes. */
static bool find_kind(struct vgpu_direct *direct, const struct vgpu_image *image)
{
   const unsigned bits = vgpu_texel_bits(image);
   direct->bits = bits;
   direct->channels = (uint8_t)(bits ? 8u * image->bytes / bits : 0);
   if (image->type == VGPU_UNORM && bits == 8 && !image->srgb) {
      direct->kind = VGPU_BYTES;
   } else if (image->type == VGPU_FLOAT && bits == 16) {
      direct->kind = VGPU_HALVES;
   } else if (image->type == VGPU_SINT) {
      direct->kind = VGPU_SIGNED_BITS;
   } else {
      direct->kind = VGPU_AS_IT_IS;
      return bits && (image->type == VGPU_UINT || (image->type == VGPU_FLOAT && bits == 32));
   }
   return bits != 0;
}

void vgpu_direct_prepare(struct vgpu_direct *direct, const struct vgpu_sample *sample, unsigned level)
{
   static const uint8_t in_order[4] = {0, 1, 2, 3};
   const struct vgpu_image *image = sample->image;
   const struct vgpu_mip *mip = &image->mips[level % VGPU_MIPS];
   *direct = (struct vgpu_direct){.state = VGPU_NOT_DIRECT, .level = level};
   if (sample->layer != 0 || !vgpu_texels_choose(sample, level) || !sample->plain->texels ||
       sample->plain->compressed || !find_kind(direct, image)) {
      return;
   }
   direct->state = VGPU_DIRECT;
   direct->texels = sample->plain->texels;
   direct->width = mip->width;
   direct->height = mip->height;
   direct->linear = image->layout == VGPU_LINEAR;
   direct->stride = image->stride / 4;
   direct->tile_x = mip->tile_x;
   direct->tile_y = mip->tile_y;
   direct->tiles = mip->tiles;
   direct->words = image->bytes / 4u;
   memcpy(direct->swizzle, image->swizzle, sizeof(direct->swizzle));
   direct->one = vgpu_image_is_integer(image) ? 1 : ONE;
   direct->missing[3] = direct->one;
   direct->in_order = direct->channels == 4 && !memcmp(direct->swizzle, in_order, sizeof(in_order));
}

/* ---- Loads ---- */

/* The number of each texel's first word. A tile's sides are at most 64 texels, so that a half holds all bits of a place
 * in it, each with a zero above it: x is in the low half, y in the high one. */
VGPU_INLINE vu number_of(const struct vgpu_direct *direct, vu x, vu y, unsigned words)
{
   if (direct->linear) {
      return y * direct->stride + x * words;
   }
   const uint32_t mask_x = (1u << direct->tile_x) - 1, mask_y = (1u << direct->tile_y) - 1;
   const vu tile = (y >> direct->tile_y) * direct->tiles + (x >> direct->tile_x);
   vu bits = (x & mask_x) | (y & mask_y) << 16;
   bits = (bits | bits << 4) & 0x0f0f0f0fu;
   bits = (bits | bits << 2) & 0x33333333u;
   bits = (bits | bits << 1) & 0x55555555u;
   return ((tile << (direct->tile_x + direct->tile_y)) + ((bits | bits >> 15) & 0xffffu)) * words;
}

/* Words by their numbers, of as many lanes as a host vector has. Loads of single words into vectors are quicker than a
 * gather, and than words that are stored and loaded again as a vector. */
VGPU_INLINE vu words_at(const uint32_t *from, const uint32_t *numbers)
{
#define FOUR(n)                                                                                                        \
   (int)from[numbers[n]], (int)from[numbers[(n) + 1]], (int)from[numbers[(n) + 2]], (int)from[numbers[(n) + 3]]
#if defined(__AVX512F__)
   const __m256i low = _mm256_setr_epi32(FOUR(0), FOUR(4)), high = _mm256_setr_epi32(FOUR(8), FOUR(12));
   return (vu)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
#elif defined(__AVX2__)
   return (vu)_mm256_setr_epi32(FOUR(0), FOUR(4));
#else
   return (vu)(vi){FOUR(0)};
#endif
#undef FOUR
}

/* A channel whose bits are the highest ones. */
VGPU_INLINE vu decode(unsigned kind, unsigned bits, vu high)
{
   const unsigned down = 32 - bits;
   switch (kind) {
   case VGPU_BYTES:
      return (vu)vgpu_bytes_of(high >> 24);
   case VGPU_HALVES: {
      const vu wide = vgpu_f16_to_f32(high >> 16);
      return vgpu_select((vu)((vi)(wide & 0x7fffffffu) > (vi)vgpu_all(VGPU_F32_INF)), vgpu_all(VGPU_F32_NAN), wide);
   }
   case VGPU_SIGNED_BITS:
      return (vu)((vi)high >> (int)down);
   default:
      return high >> down;
   }
}

/* Whether the numbers of a host vector's lanes count up, as those of neighbours in a row of a linear level do. */
VGPU_INLINE bool counts_up(const uint32_t *numbers)
{
   static const _Alignas(64) uint32_t from_0[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
   return !vgpu_any((vgpu_load(numbers, 0) - vgpu_load(from_0, 0)) ^ vgpu_all(numbers[0]));
}

/* The components in lane vectors from `to` on. `in_order`: component i is channel i, which exists. */
VGPU_INLINE void put(const struct vgpu_direct *direct, const struct vgpu_simd *simd, unsigned mask, uint32_t *to,
                     vu words[MOST_WORDS][VGPU_CHUNKS], const vu *inside, unsigned kind, unsigned bits, bool in_order)
{
   const bool full = simd->exec == UINT32_MAX;
   for (unsigned component = 0; component < 4; component++) {
      const unsigned channel = in_order ? component : direct->swizzle[component], low = channel * bits;
      if (!(mask >> component & 1)) {
         continue;
      }
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         vu value = vgpu_all(channel == 4 ? direct->one : 0);
         if (in_order || channel < direct->channels) {
            value = decode(kind, bits, words[low / 32][i] << (32 - bits - low % 32)) & inside[i];
         } else if (channel < 4) {
            value = vgpu_all(direct->missing[channel]) & inside[i];
         }
         vgpu_store(to, i, full ? value : vgpu_select(vgpu_load(simd->mask, i), value, vgpu_load(to, i)));
      }
      to += VGPU_LANES;
   }
}

/* As vgpu_direct_load(), for texels of so many words and channels of so many bits. */
VGPU_INLINE void load(const struct vgpu_direct *direct, const struct vgpu_simd *simd, unsigned mask, const uint32_t *at,
                      uint32_t *to, unsigned count, unsigned kind, unsigned bits)
{
   VGPU_LANE_ARRAY(uint32_t, numbers);
   vu inside[VGPU_CHUNKS], words[MOST_WORDS][VGPU_CHUNKS];
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) { /* a lane outside loads the first texel */
      const vu x = vgpu_load(at, i), y = vgpu_load(at + VGPU_LANES, i);
      inside[i] = vgpu_load(simd->mask, i) & (vu)(x < vgpu_all(direct->width)) & (vu)(y < vgpu_all(direct->height));
      vgpu_store(numbers, i, number_of(direct, x & inside[i], y & inside[i], count));
   }
   __asm__ volatile("" : : "r"(numbers) : "memory"); /* else the vectors are taken apart */
   for (unsigned n = 0; n < count; n++) {
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         const uint32_t *from = direct->texels + n, *of_part = numbers + i * VGPU_WIDTH;
         if (count == 1 && direct->linear && counts_up(of_part)) {
            memcpy(&words[n][i], from + *of_part, sizeof(words[n][i]));
         } else {
            words[n][i] = words_at(from, of_part);
         }
      }
   }
   if (direct->in_order) {
      put(direct, simd, mask, to, words, inside, kind, bits, true);
   } else {
      put(direct, simd, mask, to, words, inside, kind, bits, false);
   }
}

void vgpu_direct_load(const struct vgpu_direct *direct, const struct vgpu_simd *simd, unsigned mask, const uint32_t *at,
                      uint32_t *to)
{
   if (direct->kind == VGPU_BYTES) {
      load(direct, simd, mask, at, to, 1, VGPU_BYTES, 8);
   } else if (direct->words == 1) {
      load(direct, simd, mask, at, to, 1, direct->kind, direct->bits);
   } else {
      load(direct, simd, mask, at, to, direct->words, direct->kind, direct->bits);
   }
}
