/* SPDX-License-Identifier: MIT
 *
 * The bytes of a texel, and its channels. Computed in double, which is exact for every format here.
 */
#include "vgpu/exec/image/image.h"

#include <math.h>
#include <string.h>

#include "isa/formats.h"
#include "vgpu/exec/format.h"
#include "vgpu/exec/half.h"
#include "vgpu/exec/image/plain.h"

#define ONE 0x3f800000u

float vgpu_bits_float(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return value;
}

bool vgpu_image_is_integer(const struct vgpu_image *image)
{
   return image->type == VGPU_UINT || image->type == VGPU_SINT;
}

static uint32_t get_bits(const uint8_t *texel, unsigned low, unsigned count)
{
   uint64_t word = 0;
   memcpy(&word, texel + low / 8, (low % 8 + count + 7) / 8);
   return (uint32_t)(word >> low % 8 & ((UINT64_C(1) << count) - 1));
}

/* All of a texel of at most eight bytes. */
static uint64_t word_of(const uint8_t *texel, unsigned bytes)
{
   uint64_t word = 0;
   uint32_t half;
   switch (bytes) {
   case 4:
      memcpy(&half, texel, 4);
      return half;
   case 8:
      memcpy(&word, texel, 8);
      return word;
   default:
      memcpy(&word, texel, bytes);
      return word;
   }
}

static void put_bits(uint8_t *texel, unsigned low, unsigned count, uint32_t value)
{
   uint64_t word = 0;
   const unsigned bytes = (low % 8 + count + 7) / 8;
   memcpy(&word, texel + low / 8, bytes);
   word |= (uint64_t)value << low % 8;
   memcpy(texel + low / 8, &word, bytes);
}

/* The channels of sRGB are the colours; the fourth one is linear. */
static bool is_curved(const struct vgpu_image *image, unsigned channel)
{
   return image->srgb && channel < 3 && image->type == VGPU_UNORM && image->bits[channel] == 8;
}

static uint32_t largest(const struct vgpu_image *image, unsigned bits)
{
   const unsigned magnitude = bits - (image->type == VGPU_SNORM ? 1 : 0);
   return magnitude == 32 ? UINT32_MAX : (1u << magnitude) - 1;
}

#define PART(i) (float)((i) / 255.0)
#define FOUR(i) PART(i), PART((i) + 1), PART((i) + 2), PART((i) + 3)
#define MANY(i) FOUR(i), FOUR((i) + 4), FOUR((i) + 8), FOUR((i) + 12)
#define MOST(i) MANY(i), MANY((i) + 16), MANY((i) + 32), MANY((i) + 48)
const float vgpu_bytes_of_one[256] = {MOST(0), MOST(64), MOST(128), MOST(192)};

static uint32_t float_bits(float value)
{
   uint32_t bits;
   memcpy(&bits, &value, sizeof(bits));
   return bits;
}

static uint32_t decode(const struct vgpu_image *image, unsigned channel, uint32_t value)
{
   const unsigned bits = image->bits[channel];
   const int32_t number = (int32_t)(value << (32 - bits)) >> (32 - bits);
   if (image->type == VGPU_UNORM && bits == 8 && !is_curved(image, channel)) {
      return float_bits(vgpu_bytes_of_one[value]);
   }
   switch (image->type) {
   case VGPU_UNORM:
      return vgpu_f32_from_double(is_curved(image, channel) ? vgpu_unpack(ISA_FORMAT_SRGBA8, value, 0)
                                                            : value / (double)largest(image, bits));
   case VGPU_SNORM:
      return vgpu_f32_from_double(fmax(number / (double)largest(image, bits), -1));
   case VGPU_SINT:
      return (uint32_t)number;
   case VGPU_FLOAT:
      return bits == 16 ? vgpu_f32_from_double(vgpu_f16_to_double((uint16_t)value)) : value;
   default:
      return value;
   }
}

static enum isa_format packed_format(const struct vgpu_image *image)
{
   return image->packing == VGPU_RG11B10 ? ISA_FORMAT_RG11B10F : ISA_FORMAT_RGB9E5;
}

void vgpu_texel_decode(const struct vgpu_image *image, const uint8_t *texel, uint32_t channels[4])
{
   const bool small = image->bytes <= 8;
   const uint64_t word = small ? word_of(texel, image->bytes) : 0;
   unsigned low = 0;
   for (unsigned i = 0; i < 4; i++) {
      const unsigned bits = image->bits[i];
      if (!bits) {
         channels[i] = i < 3 ? 0 : vgpu_image_is_integer(image) ? 1 : ONE;
      } else if (image->packing != VGPU_CHANNELS) {
         channels[i] = vgpu_f32_from_double(vgpu_unpack(packed_format(image), get_bits(texel, 0, 32), i));
      } else {
         const uint64_t mask = (UINT64_C(1) << bits) - 1;
         channels[i] = decode(image, i, small ? (uint32_t)(word >> low & mask) : get_bits(texel, low, bits));
      }
      low += bits;
   }
}

void vgpu_border_decode(const struct vgpu_image *image, const uint32_t border[4], uint32_t channels[4])
{
   struct vgpu_image linear = *image;
   linear.srgb = false;
   for (unsigned i = 0; i < 4; i++) {
      linear.bits[i] = is_curved(image, i) ? 12 : image->bits[i];
      if (!image->bits[i]) {
         channels[i] = i < 3 ? 0 : vgpu_image_is_integer(image) ? 1 : ONE;
      } else if (image->packing == VGPU_RG11B10 || image->packing == VGPU_RGB9E5) {
         channels[i] = vgpu_f32_from_double(vgpu_f16_to_double((uint16_t)border[i]));
      } else {
         channels[i] = decode(&linear, i, border[i]);
      }
   }
}

static double clamp(double value, double least, double most)
{
   return isnan(value) ? 0 : fmin(fmax(value, least), most);
}

static uint32_t encode(const struct vgpu_image *image, unsigned channel, uint32_t value)
{
   const unsigned bits = image->bits[channel];
   const uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
   const double real = (double)vgpu_bits_float(value);
   switch (image->type) {
   case VGPU_UNORM:
      return is_curved(image, channel) ? vgpu_pack(ISA_FORMAT_SRGBA8, &real, 0)
                                       : (uint32_t)nearbyint(clamp(real, 0, 1) * largest(image, bits));
   case VGPU_SNORM:
      return (uint32_t)(int32_t)nearbyint(clamp(real, -1, 1) * largest(image, bits)) & mask;
   case VGPU_UINT:
      return value < mask ? value : mask;
   case VGPU_SINT: {
      const int32_t most = (int32_t)(mask >> 1), number = (int32_t)value;
      return (uint32_t)(number < -most - 1 ? -most - 1 : number > most ? most : number) & mask;
   }
   default:
      return bits == 16 ? vgpu_f16_from_double(real, false) : value;
   }
}

void vgpu_texel_encode(const struct vgpu_image *image, const uint32_t channels[4], uint8_t texel[16])
{
   memset(texel, 0, 16);
   if (image->packing != VGPU_CHANNELS) {
      double values[3];
      for (unsigned i = 0; i < 3; i++) {
         values[i] = (double)vgpu_bits_float(channels[i]);
      }
      put_bits(texel, 0, 32, vgpu_pack(packed_format(image), values, 0));
      return;
   }
   unsigned low = 0;
   for (unsigned i = 0; i < 4 && image->bits[i]; i++) {
      put_bits(texel, low, image->bits[i], encode(image, i, channels[i]));
      low += image->bits[i];
   }
}

uint32_t vgpu_image_component(const struct vgpu_image *image, const uint32_t channels[4], unsigned component)
{
   const uint8_t from = image->swizzle[component];
   return from < 4 ? channels[from] : from == 4 ? (vgpu_image_is_integer(image) ? 1 : ONE) : 0;
}

/* ---- Pixels of threadgroup memory ---- */

/* Whether the image takes the pixel's channels in their order. */
static bool is_ordered(const struct vgpu_image *image)
{
   for (unsigned i = 0; i < 4; i++) {
      if (image->bits[i] && image->swizzle[i] != i) {
         return false;
      }
   }
   return true;
}

/* Whether a channel of the pixel has the bits that the texel's has. */
static bool has_same_bits(const struct vgpu_image *image, unsigned format)
{
   switch (format) {
   case ISA_FORMAT_RGB10A2:
      return image->bits[0] == 10 && image->bits[3] == 2;
   case ISA_FORMAT_RG11B10F:
   case ISA_FORMAT_RG11B10F_RTZ:
      return image->packing == VGPU_RG11B10;
   case ISA_FORMAT_RGB9E5:
   case ISA_FORMAT_RGB9E5_RTZ:
      return image->packing == VGPU_RGB9E5;
   default: {
      const unsigned last = image->bits[3] ? image->bits[3] : image->bits[0];
      return image->packing == VGPU_CHANNELS && image->bits[0] == 8 * isa_formats[format].size &&
             last == image->bits[0];
   }
   }
}

bool vgpu_pixel_is_texel(const struct vgpu_image *image, unsigned format)
{
   return is_ordered(image) && has_same_bits(image, format);
}

/* Channels change places, bits stay: of negative integers, too. */
static bool reorder(const struct vgpu_image *image, unsigned format, const uint8_t *pixel, uint8_t texel[16])
{
   if (isa_formats[format].components || !has_same_bits(image, format)) {
      return false;
   }
   const unsigned bytes = isa_formats[format].size;
   for (unsigned i = 0; i < 4 && image->bits[i]; i++) {
      memcpy(texel + i * bytes, pixel + (image->swizzle[i] & 3) * bytes, bytes);
   }
   return true;
}

/* A component of a pixel, as the bits of an integer or of an f32. Mesa stores pixels as f16 and then names i16 in the
 * write of the block: 16 bits are a float where the image is none of integers. */
static uint32_t pixel_component(const struct vgpu_image *image, unsigned format, const uint8_t *pixel,
                                unsigned component)
{
   const struct isa_format_info *info = &isa_formats[format];
   const bool packed = info->components != 0;
   uint32_t word = 0;
   memcpy(&word, pixel + (packed ? 0 : component * info->size), info->size);
   if (packed && component >= info->components) {
      return component == 3 ? ONE : 0;
   }
   if (info->raw && info->size == 2 && !vgpu_image_is_integer(image)) {
      return vgpu_f32_from_double(vgpu_f16_to_double((uint16_t)word));
   }
   return info->raw                     ? word
          : format == ISA_FORMAT_SRGBA8 ? vgpu_f32_from_double(vgpu_unpack(ISA_FORMAT_U8NORM, word, 0))
                                        : vgpu_f32_from_double(vgpu_unpack((enum isa_format)format, word, component));
}

/* The image has that channel: a pixel in memory has no others. */
static bool has_channel(const struct vgpu_image *image, unsigned channel)
{
   return image->packing == VGPU_CHANNELS ? image->bits[channel] != 0 : channel < 3;
}

unsigned vgpu_pixel_bytes(const struct vgpu_image *image, unsigned format)
{
   unsigned components = 0;
   if (vgpu_pixel_is_texel(image, format)) {
      return image->bytes;
   }
   if (isa_formats[format].components) {
      return isa_formats[format].size;
   }
   for (unsigned i = 0; i < 4; i++) {
      const unsigned component = image->swizzle[i] & 3u;
      components = has_channel(image, i) && component >= components ? component + 1 : components;
   }
   return components * isa_formats[format].size;
}

void vgpu_pixel_encode(const struct vgpu_image *image, unsigned format, const uint8_t *pixel, uint8_t texel[16])
{
   if (vgpu_pixel_is_texel(image, format)) {
      memcpy(texel, pixel, image->bytes);
      return;
   }
   if (reorder(image, format, pixel, texel)) {
      return;
   }
   struct vgpu_image linear = *image;
   uint32_t channels[4];
   linear.srgb = false;
   for (unsigned i = 0; i < 4; i++) {
      channels[i] = has_channel(image, i) ? pixel_component(image, format, pixel, image->swizzle[i] & 3) : 0;
   }
   vgpu_texel_encode(&linear, channels, texel);
}
