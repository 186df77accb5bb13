/* SPDX-License-Identifier: MIT
 *
 * Descriptors of textures and images, and the bytes of their texels. Bits by Mesa 25.0.7's genxml/cmdbuf.xml, the
 * order of texels by its layout/layout.c (facts only).
 *
 * Invariant: an unknown descriptor gives a reason, and no access.
 */
#ifndef VGPU_IMAGE_FORMAT_H
#define VGPU_IMAGE_FORMAT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/array.h"

#include "vgpu/exec/half.h"

enum vgpu_texel_type { VGPU_UNORM, VGPU_SNORM, VGPU_UINT, VGPU_SINT, VGPU_FLOAT };
enum vgpu_layout { VGPU_LINEAR = 0, VGPU_TWIDDLED = 2 };

struct vgpu_image {
   uint64_t address;
   uint32_t width, height;
   uint32_t stride;     /* bytes of a row; linear layout only */
   uint8_t layout;      /* enum vgpu_layout */
   uint8_t type;        /* enum vgpu_texel_type */
   uint8_t bytes;       /* of a texel */
   uint8_t bits[4];     /* of each channel; 0: it has none */
   uint8_t swizzle[4];  /* 0..3 a channel, 4 one, 5 zero */
   const char *problem; /* NULL: good */
};

/* A channel's number: bits and their order. */
static const struct {
   uint8_t number, bytes, bits[4];
} vgpu_channels[] = {
    {0x00, 1, {8}},
    {0x09, 2, {16}},
    {0x0A, 2, {8, 8}},
    {0x0B, 2, {5, 6, 5}},
    {0x21, 4, {32}},
    {0x23, 4, {16, 16}},
    {0x26, 4, {10, 10, 10, 2}},
    {0x28, 4, {8, 8, 8, 8}},
    {0x31, 8, {32, 32}},
    {0x32, 8, {16, 16, 16, 16}},
    {0x38, 16, {32, 32, 32, 32}},
};

static inline uint64_t vgpu_image_bits(const uint64_t words[3], unsigned low, unsigned count)
{
   uint64_t value = words[low / 64] >> low % 64;
   if (low % 64 + count > 64) {
      value |= words[low / 64 + 1] << (64 - low % 64);
   }
   return value & (count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1);
}

/* What both descriptors have at the same place. */
static inline void vgpu_image_common(struct vgpu_image *image, const uint64_t words[3])
{
   uint32_t channels = (uint32_t)vgpu_image_bits(words, 6, 7);
   *image = (struct vgpu_image){.layout = (uint8_t)vgpu_image_bits(words, 4, 2),
                                .type = (uint8_t)vgpu_image_bits(words, 13, 3),
                                .problem = "channels that the virtual GPU lacks"};
   for (unsigned i = 0; i < ARRAY_COUNT(vgpu_channels); i++) {
      if (vgpu_channels[i].number == channels) {
         image->bytes = vgpu_channels[i].bytes;
         memcpy(image->bits, vgpu_channels[i].bits, sizeof(image->bits));
         image->problem = NULL;
      }
   }
   uint32_t dimension = (uint32_t)vgpu_image_bits(words, 0, 4);
   if (dimension != 0 && dimension != 2) {
      image->problem = "neither 1D nor 2D";
   } else if (image->type > VGPU_FLOAT || (image->type == VGPU_FLOAT && image->bits[0] < 16)) {
      image->problem = "a type that the virtual GPU lacks";
   } else if (image->layout != VGPU_LINEAR && image->layout != VGPU_TWIDDLED) {
      image->problem = "a compressed layout";
   }
}

static inline void vgpu_texture_read(struct vgpu_image *image, const uint64_t words[3])
{
   vgpu_image_common(image, words);
   for (unsigned i = 0; i < 4; i++) {
      image->swizzle[i] = (uint8_t)vgpu_image_bits(words, 16 + 3 * i, 3);
   }
   image->width = (uint32_t)vgpu_image_bits(words, 28, 14) + 1;
   image->height = (uint32_t)vgpu_image_bits(words, 42, 14) + 1;
   image->address = vgpu_image_bits(words, 66, 36) << 4;
   if (image->layout == VGPU_LINEAR) {
      image->stride = ((uint32_t)vgpu_image_bits(words, 110, 16) << 4) + 16; /* bits 126 and 127 are flags */
   }
   if (vgpu_image_bits(words, 56, 8)) {
      image->problem = "levels of detail";
   } else if (vgpu_image_bits(words, 108, 2)) {
      image->problem = "sRGB";
   } else if (vgpu_image_bits(words, 106, 2) || vgpu_image_bits(words, 103, 1)) {
      image->problem = "a compressed layout";
   }
}

static inline void vgpu_pbe_read(struct vgpu_image *image, const uint64_t words[3])
{
   vgpu_image_common(image, words);
   for (unsigned i = 0; i < 4; i++) {
      image->swizzle[i] = (uint8_t)vgpu_image_bits(words, 16 + 2 * i, 2);
   }
   image->width = (uint32_t)vgpu_image_bits(words, 24, 14) + 1;
   image->height = (uint32_t)vgpu_image_bits(words, 38, 14) + 1;
   image->address = vgpu_image_bits(words, 64, 36) << 4;
   if (image->layout == VGPU_LINEAR) {
      image->stride = (uint32_t)vgpu_image_bits(words, 104, 21) + 4;
   }
   if (vgpu_image_bits(words, 100, 4) || (image->layout == VGPU_TWIDDLED && vgpu_image_bits(words, 104, 4))) {
      image->problem = "levels of detail";
   } else if (vgpu_image_bits(words, 125, 1)) {
      image->problem = "sRGB";
   } else if (vgpu_image_bits(words, 53, 2)) {
      image->problem = "a turned image";
   }
}

static inline uint32_t vgpu_power_of_two(uint32_t value)
{
   return value <= 1 ? 1 : 1u << (32 - __builtin_clz(value - 1));
}

/* Bits of x and y taken in turns, x first; the longer side's remaining ones follow. */
static inline uint32_t vgpu_morton(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
   uint32_t result = 0, at = 0;
   for (uint32_t bit = 1; bit < width || bit < height; bit <<= 1) {
      if (bit < width) {
         result |= (x & bit ? 1u : 0u) << at++;
      }
      if (bit < height) {
         result |= (y & bit ? 1u : 0u) << at++;
      }
   }
   return result;
}

/* Where a texel inside the image lies. */
static inline uint64_t vgpu_texel_address(const struct vgpu_image *image, uint32_t x, uint32_t y)
{
   if (image->layout == VGPU_LINEAR) {
      return image->address + (uint64_t)y * image->stride + (uint64_t)x * image->bytes;
   }
   /* Tiles of 16 KiB, as square as they can be; an image that is smaller on one side has square ones of that side. */
   uint32_t tile_bits = 14u - (uint32_t)__builtin_ctz(image->bytes);
   uint32_t tile_width = 1u << (tile_bits + 1) / 2, tile_height = 1u << tile_bits / 2;
   if (image->width < tile_width || image->height < tile_height) {
      uint32_t least = image->width < image->height ? image->width : image->height;
      tile_width = tile_height = vgpu_power_of_two(least);
   }
   uint32_t in_row = (image->width + tile_width - 1) / tile_width;
   uint64_t tile = (uint64_t)(y / tile_height) * in_row + x / tile_width;
   uint32_t inside = vgpu_morton(x % tile_width, y % tile_height, tile_width, tile_height);
   return image->address + (tile * tile_width * tile_height + inside) * image->bytes;
}

/* A channel of a texel: the bits of an integer, or of an f32. */
static inline uint32_t vgpu_texel_decode(const struct vgpu_image *image, const uint8_t *texel, unsigned channel)
{
   unsigned low = 0, bits = image->bits[channel];
   for (unsigned i = 0; i < channel; i++) {
      low += image->bits[i];
   }
   uint64_t word = 0;
   unsigned first = low / 8, bytes = (low % 8 + bits + 7) / 8;
   memcpy(&word, texel + first, bytes);
   uint32_t value = (uint32_t)(word >> low % 8 & ((UINT64_C(1) << bits) - 1));
   int32_t signed_value = (int32_t)(value << (32 - bits)) >> (32 - bits);
   double most = (double)((UINT64_C(1) << (bits - (image->type == VGPU_SNORM))) - 1);
   switch (image->type) {
   case VGPU_UNORM:
      return vgpu_f32_from_double(value / most);
   case VGPU_SNORM:
      return vgpu_f32_from_double(signed_value / most < -1 ? -1 : signed_value / most);
   case VGPU_SINT:
      return (uint32_t)signed_value;
   case VGPU_FLOAT:
      return bits == 16 ? vgpu_f32_from_double(vgpu_f16_to_double((uint16_t)value)) : value;
   default:
      return value;
   }
}

static inline float vgpu_bits_float(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return value;
}

/* The bits of a channel for what a program writes. */
static inline uint32_t vgpu_texel_encode(const struct vgpu_image *image, unsigned channel, uint32_t value)
{
   unsigned bits = image->bits[channel];
   uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
   double real = vgpu_bits_float(value), most = (double)((UINT64_C(1) << (bits - (image->type == VGPU_SNORM))) - 1);
   real = isnan(real) ? 0 : real;
   switch (image->type) {
   case VGPU_UNORM:
      return (uint32_t)nearbyint((real < 0 ? 0 : real > 1 ? 1 : real) * most);
   case VGPU_SNORM:
      return (uint32_t)(int32_t)nearbyint((real < -1 ? -1 : real > 1 ? 1 : real) * most) & mask;
   case VGPU_UINT:
      return value > mask ? mask : value;
   case VGPU_SINT: {
      int32_t least = (int32_t)(UINT32_MAX << (bits - 1)), largest = (int32_t)(mask >> 1);
      int32_t number = (int32_t)value;
      return (uint32_t)(number < least ? least : number > largest ? largest : number) & mask;
   }
   default:
      return bits == 16 ? vgpu_f16_from_double(vgpu_bits_float(value), false) : value;
   }
}

#endif
