/* SPDX-License-Identifier: MIT
 *
 * Texels of BC7 and BC6H blocks, by the Khronos Data Format specification, whose names and tables these are. Invariant:
 * all arithmetic is exact; a block of a reserved mode gives zeros.
 */
#include "vgpu/exec/image/image.h"

#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/half.h"

#define SHAPES 64u /* ways to divide a block */
#define MOST_SUBSETS 3u

/* By shape: the texels of the second of two subsets. */
static const uint16_t second_of_two[SHAPES] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8,
    0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110,
    0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696,
    0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720,
    0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22};
/* The texels of the second and of the third of three subsets. */
static const uint16_t of_three[2][SHAPES] = {
    {0x08cc, 0x8cc8, 0xcc80, 0xec00, 0x3300, 0x00cc, 0xff00, 0xcccc, 0x0f00, 0x0ff0, 0x00f0, 0x4444, 0x6666,
     0x2222, 0x136c, 0x008c, 0x36c8, 0x08ce, 0x3330, 0xf000, 0x00ee, 0x8888, 0x22c0, 0x4430, 0x0c22, 0x0344,
     0x6996, 0x9960, 0x0330, 0x0066, 0xc22c, 0x8c00, 0x1300, 0xc400, 0x004c, 0x2222, 0x00f0, 0x2492, 0x2942,
     0xc30c, 0xc03c, 0x00aa, 0xaa00, 0x3030, 0xc0c0, 0x9090, 0xa00a, 0xaaa0, 0x0aaa, 0xe0e0, 0x7070, 0x6660,
     0x0ee0, 0x0770, 0x0666, 0x6600, 0x0066, 0x0cc0, 0x0330, 0x6000, 0x8080, 0x1010, 0x000a, 0x08ce},
    {0xf600, 0x7300, 0x3310, 0x00ce, 0xcc00, 0xcc00, 0x00cc, 0x3300, 0xf000, 0xf000, 0xff00, 0x8888, 0x8888,
     0xcccc, 0xec80, 0x7310, 0xc800, 0x3100, 0xccc0, 0x0ccc, 0xee00, 0x7700, 0xcc00, 0x3300, 0x00cc, 0xfc88,
     0x0660, 0x6600, 0xc88c, 0xf900, 0x0cc0, 0x7310, 0xec80, 0x08ce, 0xec80, 0x4444, 0x0f00, 0x4924, 0x4294,
     0x0c30, 0x03c0, 0xff00, 0x5500, 0xcccc, 0x0c0c, 0x6666, 0x0ff0, 0x5550, 0xf000, 0x0e0e, 0x8888, 0x9990,
     0xe00e, 0x8888, 0xf000, 0x9900, 0xff00, 0xc00c, 0xcccc, 0x9000, 0x0808, 0xeeee, 0xfff0, 0x7310}};
/* The texel of a subset whose index lacks its highest bit, in hexadecimal: of the second of two, of the second and of
 * the third of three. That of the first is texel 0. */
static const char *const anchors[3] = {"fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f",
                                       "33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33",
                                       "f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8"};

static unsigned anchor(unsigned table, unsigned shape)
{
   const char digit = anchors[table][shape];
   return digit <= '9' ? (unsigned)digit - '0' : (unsigned)digit - 'a' + 10;
}

static unsigned subset_of(unsigned subsets, unsigned shape, unsigned texel)
{
   if (subsets == 2) {
      return (unsigned)second_of_two[shape] >> texel & 1;
   }
   return subsets == 1 ? 0
                       : ((unsigned)of_three[0][shape] >> texel & 1) + 2 * ((unsigned)of_three[1][shape] >> texel & 1);
}

/* Whether the texel's index lacks its highest bit. */
static bool is_anchor(unsigned subsets, unsigned shape, unsigned texel)
{
   return texel == 0 || (subsets == 2 && texel == anchor(0, shape)) ||
          (subsets == 3 && (texel == anchor(1, shape) || texel == anchor(2, shape)));
}

struct reader {
   const uint8_t *block;
   unsigned at;
};

static unsigned take(struct reader *reader, unsigned count)
{
   unsigned value = 0;
   for (unsigned i = 0; i < count; i++, reader->at++) {
      value |= (unsigned)(reader->block[reader->at / 8] >> reader->at % 8 & 1) << i;
   }
   return value;
}

/* The index of `texel`, where indices of `bits` bits start at the reader. The reader goes behind all of them. */
static unsigned take_index(struct reader *reader, unsigned bits, unsigned subsets, unsigned shape, unsigned texel)
{
   unsigned index = 0;
   for (unsigned i = 0; i < 16; i++) {
      const unsigned one = take(reader, bits - is_anchor(subsets, shape, i));
      index = i == texel ? one : index;
   }
   return index;
}

/* The part of the second end, in 1/64. */
static int weight(unsigned bits, unsigned index)
{
   static const uint8_t two[] = {0, 21, 43, 64}, three[] = {0, 9, 18, 27, 37, 46, 55, 64};
   static const uint8_t four[] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};
   return (bits == 2 ? two : bits == 3 ? three : four)[index];
}

static int between(int from, int to, int part)
{
   return ((64 - part) * from + part * to + 32) >> 6;
}

/* ---- BC7 ---- */

enum low_bit { NO_LOW_BIT, OF_END, OF_SUBSET }; /* which ends share the bit below their channels' */

static const struct {
   uint8_t subsets, shape_bits, rotation_bits, selection_bits, colour_bits, alpha_bits, low_bit, index_bits,
       second_bits;
} bc7_modes[8] = {{3, 4, 0, 0, 4, 0, OF_END, 3, 0},     {2, 6, 0, 0, 6, 0, OF_SUBSET, 3, 0},
                  {3, 6, 0, 0, 5, 0, NO_LOW_BIT, 2, 0}, {2, 6, 0, 0, 7, 0, OF_END, 2, 0},
                  {1, 0, 2, 1, 5, 6, NO_LOW_BIT, 2, 3}, {1, 0, 2, 0, 7, 8, NO_LOW_BIT, 2, 2},
                  {1, 0, 0, 0, 7, 7, OF_END, 4, 0},     {2, 6, 0, 0, 5, 5, OF_END, 2, 0}};

/* A channel of `bits` bits becomes one of eight: its highest bits are repeated below. */
static int widen(unsigned value, unsigned bits)
{
   return (int)(value << (8 - bits) | value >> (2 * bits - 8));
}

/* Reads the ends of all subsets: two for each. */
static void take_ends(struct reader *reader, unsigned mode, int ends[2 * MOST_SUBSETS][4])
{
   const unsigned count = 2u * bc7_modes[mode].subsets, low = bc7_modes[mode].low_bit;
   unsigned raw[2 * MOST_SUBSETS][4], bit = 0;
   for (unsigned channel = 0; channel < 4; channel++) {
      for (unsigned end = 0; end < count; end++) {
         raw[end][channel] = take(reader, channel < 3 ? bc7_modes[mode].colour_bits : bc7_modes[mode].alpha_bits);
      }
   }
   for (unsigned end = 0; end < count; end++) {
      bit = low == OF_END || (low == OF_SUBSET && end % 2 == 0) ? take(reader, 1) : bit;
      for (unsigned channel = 0; channel < 4; channel++) {
         const unsigned bits = channel < 3 ? bc7_modes[mode].colour_bits : bc7_modes[mode].alpha_bits;
         ends[end][channel] = !bits ? 255
                              : low ? widen(raw[end][channel] << 1 | bit, bits + 1)
                                    : widen(raw[end][channel], bits);
      }
   }
}

void vgpu_bc7_decode(const uint8_t *block, unsigned texel, double colour[4])
{
   int ends[2 * MOST_SUBSETS][4], result[4];
   if (!block[0]) {
      memset(colour, 0, 4 * sizeof(*colour));
      return;
   }
   const unsigned mode = (unsigned)__builtin_ctz(block[0]), subsets = bc7_modes[mode].subsets;
   const unsigned bits[2] = {bc7_modes[mode].index_bits, bc7_modes[mode].second_bits};
   struct reader reader = {block, mode + 1};
   const unsigned shape = take(&reader, bc7_modes[mode].shape_bits);
   const unsigned rotation = take(&reader, bc7_modes[mode].rotation_bits);
   const unsigned selection = take(&reader, bc7_modes[mode].selection_bits);
   take_ends(&reader, mode, ends);
   const unsigned first = take_index(&reader, bits[0], subsets, shape, texel);
   const unsigned second = bits[1] ? take_index(&reader, bits[1], subsets, shape, texel) : 0;
   const int parts[2] = {weight(bits[0], first), bits[1] ? weight(bits[1], second) : weight(bits[0], first)};
   const unsigned subset = subset_of(subsets, shape, texel);
   for (unsigned i = 0; i < 4; i++) {
      result[i] = between(ends[2 * subset][i], ends[2 * subset + 1][i], parts[(i == 3) ^ selection]);
   }
   if (rotation) {
      const int other = result[rotation - 1];
      result[rotation - 1] = result[3];
      result[3] = other;
   }
   for (unsigned i = 0; i < 4; i++) {
      colour[i] = result[i] / 255.0;
   }
}

/* ---- BC6H ---- */

/* The fields behind a mode's number, in their order: the channel, the end (w, x, y, z), and its bits, of which the
 * first one named is the highest in the block. Where the others are differences from end w, they have `differs` bits.
 */
static const struct {
   uint8_t number, subsets, bits, differs[3]; /* differs: 0: there are none */
   const char *fields;
} bc6h_modes[] = {
    {0,
     2,
     10,
     {5, 5, 5},
     "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {1,
     2,
     7,
     {6, 6, 6},
     "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 "
     "rz5:0"},
    {2,
     2,
     11,
     {5, 4, 4},
     "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {3, 1, 10, {0}, "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0"},
    {6,
     2,
     11,
     {4, 5, 4},
     "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2 rz3:0 gy4 bz3"},
    {7, 1, 11, {9, 9, 9}, "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10"},
    {10,
     2,
     11,
     {4, 4, 5},
     "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2 rz3:0 bz4 bz3"},
    {11, 1, 12, {8, 8, 8}, "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11"},
    {14,
     2,
     9,
     {5, 5, 5},
     "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {15, 1, 16, {4, 4, 4}, "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15"},
    {18,
     2,
     8,
     {6, 5, 5},
     "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry5:0 rz5:0"},
    {22,
     2,
     8,
     {5, 6, 5},
     "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {26,
     2,
     8,
     {5, 5, 6},
     "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 ry4:0 bz2 rz4:0 bz3"},
    {30,
     2,
     6,
     {0},
     "rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 "
     "rz5:0"},
};
#define BC6H_MODES (sizeof(bc6h_modes) / sizeof(bc6h_modes[0]))

static unsigned take_mode(struct reader *reader)
{
   const unsigned low = take(reader, 2), number = low < 2 ? low : low | take(reader, 3) << 2;
   unsigned mode = 0;
   while (mode < BC6H_MODES && bc6h_modes[mode].number != number) {
      mode++;
   }
   return mode;
}

static void take_fields(struct reader *reader, const char *at, unsigned ends[4][3])
{
   while (*at) {
      const unsigned channel = *at == 'r' ? 0 : *at == 'g' ? 1 : 2, end = (unsigned)(at[1] - 'w');
      char *next;
      const unsigned high = (unsigned)strtoul(at + 2, &next, 10);
      const unsigned low = *next == ':' ? (unsigned)strtoul(next + 1, &next, 10) : high;
      const unsigned count = high >= low ? high - low + 1 : low - high + 1;
      for (unsigned i = 0; i < count; i++) {
         ends[end][channel] |= take(reader, 1) << (high >= low ? low + i : low - i);
      }
      at = next + strspn(next, " ");
   }
}

static int extended(unsigned value, unsigned bits)
{
   const unsigned sign = 1u << (bits - 1);
   return (int)((value & (2 * sign - 1)) ^ sign) - (int)sign;
}

/* An end of 16 bits, or of 15 and a sign, from one of `bits`. */
static int unquantised(int value, unsigned bits, bool is_signed)
{
   const int size = abs(value), most = (1 << (bits - is_signed)) - 1;
   if (bits >= (is_signed ? 16 : 15)) {
      return value;
   }
   const int wide = size == 0      ? 0
                    : size >= most ? (is_signed ? 0x7fff : 0xffff)
                                   : ((size << 15) + 0x4000) >> (bits - 1);
   return value < 0 ? -wide : wide;
}

/* The bits of a half. */
static uint16_t half_of(int value, bool is_signed)
{
   if (!is_signed) {
      return (uint16_t)((value * 31) >> 6);
   }
   return value < 0 ? (uint16_t)(0x8000 | ((-value * 31) >> 5)) : (uint16_t)((value * 31) >> 5);
}

void vgpu_bc6h_decode(const uint8_t *block, unsigned texel, bool is_signed, double colour[4])
{
   unsigned raw[4][3] = {{0}};
   struct reader reader = {block, 0};
   const unsigned mode = take_mode(&reader);
   memset(colour, 0, 3 * sizeof(*colour));
   if (mode == BC6H_MODES) {
      return;
   }
   const unsigned subsets = bc6h_modes[mode].subsets, bits = bc6h_modes[mode].bits;
   take_fields(&reader, bc6h_modes[mode].fields, raw);
   const unsigned shape = subsets == 2 ? take(&reader, 5) : 0, index_bits = subsets == 2 ? 3 : 4;
   const unsigned index = take_index(&reader, index_bits, subsets, shape, texel);
   const unsigned subset = subset_of(subsets, shape, texel);
   for (unsigned i = 0; i < 3; i++) {
      int ends[2];
      for (unsigned k = 0; k < 2; k++) {
         const unsigned end = 2 * subset + k, differs = end ? bc6h_modes[mode].differs[i] : 0;
         unsigned value = raw[end][i];
         value = differs ? raw[0][i] + (unsigned)extended(value, differs) : value;
         value &= (1u << bits) - 1;
         ends[k] = unquantised(is_signed ? extended(value, bits) : (int)value, bits, is_signed);
      }
      colour[i] = vgpu_f16_to_double(half_of(between(ends[0], ends[1], weight(index_bits, index)), is_signed));
   }
}
