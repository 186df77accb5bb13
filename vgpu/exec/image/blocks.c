/* SPDX-License-Identifier: MIT
 *
 * Texels of block-compressed images: BC1 to BC5, ETC2 and EAC (BC6H and BC7: bptc.c, ASTC: astc.c), by the Khronos Data
 * Format specification. Colours are computed in double from the exact fractions, where an implementation may round.
 * Invariant: a texel depends on its block alone.
 */
#include "vgpu/exec/image/image.h"

#include <math.h>
#include <string.h>

#include "vgpu/exec/half.h"

#define OPAQUE 1.0

static double clamp(double value, double least, double most)
{
   return fmin(fmax(value, least), most);
}

/* ---- BC ---- */

static void colour_of_565(unsigned word, double colour[3])
{
   colour[0] = (word >> 11) / 31.0;
   colour[1] = (word >> 5 & 63) / 63.0;
   colour[2] = (word & 31) / 31.0;
}

/* Four colours, or three and transparent black where the first is not greater and `holes`. */
static void bc_colour(const uint8_t *block, unsigned texel, bool holes, double colour[4])
{
   const unsigned first = block[0] | (unsigned)block[1] << 8, second = block[2] | (unsigned)block[3] << 8;
   const unsigned index = block[4 + texel / 4] >> 2 * (texel % 4) & 3;
   const bool three = holes && first <= second;
   static const double parts[2][4] = {{0, 1, 1 / 3.0, 2 / 3.0}, {0, 1, 0.5, 0}};
   double from[3], to[3];
   colour_of_565(first, from);
   colour_of_565(second, to);
   for (unsigned i = 0; i < 3; i++) {
      const double part = parts[three][index];
      colour[i] = three && index == 3 ? 0 : from[i] * (1 - part) + to[i] * part;
   }
   colour[3] = three && index == 3 ? 0 : OPAQUE;
}

/* A channel of its own: two ends, and eight steps or six and the extremes. */
static double bc_channel(const uint8_t *block, unsigned texel, bool is_signed)
{
   uint64_t bits = 0;
   memcpy(&bits, block + 2, 6);
   const unsigned index = bits >> 3 * texel & 7;
   const int first = is_signed ? (int8_t)block[0] : block[0], second = is_signed ? (int8_t)block[1] : block[1];
   const double scale = is_signed ? 127 : 255, least = is_signed ? -1 : 0;
   const double from = fmax(first / scale, -1), to = fmax(second / scale, -1);
   if (index < 2) {
      return index ? to : from;
   }
   if (first > second) {
      return (from * (8 - index) + to * (index - 1)) / 7;
   }
   return index == 6 ? least : index == 7 ? 1 : (from * (6 - index) + to * (index - 1)) / 5;
}

static double bc2_alpha(const uint8_t *block, unsigned texel)
{
   return (block[texel / 2] >> 4 * (texel & 1) & 15) / 15.0;
}

/* ---- ETC2: 64 bits, the first byte is the highest one; texels go down first ---- */

static uint64_t big_endian(const uint8_t *block)
{
   uint64_t bits = 0;
   for (unsigned i = 0; i < 8; i++) {
      bits = bits << 8 | block[i];
   }
   return bits;
}

static unsigned field(uint64_t bits, unsigned high, unsigned low)
{
   return (unsigned)(bits >> low & ((UINT64_C(1) << (high - low + 1)) - 1));
}

static int extend(unsigned value, unsigned bits)
{
   return (int)(bits == 4 ? value * 17 : value << (8 - bits) | value >> (2 * bits - 8));
}

static unsigned etc_index(uint64_t bits, unsigned at)
{
   return (unsigned)(bits >> (16 + at) & 1) << 1 | (unsigned)(bits >> at & 1);
}

static void put_bytes(const int base[3], int change, double colour[4])
{
   for (unsigned i = 0; i < 3; i++) {
      colour[i] = clamp(base[i] + change, 0, 255) / 255;
   }
   colour[3] = OPAQUE;
}

static void put_hole(double colour[4])
{
   memset(colour, 0, 4 * sizeof(*colour));
}

/* Two halves of a block, each with a colour and a row of this table. */
static void etc_halves(uint64_t bits, const int colours[2][3], unsigned x, unsigned y, bool holes, double colour[4])
{
   static const uint8_t steps[8][2] = {{2, 8}, {5, 17}, {9, 29}, {13, 42}, {18, 60}, {24, 80}, {33, 106}, {47, 183}};
   const bool flipped = bits >> 32 & 1;
   const unsigned half = (flipped ? y : x) >= 2, index = etc_index(bits, 4 * x + y);
   const uint8_t *step = steps[half ? field(bits, 36, 34) : field(bits, 39, 37)];
   const int change = holes && !(index & 1) ? 0 : index & 2 ? -(int)step[index & 1] : step[index & 1];
   if (holes && index == 2) {
      put_hole(colour);
   } else {
      put_bytes(colours[half], change, colour);
   }
}

static const uint8_t distances[8] = {3, 6, 11, 16, 23, 32, 41, 64};

static void etc_t(uint64_t bits, unsigned index, double colour[4])
{
   const int first[3] = {extend(field(bits, 60, 59) << 2 | field(bits, 57, 56), 4), extend(field(bits, 55, 52), 4),
                         extend(field(bits, 51, 48), 4)};
   const int second[3] = {extend(field(bits, 47, 44), 4), extend(field(bits, 43, 40), 4),
                          extend(field(bits, 39, 36), 4)};
   const int distance = distances[field(bits, 35, 34) << 1 | field(bits, 32, 32)];
   put_bytes(index ? second : first, index == 1 ? distance : index == 3 ? -distance : 0, colour);
}

static void etc_h(uint64_t bits, unsigned index, double colour[4])
{
   const unsigned from[2][3] = {{field(bits, 62, 59), field(bits, 58, 56) << 1 | field(bits, 52, 52),
                                 field(bits, 51, 51) << 3 | field(bits, 49, 47)},
                                {field(bits, 46, 43), field(bits, 42, 39), field(bits, 38, 35)}};
   const unsigned order[2] = {from[0][0] << 8 | from[0][1] << 4 | from[0][2],
                              from[1][0] << 8 | from[1][1] << 4 | from[1][2]};
   const int distance = distances[field(bits, 34, 34) << 2 | field(bits, 32, 32) << 1 | (order[0] >= order[1])];
   int base[3];
   for (unsigned i = 0; i < 3; i++) {
      base[i] = extend(from[index / 2][i], 4);
   }
   put_bytes(base, index & 1 ? -distance : distance, colour);
}

static void etc_planar(uint64_t bits, unsigned x, unsigned y, double colour[4])
{
   const int origin[3] = {extend(field(bits, 62, 57), 6), extend(field(bits, 56, 56) << 6 | field(bits, 54, 49), 7),
                          extend(field(bits, 48, 48) << 5 | field(bits, 44, 43) << 3 | field(bits, 41, 39), 6)};
   const int right[3] = {extend(field(bits, 38, 34) << 1 | field(bits, 32, 32), 6), extend(field(bits, 31, 25), 7),
                         extend(field(bits, 24, 19), 6)};
   const int down[3] = {extend(field(bits, 18, 13), 6), extend(field(bits, 12, 6), 7), extend(field(bits, 5, 0), 6)};
   int base[3];
   for (unsigned i = 0; i < 3; i++) {
      base[i] = ((int)x * (right[i] - origin[i]) + (int)y * (down[i] - origin[i]) + 4 * origin[i] + 2) >> 2;
   }
   put_bytes(base, 0, colour);
}

/* punched: the bit that chooses between two kinds of halves says that the block has no holes. */
static void etc_colour(const uint8_t *block, unsigned x, unsigned y, bool punched, double colour[4])
{
   const uint64_t bits = big_endian(block);
   const bool chosen = bits >> 33 & 1, holes = punched && !chosen;
   const unsigned index = etc_index(bits, 4 * x + y);
   int halves[2][3], wide = -1;
   for (int i = 2; i >= 0; i--) {
      const unsigned low = 56 - 8 * (unsigned)i;
      const int five = (int)field(bits, low + 7, low + 3), more = (int)(field(bits, low + 2, low) ^ 4) - 4;
      if (!punched && !chosen) {
         halves[0][i] = extend(field(bits, low + 7, low + 4), 4);
         halves[1][i] = extend(field(bits, low + 3, low), 4);
         continue;
      }
      if (five + more < 0 || five + more > 31) {
         wide = i; /* the first one of red, green and blue decides */
      }
      halves[0][i] = extend((unsigned)five, 5);
      halves[1][i] = extend((unsigned)(five + more) & 31, 5);
   }
   if (holes && index == 2 && (wide == 0 || wide == 1)) {
      put_hole(colour);
   } else if (wide == 0) {
      etc_t(bits, index, colour);
   } else if (wide == 1) {
      etc_h(bits, index, colour);
   } else if (wide == 2) {
      etc_planar(bits, x, y, colour);
   } else {
      etc_halves(bits, halves, x, y, holes, colour);
   }
}

/* The change of a texel of EAC, times the block's multiplier where it has one. */
static int eac_change(uint64_t bits, unsigned at, int unit)
{
   static const int8_t table[16][8] = {
       {-3, -6, -9, -15, 2, 5, 8, 14}, {-3, -7, -10, -13, 2, 6, 9, 12}, {-2, -5, -8, -13, 1, 4, 7, 12},
       {-2, -4, -6, -13, 1, 3, 5, 12}, {-3, -6, -8, -12, 2, 5, 7, 11},  {-3, -7, -9, -11, 2, 6, 8, 10},
       {-4, -7, -8, -11, 3, 6, 7, 10}, {-3, -5, -8, -11, 2, 4, 7, 10},  {-2, -6, -8, -10, 1, 5, 7, 9},
       {-2, -5, -8, -10, 1, 4, 7, 9},  {-2, -4, -8, -10, 1, 3, 7, 9},   {-2, -5, -7, -10, 1, 4, 6, 9},
       {-3, -4, -7, -10, 2, 3, 6, 9},  {-1, -2, -3, -10, 0, 1, 2, 9},   {-4, -6, -8, -9, 3, 5, 7, 8},
       {-3, -5, -7, -9, 2, 4, 6, 8}};
   const int step = table[field(bits, 51, 48)][field(bits, 47 - 3 * at, 45 - 3 * at)];
   const int multiplier = (int)field(bits, 55, 52);
   return unit == 1 ? step * multiplier : multiplier ? step * multiplier * unit : step;
}

static double eac_alpha(const uint8_t *block, unsigned x, unsigned y)
{
   const uint64_t bits = big_endian(block);
   return clamp((int)block[0] + eac_change(bits, 4 * x + y, 1), 0, 255) / 255;
}

/* A channel of 11 bits. */
static double eac_channel(const uint8_t *block, unsigned x, unsigned y, bool is_signed)
{
   const int change = eac_change(big_endian(block), 4 * x + y, 8);
   if (is_signed) {
      const int base = (int8_t)block[0] < -127 ? -127 : (int8_t)block[0];
      return clamp(8 * base + change, -1023, 1023) / 1023;
   }
   return clamp(8 * (int)block[0] + 4 + change, 0, 2047) / 2047;
}

/* ---- All ---- */

static double linear_of(double value)
{
   return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static void decode(const struct vgpu_image *image, const uint8_t *block, unsigned x, unsigned y, uint32_t channels[4])
{
   const bool is_signed = image->type == VGPU_SNORM;
   const unsigned texel = 4 * y + x;
   double colour[4] = {0, 0, 0, OPAQUE};
   switch ((enum vgpu_packing)image->packing) {
   case VGPU_BC1:
      bc_colour(block, texel, true, colour);
      break;
   case VGPU_BC2:
      bc_colour(block + 8, texel, false, colour);
      colour[3] = bc2_alpha(block, texel);
      break;
   case VGPU_BC3:
      bc_colour(block + 8, texel, false, colour);
      colour[3] = bc_channel(block, texel, false);
      break;
   case VGPU_BC5:
      colour[1] = bc_channel(block + 8, texel, is_signed);
      __attribute__((fallthrough));
   case VGPU_BC4:
      colour[0] = bc_channel(block, texel, is_signed);
      break;
   case VGPU_BC6H:
   case VGPU_BC6H_UNSIGNED:
      vgpu_bc6h_decode(block, texel, image->packing == VGPU_BC6H, colour);
      break;
   case VGPU_BC7:
      vgpu_bc7_decode(block, texel, colour);
      break;
   case VGPU_ASTC:
      vgpu_astc_decode(image, block, x, y, colour);
      break;
   case VGPU_ETC2_RGBA:
      etc_colour(block + 8, x, y, false, colour);
      colour[3] = eac_alpha(block, x, y);
      break;
   case VGPU_ETC2_RGB:
   case VGPU_ETC2_RGBA1:
      etc_colour(block, x, y, image->packing == VGPU_ETC2_RGBA1, colour);
      break;
   case VGPU_EAC_RG:
      colour[1] = eac_channel(block + 8, x, y, is_signed);
      __attribute__((fallthrough));
   case VGPU_EAC_R:
      colour[0] = eac_channel(block, x, y, is_signed);
      break;
   default:
      break;
   }
   for (unsigned i = 0; i < 4; i++) {
      channels[i] = vgpu_f32_from_double(image->srgb && i < 3 ? linear_of(colour[i]) : colour[i]);
   }
}

/* ---- Texels that this host thread has decoded: a filter asks for each of them several times ---- */

#define KEPT_LOG2 10u

struct kept {
   uint64_t block[2], what; /* `what`: the texel and all of the image that decode() looks at; 0: nothing is kept */
   uint32_t channels[4];
};
static _Thread_local struct kept kept[1u << KEPT_LOG2];

static bool is_long(uint8_t packing)
{
   return packing != VGPU_BC1 && packing != VGPU_BC4 && packing != VGPU_ETC2_RGB && packing != VGPU_ETC2_RGBA1 &&
          packing != VGPU_EAC_R;
}

void vgpu_block_decode(const struct vgpu_image *image, const uint8_t *block, unsigned x, unsigned y,
                       uint32_t channels[4])
{
   struct kept key = {.what = 1 | (uint64_t)image->packing << 8 | (uint64_t)image->type << 16 |
                              (uint64_t)image->srgb << 24 | (uint64_t)image->block[0] << 32 |
                              (uint64_t)image->block[1] << 40 | (uint64_t)x << 48 | (uint64_t)y << 56};
   memcpy(key.block, block, is_long(image->packing) ? 16 : 8);
   const uint64_t mixed =
       (key.block[0] ^ key.block[1] * UINT64_C(0x9e3779b97f4a7c15) ^ key.what) * UINT64_C(0xd6e8feb86659fd93);
   struct kept *at = &kept[mixed >> (64 - KEPT_LOG2)];
   if (at->what != key.what || at->block[0] != key.block[0] || at->block[1] != key.block[1]) {
      decode(image, block, x, y, key.channels);
      *at = key;
   }
   memcpy(channels, at->channels, sizeof(at->channels));
}
