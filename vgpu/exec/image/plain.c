/* SPDX-License-Identifier: MIT
 *
 * The quick road to texels: a texel's number is the sum of its column's and its row's share, which are found once for
 * the four texels of a filter. See plain.h for its invariant.
 */
#include "vgpu/exec/image/plain.h"

#include <string.h>

#include "vgpu/exec/fault.h"

#define SIDE 16u            /* texels that have metadata together */
#define TEXEL 4u            /* bytes */
#define MOST_PARTS 4u       /* of 16 x 16 texels that are looked at one by one */
#define MOST_RUN 0x100000u  /* bytes of a level whose pages are looked at together */
#define MOST_BYTES 0x10000u /* of a level's metadata that are looked at together */
#define FEW_BYTES 0x1000u   /* of metadata: those of the whole level are looked at before any part's */

/* The low six bits, each with a zero above it: no tile of such texels has longer sides. */
#define BIT(i, n) ((i) >> (n)&1) << 2 * (n)
#define ONE(i) (uint16_t)(BIT(i, 0) | BIT(i, 1) | BIT(i, 2) | BIT(i, 3) | BIT(i, 4) | BIT(i, 5))
#define FOUR(i) ONE(i), ONE((i) + 1), ONE((i) + 2), ONE((i) + 3)
#define MANY(i) FOUR(i), FOUR((i) + 4), FOUR((i) + 8), FOUR((i) + 12)
static const uint16_t spread[64] = {MANY(0), MANY(16), MANY(32), MANY(48)};

/* The host's memory of a level from the address on, if its pages lie there one after the other. NULL: they do not, or
 * are many. */
static const uint32_t *find_run(const struct vgpu_sample *sample, const struct vgpu_mip *mip, uint64_t address)
{
   struct vgpu_memory *memory = &sample->simd->worker->memory;
   const struct vgpu_image *image = sample->image;
   const uint64_t rows = (mip->height + (UINT64_C(1) << mip->tile_y) - 1) >> mip->tile_y;
   const uint64_t bytes = image->layout == VGPU_LINEAR
                              ? (uint64_t)(mip->height - 1) * image->stride + (uint64_t)mip->width * image->bytes
                              : (rows * mip->tiles << (mip->tile_x + mip->tile_y)) * image->bytes;
   const uint8_t *start = bytes <= MOST_RUN ? vgpu_memory_at(memory, address, VGPU_READ) : NULL;
   for (uint64_t done = VGPU_PAGE - address % VGPU_PAGE; start && done < bytes; done += VGPU_PAGE) {
      start = vgpu_memory_at(memory, address + done, VGPU_READ) == start + done ? start : NULL;
   }
   return (const void *)start;
}

bool vgpu_plain_choose(const struct vgpu_sample *sample, unsigned level)
{
   const struct vgpu_image *image = sample->image;
   struct vgpu_plain *plain = sample->plain;
   if (plain->image == image && plain->level == level && plain->layer == sample->layer) {
      return true;
   }
   const struct vgpu_texel_place corner = {.layer = sample->layer, .level = level};
   if (!vgpu_texel_exists(image, &corner)) {
      return false;
   }
   *plain = (struct vgpu_plain){.image = image,
                                .level = level,
                                .layer = sample->layer,
                                .address = vgpu_texel_address(image, &corner),
                                .solid = vgpu_solid_mode(image),
                                .compressed = image->metadata && image->mips[level].compressed};
   plain->texels = find_run(sample, &image->mips[level], plain->address);
   return true;
}

/* A column's or row's share of the texel's number. `step`: of the next tile in that direction, in tiles. */
static uint64_t share_of(const struct vgpu_mip *mip, uint32_t at, unsigned tile_log2, uint32_t step, unsigned shift)
{
   return ((uint64_t)(at >> tile_log2) * step << (mip->tile_x + mip->tile_y)) +
          ((uint64_t)spread[at & ((1u << tile_log2) - 1)] << shift);
}

/* Finds the modes of the 16 x 16 texels around a place; false: they are not mapped. */
static bool find_modes(const struct vgpu_sample *sample, uint32_t x, uint32_t y)
{
   struct vgpu_plain *plain = sample->plain;
   const uint64_t key = 1 | (uint64_t)(x / SIDE) << 1 | (uint64_t)(y / SIDE) << 32;
   if (plain->key != key) {
      const struct vgpu_texel_place place = {.x = x, .y = y, .layer = plain->layer, .level = plain->level};
      const uint64_t address = vgpu_metadata_address(sample->image, &place);
      const uint8_t *modes = vgpu_memory_at(&sample->simd->worker->memory, address, VGPU_READ);
      if (!modes) {
         return false;
      }
      memcpy(plain->modes, modes, sizeof(plain->modes));
      plain->has_solid = memchr(modes, plain->solid, sizeof(plain->modes)) != NULL;
      plain->key = key;
   }
   return true;
}

/* Bytes of the level's metadata. */
static uint64_t metadata_bytes(const struct vgpu_sample *sample)
{
   const struct vgpu_mip *mip = &sample->image->mips[sample->plain->level];
   const uint64_t parts = (uint64_t)((mip->width + SIDE - 1) / SIDE) * ((mip->height + SIDE - 1) / SIDE);
   return parts * sizeof(sample->plain->modes);
}

/* Whether no part of the level has one colour. Only of levels without padding, whose metadata are one run. */
static bool all_have_bytes(const struct vgpu_sample *sample)
{
   struct vgpu_plain *plain = sample->plain;
   const struct vgpu_mip *mip = &sample->image->mips[plain->level];
   if (plain->whole == VGPU_NOT_LOOKED_AT) {
      const struct vgpu_texel_place corner = {.layer = plain->layer, .level = plain->level};
      const uint64_t start = vgpu_metadata_address(sample->image, &corner);
      const bool power = !(mip->width & (mip->width - 1)) && !(mip->height & (mip->height - 1));
      const uint64_t end = start + metadata_bytes(sample);
      plain->whole = power && end - start <= MOST_BYTES ? VGPU_ALL_BYTES : VGPU_SOME_SOLID;
      for (uint64_t at = start; at < end && plain->whole == VGPU_ALL_BYTES;) {
         const uint64_t page = at - at % VGPU_PAGE + VGPU_PAGE, to = page < end ? page : end;
         const uint8_t *modes = vgpu_memory_at(&sample->simd->worker->memory, at, VGPU_READ);
         if (!modes || memchr(modes, plain->solid, to - at)) {
            plain->whole = VGPU_SOME_SOLID;
         }
         at = to;
      }
   }
   return plain->whole == VGPU_ALL_BYTES;
}

bool vgpu_plain_has_bytes(const struct vgpu_sample *sample, const uint32_t box[4])
{
   const uint32_t left = box[0] / SIDE, top = box[1] / SIDE, right = box[2] / SIDE, bottom = box[3] / SIDE;
   if (!sample->plain->compressed) {
      return true;
   }
   const bool many = (uint64_t)(right - left + 1) * (bottom - top + 1) > MOST_PARTS;
   if ((many || metadata_bytes(sample) <= FEW_BYTES) && all_have_bytes(sample)) {
      return true;
   }
   if (many) {
      return false;
   }
   for (uint32_t y = top; y <= bottom; y++) {
      for (uint32_t x = left; x <= right; x++) {
         if (!find_modes(sample, x * SIDE, y * SIDE) || sample->plain->has_solid) {
            return false;
         }
      }
   }
   return true;
}

bool vgpu_plain_is_uncompressed(const struct vgpu_sample *sample, const uint32_t box[4])
{
   const uint32_t left = box[0] / SIDE, top = box[1] / SIDE, right = box[2] / SIDE, bottom = box[3] / SIDE;
   const uint64_t wanted = UINT64_C(0x0101010101010101) * vgpu_uncompressed_mode(sample->image);
   uint64_t differs = (uint64_t)(right - left + 1) * (bottom - top + 1) > MOST_PARTS;
   for (uint32_t y = top; y <= bottom && !differs; y++) {
      for (uint32_t x = left; x <= right && !differs; x++) {
         differs = find_modes(sample, x * SIDE, y * SIDE) ? 0 : 1;
         differs |= memcmp(sample->plain->modes, &wanted, sizeof(wanted)) != 0;
      }
   }
   return !differs;
}

/* number: of the texel in its level. A block of one colour has its texel at the start of its 16 x 16 texels. */
static const uint8_t *texel_at(const struct vgpu_sample *sample, uint64_t number, uint32_t x, uint32_t y)
{
   const struct vgpu_plain *plain = sample->plain;
   uint64_t address = plain->address + number * TEXEL;
   if (plain->compressed) {
      const struct vgpu_texel_place place = {.x = x, .y = y};
      if (!find_modes(sample, x, y)) {
         return NULL;
      }
      const unsigned block = plain->has_solid ? vgpu_metadata_block(sample->image, &place) : 0;
      if (plain->has_solid && plain->modes[block] == plain->solid) {
         const struct vgpu_texel_place first = {
             .x = x - x % SIDE, .y = y - y % SIDE, .layer = plain->layer, .level = plain->level};
         address = vgpu_texel_address(sample->image, &first) + (uint64_t)block * TEXEL;
      }
   }
   return vgpu_memory_at(&sample->simd->worker->memory, address, VGPU_READ);
}

const uint8_t *vgpu_plain_texel(const struct vgpu_sample *sample, unsigned level, uint32_t x, uint32_t y)
{
   if (!vgpu_plain_choose(sample, level)) {
      return NULL;
   }
   const struct vgpu_mip *mip = &sample->image->mips[level];
   return texel_at(sample, share_of(mip, x, mip->tile_x, 1, 0) + share_of(mip, y, mip->tile_y, mip->tiles, 1), x, y);
}

/* The two texels of a span, wrapped; false: one of them is the border. */
static bool wrap_span(uint8_t mode, const struct vgpu_span *span, uint32_t size, uint32_t at[2])
{
   for (unsigned i = 0; i < 2; i++) {
      const int64_t texel = span->first + i;
      const int64_t wrapped = texel >= 0 && texel < size ? texel : vgpu_wrap(mode, texel, size);
      if (wrapped < 0) {
         return false;
      }
      at[i] = (uint32_t)wrapped;
   }
   return true;
}

bool vgpu_plain_filter(const struct vgpu_sample *sample, unsigned level, const struct vgpu_span spans[2], double sum[4])
{
   const struct vgpu_mip *mip = &sample->image->mips[level];
   const uint8_t *wrap = sample->sampler->wrap;
   uint32_t x[2], y[2];
   uint64_t across[2], down[2];
   double sums[4] = {0};
   if (!wrap_span(wrap[0], &spans[0], mip->width, x) || !wrap_span(wrap[1], &spans[1], mip->height, y) ||
       !vgpu_plain_choose(sample, level)) {
      return false;
   }
   for (unsigned i = 0; i < 2; i++) {
      across[i] = share_of(mip, x[i], mip->tile_x, 1, 0);
      down[i] = share_of(mip, y[i], mip->tile_y, mip->tiles, 1);
   }
   for (unsigned corner = 0; corner < 4; corner++) {
      const unsigned right = corner & 1, low = corner >> 1;
      const double weight = (right ? spans[0].next : 1 - spans[0].next) * (low ? spans[1].next : 1 - spans[1].next);
      if (!(weight > 0)) {
         continue;
      }
      const uint8_t *texel = texel_at(sample, across[right] + down[low], x[right], y[low]);
      if (!texel) {
         return false;
      }
      for (unsigned i = 0; i < 4; i++) {
         sums[i] += weight * (double)vgpu_bytes_of_one[texel[i]];
      }
   }
   memcpy(sum, sums, sizeof(sums));
   return true;
}
