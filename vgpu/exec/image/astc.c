/* SPDX-License-Identifier: MIT
 *
 * Texels of two-dimensional ASTC blocks of low dynamic range, by the Khronos Data Format specification, chapter 23.
 * Invariant: a block that the specification calls an error, or one of high dynamic range, is magenta.
 */
#include "vgpu/exec/image/image.h"

#include <string.h>

#define BITS 128u
#define MOST_WEIGHTS 64u
#define MOST_VALUES 18u
#define MOST_PARTITIONS 4u

/* A range of integers: `bits` low bits below a digit of base 3 or 5, or none. */
struct range {
   uint8_t base, bits; /* base: 1, 3 or 5 */
};
/* What weights have: from 2 levels to 32. Colours have these from the fifth on, and eight more. */
static const struct range ranges[] = {{1, 1}, {3, 0}, {1, 2}, {5, 0}, {3, 1}, {1, 3}, {5, 1},
                                      {3, 2}, {1, 4}, {5, 2}, {3, 3}, {1, 5}, {5, 3}, {3, 4},
                                      {1, 6}, {5, 4}, {3, 5}, {1, 7}, {5, 5}, {3, 6}, {1, 8}};
#define RANGES (sizeof(ranges) / sizeof(ranges[0]))
#define FIRST_OF_COLOURS 4u

struct astc {
   uint8_t bits[BITS];      /* one each */
   uint8_t backwards[BITS]; /* the same from the last one on: weights */
   unsigned size[2], grid[2];
   bool dual;
   unsigned weight_range, weight_bits, partitions;
   unsigned component; /* which has weights of its own */
   uint8_t modes[MOST_PARTITIONS];
   uint8_t values[MOST_VALUES];
   unsigned index; /* of the partitioning */
};

static unsigned take(const uint8_t *bits, unsigned at, unsigned count)
{
   unsigned value = 0;
   for (unsigned i = 0; i < count; i++) {
      value |= (at + i < BITS ? (unsigned)bits[at + i] : 0) << i;
   }
   return value;
}

/* ---- Sequences of integers ---- */

static unsigned sequence_bits(struct range range, unsigned count)
{
   return count * range.bits + (range.base == 3 ? (8 * count + 4) / 5 : range.base == 5 ? (7 * count + 2) / 3 : 0);
}

static void digits_of_three(unsigned t, uint8_t digit[5])
{
   unsigned c = t & 31;
   if ((t >> 2 & 7) == 7) {
      c = (t >> 5 & 7) << 2 | (t & 3);
      digit[3] = digit[4] = 2;
   } else if ((t >> 5 & 3) == 3) {
      digit[4] = 2;
      digit[3] = t >> 7 & 1;
   } else {
      digit[4] = t >> 7 & 1;
      digit[3] = t >> 5 & 3;
   }
   if ((c & 3) == 3) {
      digit[2] = 2;
      digit[1] = c >> 4 & 1;
      digit[0] = (uint8_t)((c >> 3 & 1) << 1 | (c >> 2 & ~(c >> 3) & 1));
   } else if ((c >> 2 & 3) == 3) {
      digit[2] = digit[1] = 2;
      digit[0] = c & 3;
   } else {
      digit[2] = c >> 4 & 1;
      digit[1] = c >> 2 & 3;
      digit[0] = (uint8_t)((c >> 1 & 1) << 1 | (c & ~(c >> 1) & 1));
   }
}

static void digits_of_five(unsigned q, uint8_t digit[3])
{
   unsigned c = q & 31;
   if ((q >> 1 & 3) == 3 && (q >> 5 & 3) == 0) {
      digit[0] = digit[1] = 4;
      digit[2] = (uint8_t)((q & 1) << 2 | (q >> 4 & ~q & 1) << 1 | (q >> 3 & ~q & 1));
      return;
   }
   if ((q >> 1 & 3) == 3) {
      digit[2] = 4;
      c = (q >> 3 & 3) << 3 | (~(q >> 5) & 3) << 1 | (q & 1);
   } else {
      digit[2] = q >> 5 & 3;
   }
   digit[1] = (c & 7) == 5 ? 4 : c >> 3 & 3;
   digit[0] = (c & 7) == 5 ? c >> 3 & 3 : c & 7;
}

/* Reads integers: the bits in `low`, the digits in `high`. What lies past the sequence's end is 0. */
static void take_sequence(const uint8_t *bits, unsigned at, struct range range, unsigned count, uint8_t *low,
                          uint8_t *high)
{
   static const uint8_t three[5] = {2, 2, 1, 2, 1}, five[3] = {3, 2, 2}; /* a group's bits behind each integer */
   const unsigned group = range.base == 3 ? 5 : range.base == 5 ? 3 : 1;
   const unsigned end = at + sequence_bits(range, count);
   for (unsigned first = 0; first < count; first += group) {
      uint8_t digit[5] = {0};
      unsigned packed = 0, have = 0;
      for (unsigned i = 0; i < group; i++) {
         const unsigned more = range.base == 3 ? three[i] : range.base == 5 ? five[i] : 0;
         const unsigned value = take(bits, at, range.bits);
         at += range.bits;
         for (unsigned k = 0; k < more; k++, at++) {
            packed |= (at < end ? (unsigned)bits[at] : 0) << have++;
         }
         if (first + i < count) {
            low[first + i] = (uint8_t)value;
         }
      }
      if (range.base == 3) {
         digits_of_three(packed, digit);
      } else if (range.base == 5) {
         digits_of_five(packed, digit);
      }
      for (unsigned i = 0; i < group && first + i < count; i++) {
         high[first + i] = digit[i];
      }
   }
}

/* The value's bits again and again, the highest `bits` of them. */
static unsigned repeat(unsigned value, unsigned have, unsigned bits)
{
   unsigned result = 0, got = 0;
   while (got < bits) {
      result = result << have | value;
      got += have;
   }
   return result >> (got - bits);
}

/* A pattern of the specification: its letters are the value's bits, a the lowest. */
static unsigned patterned(const char *pattern, unsigned value)
{
   unsigned result = 0;
   for (; *pattern; pattern++) {
      result = result << 1 | (*pattern == '0' ? 0 : value >> (*pattern - 'a') & 1);
   }
   return result;
}

static unsigned unquantised_colour(struct range range, unsigned low, unsigned digit)
{
   static const struct {
      const char *pattern;
      unsigned factor;
   } three[] = {{"", 204},         {"b000b0bb0", 93}, {"cb000cbcb", 44},
                {"dcb000dcb", 22}, {"edcb000ed", 11}, {"fedcb000f", 5}},
     five[] = {{"", 113}, {"b0000bb00", 54}, {"cb0000cbc", 26}, {"dcb0000dc", 13}, {"edcb0000e", 6}};
   if (range.base == 1) {
      return repeat(low, range.bits, 8);
   }
   const unsigned i = range.bits - 1u, all = low & 1 ? 0x1ff : 0;
   const unsigned wide = digit * (range.base == 3 ? three[i].factor : five[i].factor) +
                         patterned(range.base == 3 ? three[i].pattern : five[i].pattern, low);
   return (all & 0x80) | (wide ^ all) >> 2;
}

/* From 0 to 64. */
static unsigned unquantised_weight(struct range range, unsigned low, unsigned digit)
{
   static const uint8_t of_three[3] = {0, 32, 63}, of_five[5] = {0, 16, 32, 47, 63};
   static const char *const three_patterns[] = {"", "b000b0b", "cb000cb"}, *const five_patterns[] = {"", "b0000b0"};
   static const uint8_t three_factors[] = {50, 23, 11}, five_factors[] = {28, 13};
   unsigned value;
   if (range.base == 1) {
      value = repeat(low, range.bits, 6);
   } else if (range.bits == 0) {
      value = range.base == 3 ? of_three[digit] : of_five[digit];
   } else {
      const unsigned i = range.bits - 1u, all = low & 1 ? 0x7f : 0;
      const unsigned wide = digit * (range.base == 3 ? three_factors[i] : five_factors[i]) +
                            patterned(range.base == 3 ? three_patterns[i] : five_patterns[i], low);
      value = (all & 0x20) | (wide ^ all) >> 2;
   }
   return value > 32 ? value + 1 : value;
}

/* ---- The block's head ---- */

/* The grid of weights and their range. false: an error. */
static bool read_mode(struct astc *astc)
{
   const unsigned mode = take(astc->bits, 0, 11), a = mode >> 5 & 3, b = mode >> 7 & 3, high = mode >> 9 & 1;
   unsigned range, wide = high;
   astc->dual = mode >> 10 & 1;
   if (mode & 3) {
      range = (mode >> 4 & 1) | (mode & 3) << 1;
      const unsigned kind = mode >> 2 & 3;
      astc->grid[0] = kind == 0 ? b + 4 : kind == 1 ? b + 8 : kind == 3 && b & 2 ? (b & 1) + 2 : a + 2;
      astc->grid[1] = kind == 2 ? b + 8 : kind == 3 && !(b & 2) ? (b & 1) + 6 : a + 2;
   } else {
      range = (mode >> 4 & 1) | (mode >> 2 & 3) << 1;
      if (b == 3 && a > 1) {
         return false;
      }
      astc->grid[0] = b == 0 ? 12 : b == 1 ? a + 2 : b == 2 ? a + 6 : a ? 10 : 6;
      astc->grid[1] = b == 0 ? a + 2 : b == 1 ? 12 : b == 2 ? (mode >> 9 & 3) + 6 : a ? 6 : 10;
      if (b == 2) {
         wide = 0;
         astc->dual = false;
      }
   }
   if (range < 2) {
      return false;
   }
   const unsigned count = astc->grid[0] * astc->grid[1] << astc->dual;
   astc->weight_range = range - 2 + 6 * wide;
   astc->weight_bits = sequence_bits(ranges[astc->weight_range], count);
   return count <= MOST_WEIGHTS && astc->weight_bits >= 24 && astc->weight_bits <= 96 &&
          astc->grid[0] <= astc->size[0] && astc->grid[1] <= astc->size[1];
}

/* The kinds of ends of all partitions, and the ends' values. false: an error. */
static bool read_ends(struct astc *astc)
{
   unsigned start = 17, rest = BITS - astc->weight_bits, count = 0;
   astc->partitions = take(astc->bits, 11, 2) + 1;
   if (astc->partitions == 4 && astc->dual) {
      return false;
   }
   if (astc->partitions == 1) {
      astc->modes[0] = (uint8_t)take(astc->bits, 13, 4);
   } else {
      unsigned kinds = take(astc->bits, 23, 6);
      const unsigned own = kinds & 3;
      start = 29;
      astc->index = take(astc->bits, 13, 10);
      if (own) { /* a class for each partition, then the kind in it; the higher bits lie below the weights */
         const unsigned more = 3 * astc->partitions - 4;
         rest -= more;
         kinds = (kinds | take(astc->bits, rest, more) << 6) >> 2;
      }
      for (unsigned i = 0; i < astc->partitions; i++) {
         const unsigned class = own - 1 + (kinds >> i & 1), kind = kinds >> (astc->partitions + 2 * i) & 3;
         astc->modes[i] = (uint8_t)(own ? class << 2 | kind : kinds >> 2);
      }
   }
   if (astc->dual) {
      rest -= 2;
      astc->component = take(astc->bits, rest, 2);
   }
   for (unsigned i = 0; i < astc->partitions; i++) {
      count += 2 * (astc->modes[i] / 4u + 1);
   }
   const unsigned room = rest > start ? rest - start : 0;
   if (count > MOST_VALUES || room < (13 * count + 4) / 5) {
      return false;
   }
   unsigned range = RANGES - 1;
   while (range > FIRST_OF_COLOURS && sequence_bits(ranges[range], count) > room) {
      range--;
   }
   uint8_t low[MOST_VALUES], high[MOST_VALUES];
   take_sequence(astc->bits, start, ranges[range], count, low, high);
   for (unsigned i = 0; i < count; i++) {
      astc->values[i] = (uint8_t)unquantised_colour(ranges[range], low[i], high[i]);
   }
   return true;
}

/* ---- Partitions ---- */

static uint32_t hash(uint32_t n)
{
   n ^= n >> 15;
   n -= n << 17;
   n += n << 7;
   n += n << 4;
   n ^= n >> 5;
   n += n << 16;
   n ^= n >> 7;
   n ^= n >> 3;
   n ^= n << 6;
   return n ^ n >> 17;
}

static unsigned partition_of(const struct astc *astc, unsigned x, unsigned y)
{
   static const uint8_t shifts[8] = {0, 4, 8, 12, 16, 20, 24, 28}, added[4] = {14, 10, 6, 2};
   if (astc->partitions == 1) {
      return 0;
   }
   const uint32_t n = hash(astc->index + (astc->partitions - 1) * 1024);
   const unsigned by_count = astc->partitions == 3 ? 6 : 5, by_index = astc->index & 2 ? 4 : 5;
   const unsigned down[2] = {astc->index & 1 ? by_index : by_count, astc->index & 1 ? by_count : by_index};
   const unsigned small = astc->size[0] * astc->size[1] < 31;
   unsigned best = 0, most = 0;
   for (unsigned i = 0; i < astc->partitions; i++) {
      unsigned seed[2];
      for (unsigned k = 0; k < 2; k++) {
         seed[k] = n >> shifts[2 * i + k] & 15;
         seed[k] = seed[k] * seed[k] >> down[k];
      }
      const unsigned sum = (seed[0] * (x << small) + seed[1] * (y << small) + (n >> added[i])) & 63;
      if (i == 0 || sum > most) {
         most = sum;
         best = i;
      }
   }
   return best;
}

/* ---- Ends ---- */

static int limited(int value)
{
   return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* A value and a difference of six bits share two bytes. */
static void transfer(int *difference, int *value)
{
   *value = *value >> 1 | (*difference & 0x80);
   *difference = *difference >> 1 & 0x3f;
   *difference -= *difference & 0x20 ? 0x40 : 0;
}

static void put(int end[4], int r, int g, int b, int a, bool contracts)
{
   end[0] = limited(contracts ? (r + b) >> 1 : r);
   end[1] = limited(contracts ? (g + b) >> 1 : g);
   end[2] = limited(b);
   end[3] = limited(a);
}

static void coloured(unsigned mode, int v[8], int ends[2][4])
{
   const bool differs = mode & 1;
   const int alpha[2] = {mode >= 12 ? v[6] : 255, mode >= 12 ? v[7] : 255};
   if (!differs) {
      const bool swaps = v[1] + v[3] + v[5] < v[0] + v[2] + v[4];
      put(ends[swaps], v[0], v[2], v[4], alpha[0], swaps);
      put(ends[!swaps], v[1], v[3], v[5], alpha[1], swaps);
      return;
   }
   for (unsigned i = 0; i < (mode >= 12 ? 8u : 6u); i += 2) {
      transfer(&v[i + 1], &v[i]);
   }
   const bool swaps = v[1] + v[3] + v[5] < 0;
   put(ends[swaps], v[0], v[2], v[4], mode >= 12 ? v[6] : 255, swaps);
   put(ends[!swaps], v[0] + v[1], v[2] + v[3], v[4] + v[5], mode >= 12 ? v[6] + v[7] : 255, swaps);
}

/* The two ends of a partition; false: they are of high dynamic range. */
static bool ends_of(unsigned mode, const uint8_t *values, int ends[2][4])
{
   int v[8];
   for (unsigned i = 0; i < 8; i++) {
      v[i] = i < 2 * (mode / 4u + 1) ? values[i] : 0;
   }
   switch (mode) {
   case 0:
      put(ends[0], v[0], v[0], v[0], 255, false);
      put(ends[1], v[1], v[1], v[1], 255, false);
      return true;
   case 1: {
      const int from = v[0] >> 2 | (v[1] & 0xc0), to = from + (v[1] & 0x3f);
      put(ends[0], from, from, from, 255, false);
      put(ends[1], to, to, to, 255, false);
      return true;
   }
   case 5:
      transfer(&v[1], &v[0]);
      transfer(&v[3], &v[2]);
      v[1] += v[0];
      v[3] += v[2];
      __attribute__((fallthrough));
   case 4:
      put(ends[0], v[0], v[0], v[0], v[2], false);
      put(ends[1], v[1], v[1], v[1], v[3], false);
      return true;
   case 6:
   case 10:
      put(ends[0], v[0] * v[3] >> 8, v[1] * v[3] >> 8, v[2] * v[3] >> 8, mode == 10 ? v[4] : 255, false);
      put(ends[1], v[0], v[1], v[2], mode == 10 ? v[5] : 255, false);
      return true;
   case 8:
   case 9:
   case 12:
   case 13:
      coloured(mode, v, ends);
      return true;
   default:
      return false;
   }
}

/* ---- Weights ---- */

/* The texel's weights, from 0 to 64, of both planes. */
static void weights_of(const struct astc *astc, unsigned x, unsigned y, unsigned weights[2])
{
   const struct range range = ranges[astc->weight_range];
   const unsigned planes = 1u + astc->dual, count = astc->grid[0] * astc->grid[1] * planes;
   uint8_t low[MOST_WEIGHTS] = {0}, high[MOST_WEIGHTS] = {0};
   unsigned cell[2], fraction[2];
   take_sequence(astc->backwards, 0, range, count, low, high);
   for (unsigned i = 0; i < 2; i++) {
      const unsigned step = (1024 + astc->size[i] / 2) / (astc->size[i] - 1);
      const unsigned at = (step * (i ? y : x) * (astc->grid[i] - 1) + 32) >> 6;
      cell[i] = at >> 4;
      fraction[i] = at & 15;
   }
   const unsigned both = (fraction[0] * fraction[1] + 8) >> 4;
   const unsigned parts[4] = {16 - fraction[0] - fraction[1] + both, fraction[0] - both, fraction[1] - both, both};
   for (unsigned plane = 0; plane < planes; plane++) {
      unsigned sum = 8;
      for (unsigned i = 0; i < 4; i++) {
         const unsigned at = ((cell[1] + i / 2) * astc->grid[0] + cell[0] + i % 2) * planes + plane;
         sum += parts[i] && at < count ? parts[i] * unquantised_weight(range, low[at], high[at]) : 0;
      }
      weights[plane] = sum >> 4;
   }
}

/* ---- All ---- */

/* A block of one colour; false: an error. */
static bool read_extent(const struct astc *astc, unsigned channels[4])
{
   unsigned at[4];
   bool all = true;
   for (unsigned i = 0; i < 4; i++) {
      at[i] = take(astc->bits, 12 + 13 * i, 13);
      all = all && at[i] == 0x1fff;
      channels[i] = take(astc->bits, 64 + 16 * i, 16);
   }
   return !astc->bits[9] && astc->bits[10] && astc->bits[11] && (all || (at[0] < at[1] && at[2] < at[3]));
}

/* Channels of 16 bits; false: an error. */
static bool decode(struct astc *astc, unsigned x, unsigned y, bool srgb, unsigned channels[4])
{
   int ends[2][4];
   unsigned weights[2] = {0}, first = 0;
   if (take(astc->bits, 0, 9) == 0x1fc) {
      return read_extent(astc, channels);
   }
   if (!read_mode(astc) || !read_ends(astc)) {
      return false;
   }
   const unsigned partition = partition_of(astc, x, y);
   for (unsigned i = 0; i < partition; i++) {
      first += 2 * (astc->modes[i] / 4u + 1);
   }
   if (!ends_of(astc->modes[partition], astc->values + first, ends)) {
      return false;
   }
   weights_of(astc, x, y, weights);
   for (unsigned i = 0; i < 4; i++) {
      const unsigned weight = weights[astc->dual && astc->component == i];
      unsigned wide[2];
      for (unsigned k = 0; k < 2; k++) {
         wide[k] = (unsigned)ends[k][i] << 8 | (srgb && i < 3 ? 0x80 : (unsigned)ends[k][i]);
      }
      channels[i] = (wide[0] * (64 - weight) + wide[1] * weight + 32) >> 6;
   }
   return true;
}

void vgpu_astc_decode(const struct vgpu_image *image, const uint8_t *block, unsigned x, unsigned y, double colour[4])
{
   struct astc astc = {.size = {image->block[0], image->block[1]}};
   unsigned channels[4] = {0xffff, 0, 0xffff, 0xffff};
   for (unsigned i = 0; i < BITS; i++) {
      astc.bits[i] = block[i / 8] >> i % 8 & 1;
      astc.backwards[BITS - 1 - i] = astc.bits[i];
   }
   if (!decode(&astc, x, y, image->srgb, channels)) {
      channels[0] = channels[2] = channels[3] = 0xffff;
      channels[1] = 0;
   }
   for (unsigned i = 0; i < 4; i++) {
      colour[i] = image->srgb && i < 3 ? (channels[i] >> 8) / 255.0 : channels[i] / 65535.0;
   }
}
