/* SPDX-License-Identifier: MIT
 *
 * What lanes do with each other: ballots, shuffles, reductions, scans, the matrix operation. Each is checked with all
 * lanes active and inside a branch that some lanes skip. spec/isa.md 2.10, 4.7, 4.7b, 4.8.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/vgpu/exec/rig.h"
#include "vgpu/exec/half.h"

#define IN(n) (lanes[lane][n])
#define OF(i, n) (lanes[i][n])
#define CASE(name) static void name(const uint32_t(*lanes)[RIG_WORDS], unsigned lane, uint32_t *out)

/* Lanes whose first word is odd take part. */
static bool on(const uint32_t (*lanes)[RIG_WORDS], unsigned lane)
{
   return OF(lane, 0) & 1;
}

#define IF_ODD "ldimm r0l, 0\nand r3, r4, 1\nif r3, 0, 1, ine\n"
#define END_IF "\npop_exec 1"

/* ---- Ballots ---- */

CASE(ballots)
{
   out[0] = out[1] = out[2] = 0;
   for (unsigned i = 0; i < 32; i++) {
      out[0] |= (uint32_t)(OF(i, 1) < OF(i, 2)) << i;
      out[1] |= (uint32_t)((int32_t)OF(i, 1) <= (int32_t)OF(i, 2)) << i;
      out[2] |= 1u << i;
   }
   out[3] = 0;
   for (unsigned i = 0; i < 4; i++) {
      out[3] |= (uint32_t)(OF((lane & ~3u) + i, 1) == OF((lane & ~3u) + i, 2)) << i;
   }
}

CASE(masked_ballots)
{
   uint32_t less = 0, active = 0, below = 0;
   for (unsigned i = 0; i < 32; i++) {
      less |= (uint32_t)(on(lanes, i) && (int32_t)OF(i, 1) < (int32_t)OF(i, 2)) << i;
      active |= (uint32_t)on(lanes, i) << i;
      below += i < lane && on(lanes, i);
   }
   if (on(lanes, lane)) {
      out[0] = less;
      out[1] = active;
      out[2] = below;
      out[3] = (uint32_t)__builtin_popcount(active);
   }
}

/* ---- Shuffles: the formulas as the specification has them. The lane operand is r5, its low bits as they come ---- */

static unsigned quad_bits(const uint32_t (*lanes)[RIG_WORDS], unsigned quad)
{
   return (OF(4 * quad, 1) | OF(4 * quad + 1, 1) | OF(4 * quad + 2, 1) | OF(4 * quad + 3, 1)) & 3;
}

CASE(shuffle_index)
{
   unsigned b = (uint16_t)IN(1);
   out[0] = b < 32 ? OF(4 * (b >> 2) + quad_bits(lanes, b >> 2), 2) : IN(2);
   out[1] = OF(4 * (lane / 4) + quad_bits(lanes, lane / 4), 3);
   out[2] = OF(21, 2);
   out[3] = OF(lane & ~3u, 3);
}

CASE(shuffle_down)
{
   unsigned b = (uint16_t)IN(1), from = lane + b;
   out[0] = from < 32 ? OF((from & ~3u) + ((lane + quad_bits(lanes, from / 4)) & 3), 2) : IN(2);
   out[1] = lane + 5 < 32 ? OF(lane + 5, 3) : IN(3);
   unsigned k = quad_bits(lanes, lane / 4), i = lane & 3;
   out[2] = i + k < 4 ? OF(lane + k, 2) : IN(2);
}

CASE(shuffle_up)
{
   unsigned b = (uint16_t)IN(1), from = lane - b;
   out[0] = lane >= b ? OF((from & ~3u) + ((lane - quad_bits(lanes, from / 4)) & 3), 2) : IN(2);
   out[1] = lane >= 6 ? OF(lane - 6, 3) : IN(3);
   unsigned k = quad_bits(lanes, lane / 4), i = lane & 3;
   out[2] = i >= k ? OF(lane - k, 2) : IN(2);
   from = (lane - b) & 31;
   out[3] = OF((from & ~3u) + ((lane - quad_bits(lanes, from / 4)) & 3), 2);
}

CASE(shuffle_xor)
{
   unsigned b = (uint16_t)IN(1), from = lane ^ b;
   out[0] = from < 32 ? OF((from & ~3u) + ((lane ^ quad_bits(lanes, from / 4)) & 3), 2) : IN(2);
   out[1] = OF(lane ^ 13, 3);
   out[2] = OF(lane ^ quad_bits(lanes, lane / 4), 2);
   out[3] = 0xdead0000 | (OF(lane ^ 2, 3) >> 16);
}

/* Sources are read in lanes that are off; only lanes that are on are written. */
CASE(masked_shuffle)
{
   if (on(lanes, lane)) {
      out[0] = OF(lane ^ 1, 2);
      out[1] = OF(7, 3);
   }
}

/* ---- Reductions over lanes first..first+span, in a branch ---- */

static uint32_t sum_up(const uint32_t (*lanes)[RIG_WORDS], unsigned first, unsigned span, unsigned word, char op)
{
   uint32_t result = op == '&' || op == 'u' ? UINT32_MAX : op == 'S' ? 0x80000000 : op == 's' ? 0x7fffffff : 0;
   for (unsigned i = first; i < first + span; i++) {
      uint32_t v = OF(i, word);
      if (!on(lanes, i)) {
         continue;
      }
      switch (op) {
      case '+':
         result += v;
         break;
      case '&':
         result &= v;
         break;
      case '|':
         result |= v;
         break;
      case '^':
         result ^= v;
         break;
      case 'u':
         result = v < result ? v : result;
         break;
      case 'U':
         result = v > result ? v : result;
         break;
      case 's':
         result = (int32_t)v < (int32_t)result ? v : result;
         break;
      default:
         result = (int32_t)v > (int32_t)result ? v : result;
         break;
      }
   }
   return result;
}

CASE(reductions)
{
   if (on(lanes, lane)) {
      out[0] = sum_up(lanes, 0, 32, 1, '+');
      out[1] = sum_up(lanes, 0, 32, 2, 's');
      out[2] = sum_up(lanes, lane & ~3u, 4, 3, 'U');
      out[3] = sum_up(lanes, 0, 32, 3, '^');
   }
}

CASE(more_reductions)
{
   if (on(lanes, lane)) {
      out[0] = sum_up(lanes, 0, 32, 1, 'u');
      out[1] = sum_up(lanes, 0, 32, 2, 'S');
      out[2] = sum_up(lanes, lane & ~3u, 4, 3, '&');
      out[3] = sum_up(lanes, 0, 32, 3, '|');
   }
}

CASE(prefixes)
{
   if (on(lanes, lane)) {
      out[0] = sum_up(lanes, 0, lane, 1, '+');
      out[1] = sum_up(lanes, 0, lane, 2, 'u');
      out[2] = sum_up(lanes, lane & ~3u, lane & 3, 3, '+');
      out[3] = sum_up(lanes, 0, lane, 3, 'S');
   }
}

/* 16 bits wide: overflow and signs stay within them. */
CASE(half_reductions)
{
   uint16_t sum = 0, before = 0;
   int16_t least = INT16_MAX;
   for (unsigned i = 0; i < 32; i++) {
      before = (uint16_t)(before + (i < lane ? OF(i, 1) : 0));
      sum = (uint16_t)(sum + OF(i, 1));
      least = (int16_t)OF(i, 2) < least ? (int16_t)OF(i, 2) : least;
   }
   out[0] = 0xdead0000 | sum;
   out[1] = 0xdead0000 | (uint16_t)least;
   out[2] = 0xdead0000 | before;
}

static const struct rig_case cases[] = {
    {"ballot r8, r5, r6, ult\nballot r9, r5, r6, slte\nballot r10\nballot r11, r5, r6, ieq, quad", ballots},
    {IF_ODD "ballot r8, r5, r6, slt\nballot r9\nmov r10, sr58\nmov r11, sr59" END_IF, masked_ballots},
    {"shuffle r8, r6, r5l\nshuffle r9, r7, r5l, quad\nshuffle r10, r6, 21\nshuffle r11, r7, 0, quad", shuffle_index},
    {"shuffle r8, r6, r5l, down\nshuffle r9, r7, 5, down\nshuffle r10, r6, r5l, quad, down", shuffle_down},
    {"shuffle r8, r6, r5l, up\nshuffle r9, r7, 6, up\nshuffle r10, r6, r5l, quad, up\nshuffle r11, r6, r5l, up, rotate",
     shuffle_up},
    {"shuffle r8, r6, r5l, xor\nshuffle r9, r7, 13, xor\nshuffle r10, r6, r5l, quad, xor\nshuffle r11l, r7h, 2, xor",
     shuffle_xor},
    {IF_ODD "shuffle r8, r6, 1, quad, xor\nshuffle r9, r7, 7" END_IF, masked_shuffle},
    {IF_ODD "simd r8, r5, iadd\nsimd r9, r6, smin\nquad r10, r7, umax\nsimd r11, r7, xor" END_IF, reductions},
    {IF_ODD "simd r8, r5, umin\nsimd r9, r6, smax\nquad r10, r7, and\nsimd r11, r7, or" END_IF, more_reductions},
    {IF_ODD "simd r8, r5, prefix, iadd\nsimd r9, r6, prefix, umin\nquad r10, r7, prefix, iadd\n"
            "simd r11, r7, prefix, smax" END_IF,
     prefixes},
    {"simd r8l, r5l, iadd\nsimd r9l, r6l, smin\nsimd r10l, r5l, prefix, iadd", half_reductions},
};

/* The lane operand: mostly small, with a quad's low bits mostly alike. */
static void fill_operands(struct rig *rig)
{
   uint32_t *words = (uint32_t *)(void *)rig->input;
   rig_fill(rig);
   for (uint32_t i = 0; i < rig->launch.grid[0]; i++) {
      uint32_t low = i / 512 % 2 ? rig_random() % 4 : i / 4 % 4;
      words[i * RIG_WORDS + 1] = (rig_random() % 40 & ~3u) + low + (rig_random() % 64 == 0 ? 0x8000 : 0);
   }
}

/* ---- Floats: exact sums, so that the order does not matter; NaN and infinities of minima ---- */

static float float_at(const uint32_t *word)
{
   float value;
   memcpy(&value, word, sizeof(value));
   return value;
}

CASE(float_reductions)
{
   float sum = 0, product = 1, least = INFINITY, before = 0;
   for (unsigned i = 0; i < 32; i++) {
      before += i < lane ? float_at(&OF(i, 1)) : 0;
      sum += float_at(&OF(i, 1));
      product *= float_at(&OF(i, 2));
      least = fminf(least, float_at(&OF(i, 1)));
   }
   memcpy(&out[0], &sum, 4);
   memcpy(&out[1], &product, 4);
   memcpy(&out[2], &least, 4);
   memcpy(&out[3], &before, 4);
}

static void fill_small_floats(struct rig *rig)
{
   float *values = (float *)(void *)rig->input;
   for (uint32_t i = 0; i < rig->launch.grid[0]; i++) {
      values[i * RIG_WORDS + 1] = (float)(int)(rig_random() % 2000) - 1000;
      values[i * RIG_WORDS + 2] = rig_random() & 1 ? 2 : 0.5f;
   }
}

static const struct rig_case float_cases[] = {
    {"simd r8, r5, fadd\nsimd r9, r6, fmul\nsimd r10, r5, fmin\nsimd r11, r5, prefix, fadd", float_reductions},
};

/* ---- Each operation of reductions and scans, with special values, against sums in double ---- */

static const char *const operations[] = {"and",  "or",   "xor",  "iadd", "smin", "smax",
                                         "umin", "umax", "fadd", "fmul", "fmin", "fmax"};
static struct {
   unsigned operation; /* an index of operations */
   bool half, quad, scan, masked;
} cross;

static double real_at(uint32_t word)
{
   return cross.half                         ? vgpu_f16_to_double((uint16_t)word)
          : (word & 0x7fffffff) < 0x00800000 ? copysign(0, (int32_t)word < 0 ? -1 : 1)
                                             : (double)float_at(&word);
}

static uint32_t rounded(double value)
{
   return cross.half ? vgpu_f16_from_double(value, false) : vgpu_f32_from_double(value);
}

static uint32_t one_step(uint32_t a, uint32_t b)
{
   const int32_t sa = cross.half ? (int16_t)a : (int32_t)a, sb = cross.half ? (int16_t)b : (int32_t)b;
   const double x = real_at(a), y = real_at(b);

   switch (cross.operation) {
   case 0:
      return a & b;
   case 1:
      return a | b;
   case 2:
      return a ^ b;
   case 3:
      return cross.half ? (uint16_t)(a + b) : a + b;
   case 4:
      return sa < sb ? a : b;
   case 5:
      return sa > sb ? a : b;
   case 6:
      return a < b ? a : b;
   case 7:
      return a > b ? a : b;
   case 8:
      return rounded(x + y);
   case 9:
      return rounded(x * y);
   case 10:
      return x < y || isnan(y) ? a : b;
   default:
      return x > y || isnan(y) ? a : b;
   }
}

static uint32_t nothing_yet(void)
{
   static const uint32_t words[] = {UINT32_MAX, 0, 0, 0,          0x7fffffff, 0x80000000,
                                    UINT32_MAX, 0, 0, 0x3f800000, 0x7f800000, 0xff800000};
   static const uint16_t halves[] = {0xffff, 0, 0, 0, 0x7fff, 0x8000, 0xffff, 0, 0, 0x3c00, 0x7c00, 0xfc00};

   return cross.half ? halves[cross.operation] : words[cross.operation];
}

/* Neighbours first, then pairs: over lanes first..first+span. False: none of them takes part. */
static bool tree(const uint32_t (*lanes)[RIG_WORDS], unsigned first, unsigned span, uint32_t *result)
{
   uint32_t left, right;

   if (span == 1) {
      *result = cross.half ? OF(first, 1) & 0xffff : OF(first, 1);
      return !cross.masked || on(lanes, first);
   }
   const bool has_left = tree(lanes, first, span / 2, &left),
              has_right = tree(lanes, first + span / 2, span / 2, &right);
   *result = has_left && has_right ? one_step(left, right) : has_left ? left : right;
   return has_left || has_right;
}

CASE(each_operation)
{
   const unsigned span = cross.quad ? 4 : 32, first = lane & ~(span - 1);
   uint32_t value = nothing_yet(), own;

   if (cross.masked && !on(lanes, lane)) {
      return;
   }
   for (unsigned i = first; cross.scan && i < lane; i++) {
      value = tree(lanes, i, 1, &own) ? one_step(value, own) : value;
   }
   if (!cross.scan) {
      (void)tree(lanes, first, span, &value);
   }
   out[0] = cross.half ? 0xdead0000 | value : value;
}

/* Every third pair of lanes has a product just below the smallest normal number, which rounds up to it: then the exact
 * product counts. Every third has f16 values, and their small products. */
static void fill_special(struct rig *rig)
{
   uint32_t *words = (uint32_t *)(void *)rig->input;

   rig_fill(rig);
   for (uint32_t i = 0; i < rig->launch.grid[0]; i++) {
      const uint32_t random = rig_random(), sign = random & 0x80008000, pair = i / 2, k = pair % 200;

      words[i * RIG_WORDS] = random;
      words[i * RIG_WORDS + 1] = pair % 3 == 0   ? rig_special()
                                 : pair % 3 == 1 ? sign | (i % 2 != 0 ? 0x20000000 + k : 0x20000000 - 2 * k)
                                                 : sign | (random >> 4 & 0x00ff00ff) | 0x3f803b80;
   }
}

static void test_each_operation(void)
{
   for (unsigned i = 0; i < 16 * sizeof(operations) / sizeof(operations[0]); i++) {
      char body[200];
      const struct rig_case test = {body, each_operation};

      cross.operation = i / 16;
      cross.half = i & 1;
      cross.quad = i & 2;
      cross.scan = i & 4;
      cross.masked = i & 8;
      snprintf(body, sizeof(body), "%s%s r8%s, r5%s, %s%s%s", cross.masked ? IF_ODD : "", cross.quad ? "quad" : "simd",
               cross.half ? "l" : "", cross.half ? "l" : "", cross.scan ? "prefix, " : "", operations[cross.operation],
               cross.masked ? END_IF : "");
      rig_cases(&test, 1, 256, fill_special);
   }
}

/* ---- Matrix: two lanes' words a row of 8; the layout by its other formula ---- */

static unsigned lane_of(unsigned row, unsigned column)
{
   return (row & 4) * 4 + (column & 4) * 2 + (row & 3) * 2 + (column >> 1 & 1);
}

static float element(const uint32_t (*lanes)[RIG_WORDS], unsigned row, unsigned column, unsigned first)
{
   return float_at(&OF(lane_of(row, column), first + (column & 1)));
}

CASE(matrix)
{
   for (unsigned row = 0; row < 8; row++) {
      for (unsigned column = 0; column < 8; column++) {
         if (lane_of(row, column) == lane) {
            float sum = element(lanes, row, column, 0);
            for (unsigned k = 0; k < 8; k++) {
               sum += element(lanes, row, k, 0) * element(lanes, k, column, 2);
            }
            memcpy(&out[column & 1], &sum, 4);
         }
      }
   }
}

static void fill_matrix(struct rig *rig)
{
   float *values = (float *)(void *)rig->input;
   for (uint32_t i = 0; i < rig->launch.grid[0] * RIG_WORDS; i++) {
      values[i] = (float)(int)(rig_random() % 64) - 32;
   }
}

/* D over A or B: NaN in both elements. */
CASE(poison32)
{
   (void)lanes;
   (void)lane;
   out[0] = out[1] = 0x7fc00000;
}

CASE(poison16)
{
   (void)lanes;
   (void)lane;
   out[0] = 0x7e007e00;
}

/* The lanes from 16 on keep what D held before. */
CASE(poison_half)
{
   out[0] = lane < 16 ? 0x7fc00000 : OF(lane, 0);
   out[1] = lane < 16 ? 0x7fc00000 : OF(lane, 1);
}

#define COPY "mov r8, r4\nmov r9, r5\n"

/* r8_r9 = r4_r5 * r6_r7 + r4_r5: the encoding of spec/isa.md 2.10 with these registers. */
static const struct rig_case matrix_cases[] = {
    {"simd_matrix_fmadd32 r8_r9, r4_r5, r6_r7, r4_r5", matrix},
    /* D over C. */
    {COPY "simd_matrix_fmadd32 r8_r9, r4_r5, r6_r7, r8_r9", matrix},
    /* Factors that end before D, and that begin behind it. */
    {"mov r12, r4\nmov r13, r5\nmov r16, r6\nmov r17, r7\n"
     "simd_matrix_fmadd32 r14_r15, r12_r13, r16_r17, r12_r13\nmov r8, r14\nmov r9, r15",
     matrix},
    {COPY "simd_matrix_fmadd32 r8_r9, r8_r9, r6_r7, r4_r5", poison32},
    {COPY "simd_matrix_fmadd32 r8_r9, r4_r5, r8_r9, r4_r5", poison32},
    {COPY "simd_matrix_fmadd32 r8_r9, r8_r9, r6_r7, r8_r9", poison32},
    /* One register in common. */
    {"simd_matrix_fmadd32 r8_r9, r7_r8, r6_r7, r4_r5", poison32},
    {"mov r12, r4\nsimd_matrix_fmadd32 r13_r14, r4_r5, r12_r13, r4_r5\nmov r8, r13\nmov r9, r14", poison32},
    {"mov r14, r4\nmov r15, r5\nsimd_matrix_fmadd32 r13_r14, r4_r5, r14_r15, r4_r5\nmov r8, r13\nmov r9, r14",
     poison32},
    /* Factors of 16 bits: under the second register of D, and under D of 16 bits. */
    {COPY "simd_matrix_fmadd32 r8_r9, r9l_r9h, r6l_r6h, r4_r5", poison32},
    {"mov r8, r4\nsimd_matrix_fmadd16 r8l_r8h, r4l_r4h, r8l_r8h, r5l_r5h", poison16},
    /* Half of the lanes: the others are not written. */
    {COPY "mov r3, sr52\nldimm r0l, 0\nif r3, 16, 1, ult\n"
          "simd_matrix_fmadd32 r8_r9, r8_r9, r6_r7, r4_r5\npop_exec 1",
     poison_half},
};

int main(void)
{
   rig_cases(cases, sizeof(cases) / sizeof(cases[0]), 1024, fill_operands);
   rig_cases(float_cases, 1, 1024, fill_small_floats);
   test_each_operation();
   rig_cases(matrix_cases, sizeof(matrix_cases) / sizeof(matrix_cases[0]), 1024, fill_matrix);
   return rig_result();
}
