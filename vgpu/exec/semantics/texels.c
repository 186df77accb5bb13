/* SPDX-License-Identifier: MIT
 *
 * Texels of all lanes: loops over lanes that the compiler makes vectors of.
 */
#include "vgpu/exec/semantics/texels.h"

#include <string.h>

#include "vgpu/exec/semantics/vector.h"

#define ONE 0x3f800000u
#define PAGE_WORDS (VGPU_PAGE / 4)

/* ---- Where they lie ---- */

/* The bits of a number below 256, each with a zero above it. */
VGPU_INLINE vu spread(vu bits)
{
   bits = (bits | bits << 4) & 0x0f0f;
   bits = (bits | bits << 2) & 0x3333;
   return (bits | bits << 1) & 0x5555;
}

void vgpu_texel_shares(const struct vgpu_mip *mip, const uint32_t at[VGPU_LANES], bool down,
                       uint32_t shares[VGPU_LANES])
{
   const unsigned tile_log2 = down ? mip->tile_y : mip->tile_x, all_log2 = mip->tile_x + mip->tile_y;
   const uint32_t mask = (1u << tile_log2) - 1, step = down ? mip->tiles : 1;
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu place = vgpu_load(at, i);
      vgpu_store(shares, i, ((place >> tile_log2) * step << all_log2) + (spread(place & mask) << (down ? 1 : 0)));
   }
}

/* Each word is loaded by itself: that is as quick as a gather where gathers are quick, and much quicker where they are
 * not. */
bool vgpu_texel_fetch(struct vgpu_memory *memory, const struct vgpu_plain *plain, unsigned offset,
                      const uint32_t numbers[VGPU_LANES], uint32_t words[VGPU_LANES])
{
   uint64_t page = UINT64_MAX;
   const uint32_t *from = plain->texels;
   for (unsigned lane = 0; lane < VGPU_LANES && from; lane++) {
      size_t number = numbers[lane];
      __asm__("" : "+r"(number)); /* no vector of numbers, which would be taken apart */
      words[lane] = from[number + offset];
   }
   for (unsigned lane = 0; lane < VGPU_LANES && !plain->texels; lane++) {
      const uint64_t word = plain->address / 4 + numbers[lane] + offset;
      if (word / PAGE_WORDS != page) {
         page = word / PAGE_WORDS;
         from = (const void *)vgpu_memory_at(memory, page * VGPU_PAGE, VGPU_READ);
         if (!from) {
            return false;
         }
      }
      words[lane] = from[word % PAGE_WORDS];
   }
   return true;
}

/* ---- What they are ---- */

unsigned vgpu_texel_bits(const struct vgpu_image *image)
{
   unsigned count = 0;
   while (count < 4 && image->bits[count]) {
      if (image->bits[count++] != image->bits[0]) {
         return 0;
      }
   }
   return image->packing == VGPU_CHANNELS && count * image->bits[0] == 8u * image->bytes ? image->bits[0] : 0;
}

/* One channel of some lanes, whose bits are the low ones; of a signed format, with copies of the sign above. */
VGPU_INLINE vu decode_channel(const struct vgpu_image *image, unsigned bits, vu value)
{
   if (image->type == VGPU_UNORM) {
      return (vu)vgpu_bytes_of(value);
   }
   if (image->type != VGPU_FLOAT || bits == 32) {
      return value;
   }
   const vu wide = vgpu_f16_to_f32(value);
   return vgpu_select((vu)((vi)(wide & 0x7fffffffu) > (vi)vgpu_all(VGPU_F32_INF)), vgpu_all(VGPU_F32_NAN), wide);
}

/* As vgpu_texel_decode() does; false: not a format for that. */
static bool decode(const struct vgpu_image *image, uint32_t words[4][VGPU_LANES], uint32_t channels[4][VGPU_LANES])
{
   const unsigned bits = vgpu_texel_bits(image);
   const bool bytes = image->type == VGPU_UNORM && bits == 8 && !image->srgb;
   const bool whole = image->type == VGPU_UINT || image->type == VGPU_SINT ||
                      (image->type == VGPU_FLOAT && (bits == 16 || bits == 32));
   if (!bits || !(bytes || whole)) {
      return false;
   }
   for (unsigned i = 0; i < 4; i++) {
      const uint32_t missing = i < 3 ? 0 : vgpu_image_is_integer(image) ? 1 : ONE;
      const unsigned low = i * bits, up = 32 - bits - low % 32, down = 32 - bits;
      for (unsigned chunk = 0; chunk < VGPU_CHUNKS; chunk++) {
         vu value = vgpu_all(missing);
         if (image->bits[i]) {
            const vu high = vgpu_load(words[low / 32], chunk) << up;
            value = decode_channel(image, bits, image->type == VGPU_SINT ? (vu)((vi)high >> (int)down) : high >> down);
         }
         vgpu_store(channels[i], chunk, value);
      }
   }
   return true;
}

static void decode_each(const struct vgpu_image *image, uint32_t words[4][VGPU_LANES], uint32_t channels[4][VGPU_LANES])
{
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      const uint32_t texel[4] = {words[0][lane], words[1][lane], words[2][lane], words[3][lane]};
      uint32_t one[4];
      vgpu_texel_decode(image, (const uint8_t *)texel, one);
      for (unsigned i = 0; i < 4; i++) {
         channels[i][lane] = one[i];
      }
   }
}

/* ---- Places ---- */

static bool is_usual(const struct vgpu_image *image, const struct vgpu_mip *mip)
{
   const bool linear = image->layout == VGPU_LINEAR;
   return (linear || image->layout == VGPU_TWIDDLED) && image->packing < VGPU_BLOCKS && image->samples_log2 == 0 &&
          !image->null && image->bytes >= 4 && mip->width <= VGPU_MOST_SIDE && mip->height <= VGPU_MOST_SIDE &&
          (!linear || (image->stride % 4 == 0 && image->stride < UINT32_MAX / VGPU_MOST_SIDE));
}

/* The lanes' places: an inactive lane, and one outside, is where a lane inside is. Returns those inside of `active`. */
static uint32_t find_places(const struct vgpu_mip *mip, const struct vgpu_simd *simd, uint32_t active,
                            const uint32_t *const at[2], uint32_t places[2][VGPU_LANES])
{
   VGPU_LANE_ARRAY(uint32_t, in);
   uint32_t inside = 0;
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vu mask = vgpu_load(simd->mask, i) & (vu)(vgpu_load(at[0], i) < vgpu_all(mip->width));
      mask &= at[1] ? (vu)(vgpu_load(at[1], i) < vgpu_all(mip->height)) : mask;
      vgpu_store(in, i, mask);
      inside |= vgpu_bits(mask, i);
   }
   inside &= active;
   for (unsigned axis = 0; axis < 2 && inside; axis++) {
      const vu spare = vgpu_all(at[axis] ? at[axis][__builtin_ctz(inside)] : 0);
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         const vu place = at[axis] ? vgpu_load(at[axis], i) : spare;
         vgpu_store(places[axis], i, vgpu_select(vgpu_load(in, i), place, spare));
      }
   }
   return inside;
}

static void find_box(uint32_t places[2][VGPU_LANES], uint32_t box[4])
{
   for (unsigned axis = 0; axis < 2; axis++) {
      uint32_t least = places[axis][0], most = least;
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         least = places[axis][lane] < least ? places[axis][lane] : least;
         most = places[axis][lane] > most ? places[axis][lane] : most;
      }
      box[axis] = least;
      box[2 + axis] = most;
   }
}

/* Numbers of the texels' first words, from the level's start on. */
static void find_numbers(const struct vgpu_image *image, const struct vgpu_mip *mip, uint32_t places[2][VGPU_LANES],
                         uint32_t numbers[VGPU_LANES])
{
   const unsigned texel = image->bytes / 4;
   VGPU_LANE_ARRAY(uint32_t, across);
   if (image->layout == VGPU_LINEAR) {
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         vgpu_store(numbers, i, vgpu_load(places[1], i) * (image->stride / 4) + vgpu_load(places[0], i) * texel);
      }
      return;
   }
   vgpu_texel_shares(mip, places[0], false, across);
   vgpu_texel_shares(mip, places[1], true, numbers);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(numbers, i, (vgpu_load(numbers, i) + vgpu_load(across, i)) * texel);
   }
}

bool vgpu_texels_choose(const struct vgpu_sample *sample, unsigned level)
{
   const struct vgpu_image *image = sample->image;
   return level >= image->first_level && level <= image->last_level && is_usual(image, &image->mips[level]) &&
          vgpu_plain_choose(sample, level) && sample->plain->address % 4 == 0;
}

/* ---- Loads ---- */

bool vgpu_texels_load(const struct vgpu_sample *sample, unsigned level, const uint32_t *const at[2],
                      uint32_t channels[4][VGPU_LANES], uint32_t *inside)
{
   const struct vgpu_image *image = sample->image;
   const struct vgpu_mip *mip = &image->mips[level];
   VGPU_LANE_ARRAY(uint32_t, places[2]);
   VGPU_LANE_ARRAY(uint32_t, numbers);
   VGPU_LANE_ARRAY(uint32_t, words[4]);
   uint32_t box[4];
   if (!vgpu_texels_choose(sample, level)) {
      return false;
   }
   *inside = find_places(mip, sample->simd, UINT32_MAX, at, places);
   if (!*inside) {
      memset(channels, 0, 4 * sizeof(channels[0]));
      return true;
   }
   if (sample->plain->compressed) {
      find_box(places, box);
      if (!vgpu_plain_has_bytes(sample, box)) {
         return false;
      }
   }
   find_numbers(image, mip, places, numbers);
   for (unsigned i = 0; i < image->bytes / 4u; i++) {
      if (!vgpu_texel_fetch(&sample->simd->worker->memory, sample->plain, i, numbers, words[i])) {
         return false;
      }
   }
   if (!decode(image, words, channels)) {
      decode_each(image, words, channels);
   }
   for (unsigned lane = 0; lane < VGPU_LANES && *inside != UINT32_MAX; lane++) {
      for (unsigned i = 0; i < 4 && !(*inside >> lane & 1); i++) {
         channels[i][lane] = 0;
      }
   }
   return true;
}

/* ---- Stores ---- */

/* 255 times the value, limited to 0 and 1, to nearest even: the sum of the product and 2^23 is rounded once, to a whole
 * number. */
VGPU_INLINE vu encode_byte(vu bits)
{
   const vf value = (vf)bits, one = (vf)vgpu_all(ONE);
   const vu most = vgpu_select((vu)(value < one), bits, (vu)one) & (vu)(value > 0);
   return (vu)vgpu_fma((vf)most, (vf)vgpu_all(0x437f0000u), (vf)vgpu_all(0x4b000000u)) & 0xff;
}

/* As vgpu_texel_encode() does. */
static void encode(const struct vgpu_image *image, uint32_t channels[4][VGPU_LANES], uint32_t words[4][VGPU_LANES])
{
   const unsigned bits = vgpu_texel_bits(image);
   if (bits == 8 && image->type == VGPU_UNORM && !image->srgb) {
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         vu word = vgpu_all(0);
         for (unsigned n = 0; n < 4; n++) {
            word |= encode_byte(vgpu_load(channels[n], i)) << 8 * n;
         }
         vgpu_store(words[0], i, word);
      }
   } else if (bits == 32 && image->type >= VGPU_UINT) {
      memcpy(words, channels, 4 * sizeof(words[0]));
   } else {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         const uint32_t one[4] = {channels[0][lane], channels[1][lane], channels[2][lane], channels[3][lane]};
         uint32_t texel[4];
         vgpu_texel_encode(image, one, (uint8_t *)texel);
         for (unsigned i = 0; i < 4; i++) {
            words[i][lane] = texel[i];
         }
      }
   }
}

bool vgpu_texels_store(const struct vgpu_sample *sample, uint32_t active, const uint32_t *const at[2],
                       uint32_t channels[4][VGPU_LANES])
{
   const struct vgpu_image *image = sample->image;
   const unsigned level = image->first_level, texel = image->bytes / 4;
   const struct vgpu_mip *mip = &image->mips[level];
   VGPU_LANE_ARRAY(uint32_t, places[2]);
   VGPU_LANE_ARRAY(uint32_t, numbers);
   VGPU_LANE_ARRAY(uint32_t, words[4]);
   uint32_t box[4];
   if (!vgpu_texels_choose(sample, level)) {
      return false;
   }
   uint32_t left = find_places(mip, sample->simd, active, at, places);
   if (!left) {
      return true;
   }
   if (sample->plain->compressed) {
      find_box(places, box);
      if (!vgpu_plain_is_uncompressed(sample, box)) {
         return false;
      }
   }
   find_numbers(image, mip, places, numbers);
   encode(image, channels, words);
   uint64_t page = UINT64_MAX;
   for (uint32_t *to = NULL; left; left &= left - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(left);
      for (unsigned i = 0; i < texel; i++) {
         const uint64_t word = sample->plain->address / 4 + numbers[lane] + i;
         if (word / PAGE_WORDS != page) {
            page = word / PAGE_WORDS;
            to = (void *)vgpu_memory_at(&sample->simd->worker->memory, page * VGPU_PAGE, VGPU_WRITE);
            if (!to) {
               return false;
            }
         }
         to[word % PAGE_WORDS] = words[i][lane];
      }
   }
   return true;
}
