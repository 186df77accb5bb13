/* SPDX-License-Identifier: MIT
 *
 * Between lanes: shuffles, reductions and scans, matrix multiply-add: spec/isa.md 4.7, 4.7b, 4.8.
 */
#include "vgpu/exec/semantics/vector.h"

#include <math.h>

#include "vgpu/exec/host.h"

/* ---- Shuffles. Sources are read in all lanes. ---- */

_Alignas(64) static const uint32_t lane_numbers[VGPU_LANES] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

/* A quad first rotates within itself by k, its lanes' combined low bits; then lanes read the quad that the upper bits
 * name. This is the first half: which of its quad's lanes ends up where lane `lane` reads. */
VGPU_INLINE vu in_quad(unsigned mode, vu lane, vu k)
{
   switch (mode) {
   case ISA_SHUFFLE_XOR:
      return (lane ^ k) & 3;
   case ISA_SHUFFLE_UP:
      return (lane - k) & 3;
   case ISA_SHUFFLE_DOWN:
      return (lane + k) & 3;
   default:
      return k;
   }
}

/* The second half: the lane whose quad is read; 32 and up: none, the lane keeps its own value. */
VGPU_INLINE vu partner(unsigned mode, bool rotate, vu lane, vu b)
{
   switch (mode) {
   case ISA_SHUFFLE_XOR:
      return lane ^ b;
   case ISA_SHUFFLE_UP:
      return rotate ? ((lane - b) & 31) : (lane - b);
   case ISA_SHUFFLE_DOWN:
      return lane + b;
   default:
      return b;
   }
}

/* Each quad's combined low bits, in all its lanes. */
VGPU_INLINE void combine_low(const uint32_t *operand, uint32_t *low)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(low, i, vgpu_load(operand, i) & 3);
   }
   for (unsigned step = 1; step <= 2; step++) {
      VGPU_LANE_ARRAY(uint32_t, once);
      memcpy(once, low, sizeof(once));
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
         vgpu_store(low, i, vgpu_load(once, i) | vgpu_pick(once, vgpu_load(lane_numbers, i) ^ step));
      }
   }
}

VGPU_INLINE void exchange(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned mode, bool rotate)
{
   VGPU_LANE_ARRAY(uint32_t, data);
   VGPU_LANE_ARRAY(uint32_t, operand);
   VGPU_LANE_ARRAY(uint32_t, low);
   vgpu_get_lanes(op, 0, simd, data);
   vgpu_get_lanes(op, 1, simd, operand);
   combine_low(operand, low);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vu lane = vgpu_load(lane_numbers, i), from = partner(mode, rotate, lane, vgpu_load(operand, i));
      vu source = (from & 28) + in_quad(mode, lane, vgpu_pick(low, from & 31));
      source = vgpu_select((vu)(from < VGPU_LANES), source, lane);
      vgpu_put(op, simd, i, vgpu_pick(data, source), VGPU_GENERAL | VGPU_MASKED);
   }
}

VGPU_INLINE void shuffle(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   (void)shape;
   switch (op->shuffle.mode) { /* each with its mode as a constant */
   case ISA_SHUFFLE_XOR:
      exchange(op, simd, ISA_SHUFFLE_XOR, false);
      break;
   case ISA_SHUFFLE_UP:
      exchange(op, simd, ISA_SHUFFLE_UP, op->shuffle.rotate);
      break;
   case ISA_SHUFFLE_DOWN:
      exchange(op, simd, ISA_SHUFFLE_DOWN, false);
      break;
   default:
      exchange(op, simd, ISA_SHUFFLE_INDEX, false);
      break;
   }
}

/* The same within the quad; up and down keep the lane's own value past its edge. */
VGPU_INLINE void quad_shuffle(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   (void)shape;
   VGPU_LANE_ARRAY(uint32_t, data);
   VGPU_LANE_ARRAY(uint32_t, operand);
   VGPU_LANE_ARRAY(uint32_t, low);
   vgpu_get_lanes(op, 0, simd, data);
   vgpu_get_lanes(op, 1, simd, operand);
   combine_low(operand, low);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vu lane = vgpu_load(lane_numbers, i), k = vgpu_load(low, i),
         source = (lane & 28) + in_quad(op->shuffle.mode, lane, k);
      vu outside = vgpu_all(0);
      if (op->shuffle.mode == ISA_SHUFFLE_UP && !op->shuffle.rotate) {
         outside = (vu)(k > (lane & 3));
      } else if (op->shuffle.mode == ISA_SHUFFLE_DOWN) {
         outside = (vu)(k + (lane & 3) > 3);
      }
      vgpu_put(op, simd, i, vgpu_pick(data, vgpu_select(outside, lane, source)), VGPU_GENERAL | VGPU_MASKED);
   }
}

VGPU_HANDLER(shuffle, shuffle);
VGPU_HANDLER(quad_shuffle, quad_shuffle);
VGPU_OPERATION(SHUFFLE, shuffle, FALL, PLAIN, shuffle, quad_shuffle);

/* ---- Reductions and scans ---- */

/* Words of `size` bits as f32. */
VGPU_INLINE vf reals_of(vu bits, uint32_t size)
{
   if (size == 16) {
      return (vf)vgpu_f16_to_f32(bits & 0xffffu);
   }
   return (vf)(VGPU_HOST_FLUSHES ? bits : vgpu_flush(bits));
}

/* Results of f16 operations in f32 are right after a second rounding: see hadd in exec_float.c. */
VGPU_INLINE vu bits_of(vf value, uint32_t size)
{
   const vu bits = vgpu_finish_float(value, 0);

   return size == 16 ? vgpu_f32_to_f16(bits) : bits;
}

/* A product of exactly 2^-126 may have been rounded up: then it was tiny and is flushed (spec/isa.md 3.2). */
static __attribute__((noinline)) vf settle_products(vf product, vf a, vf b)
{
   for (unsigned i = 0; i < VGPU_WIDTH; i++) {
      if (fabsf(product[i]) == 0x1p-126f && fabs((double)a[i] * b[i]) < 0x1p-126) {
         product[i] = copysignf(0, product[i]);
      }
   }
   return product;
}

VGPU_INLINE vf multiply(vf a, vf b)
{
   const vf product = a * b;
   const bool suspect = !VGPU_HOST_TINY_BEFORE_ROUNDING && vgpu_any((vu)((vu)product << 1 == VGPU_F32_MIN << 1));

   return __builtin_expect(suspect, 0) ? settle_products(product, a, b) : product;
}

/* 16-bit words as signed ones. */
VGPU_INLINE vi signed_of(vu bits, uint32_t size)
{
   return size == 16 ? (vi)(bits << 16) >> 16 : (vi)bits;
}

/* One operation (enum isa_reduce) on words of `size` bits, lane by lane. */
VGPU_INLINE vu combine(uint32_t operation, uint32_t size, vu a, vu b)
{
   const vf x = reals_of(a, size), y = reals_of(b, size);

   switch (operation) {
   case ISA_REDUCE_AND:
      return a & b;
   case ISA_REDUCE_OR:
      return a | b;
   case ISA_REDUCE_XOR:
      return a ^ b;
   case ISA_REDUCE_IADD:
      return size == 16 ? (a + b) & 0xffffu : a + b;
   case ISA_REDUCE_SMIN:
      return vgpu_select((vu)(signed_of(a, size) < signed_of(b, size)), a, b);
   case ISA_REDUCE_SMAX:
      return vgpu_select((vu)(signed_of(a, size) > signed_of(b, size)), a, b);
   case ISA_REDUCE_UMIN:
      return vgpu_select((vu)(a < b), a, b);
   case ISA_REDUCE_UMAX:
      return vgpu_select((vu)(a > b), a, b);
   case ISA_REDUCE_FADD:
      return bits_of(x + y, size);
   case ISA_REDUCE_FMUL:
      return bits_of(multiply(x, y), size);
   case ISA_REDUCE_FMIN: /* the operand that is not NaN */
      return vgpu_select((vu)(x < y) | (vu)(y != y), a, b);
   default:
      return vgpu_select((vu)(x > y) | (vu)(y != y), a, b);
   }
}

static uint32_t identity(uint32_t operation, uint32_t size)
{
   const uint32_t all = size == 16 ? 0xffff : UINT32_MAX, infinity = size == 16 ? 0x7c00 : VGPU_F32_INF;

   switch (operation) {
   case ISA_REDUCE_AND:
   case ISA_REDUCE_UMIN:
      return all;
   case ISA_REDUCE_SMIN:
      return all >> 1;
   case ISA_REDUCE_SMAX:
      return all ^ all >> 1;
   case ISA_REDUCE_FMUL:
      return size == 16 ? 0x3c00 : 0x3f800000;
   case ISA_REDUCE_FMIN:
      return infinity;
   case ISA_REDUCE_FMAX:
      return infinity | (size == 16 ? 0x8000u : 0x80000000u);
   default:
      return 0;
   }
}

/* A lane vector with words before and behind it, so that it can be read from a lane's neighbours on. */
#define LANE_WINDOW(name)                                                                                              \
   VGPU_LANE_ARRAY(uint32_t, name##_words[3]);                                                                         \
   uint32_t *const name = name##_words[0] + VGPU_LANES

VGPU_INLINE vu load_from(const uint32_t *words, unsigned chunk)
{
   vu value;

   memcpy(&value, words + chunk * VGPU_WIDTH, sizeof(value));
   return value;
}

/* Each first lane of 2 * step ones gets the word of the lane `step` after it. The other lanes have any word. */
VGPU_INLINE vu from_partner(vu words, unsigned step)
{
#if defined(__AVX512F__)
   const __m512i value = (__m512i)words;
   switch (step) {
   case 1:
      return (vu)_mm512_bsrli_epi128(value, 4);
   case 2:
      return (vu)_mm512_bsrli_epi128(value, 8);
   case 4:
      return (vu)_mm512_shuffle_i64x2(value, value, 0xf5);
   default:
      return (vu)_mm512_shuffle_i64x2(value, value, 0xee);
   }
#elif defined(__AVX2__)
   const __m256i value = (__m256i)words;
   switch (step) {
   case 1:
      return (vu)_mm256_srli_si256(value, 4);
   case 2:
      return (vu)_mm256_srli_si256(value, 8);
   default:
      return (vu)_mm256_permute2x128_si256(value, value, 0x11);
   }
#else
   return step == 1 ? (vu){words[1], 0, words[3], 0} : (vu){words[2], 0, 0, 0};
#endif
}

/* Combines neighbours first, then pairs of them, and so on, which is the order that matters for floats. After each
 * step, the first lane of a pair has its result, and is live if one of the two was. The other lanes' values are not
 * used. */
VGPU_INLINE void reduce(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   const uint32_t operation = op->reduce.operation, bits = op->reduce.bits;
   const unsigned span = op->reduce.quad ? 4 : VGPU_LANES;
   const bool all = !(shape & VGPU_MASKED);
   VGPU_LANE_ARRAY(uint32_t, results);
   vu v[VGPU_CHUNKS], live[VGPU_CHUNKS];

   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      v[i] = vgpu_get(op, 0, simd, i, VGPU_GENERAL);
      live[i] = vgpu_load(simd->mask, i);
   }
   for (unsigned step = 1; step < VGPU_LANES; step *= 2) {
      const unsigned apart = step < VGPU_WIDTH ? 0 : step / VGPU_WIDTH, pair = apart ? 2 * apart : 1;
      for (unsigned i = 0; step < span && i < VGPU_CHUNKS; i += pair) {
         const vu other = apart ? v[i + apart] : from_partner(v[i], step);
         const vu there = apart ? live[i + apart] : from_partner(live[i], step);
         const vu both = combine(operation, bits, v[i], other);

         v[i] = all ? both : vgpu_select(live[i], vgpu_select(there, both, v[i]), other);
         live[i] |= there;
      }
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(results, i, v[i]);
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu first = vgpu_load(lane_numbers, i) & ~(span - 1);
      const vu result = op->reduce.quad ? vgpu_pick(results, first) : vgpu_all(results[0]);

      vgpu_put(op, simd, i, result, VGPU_GENERAL | VGPU_MASKED);
   }
}

/* Lane after lane: float operations depend on the order. */
static void prefix_in_order(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, v);
   const unsigned span = op->reduce.quad ? 4 : VGPU_LANES;
   const vu start = vgpu_all(identity(op->reduce.operation, op->reduce.bits));
   vu sum = start;

   vgpu_get_lanes(op, 0, simd, v);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      if (lane % span == 0) {
         sum = start;
      }
      if (simd->exec >> lane & 1) {
         const vu own = vgpu_all(v[lane]);
         v[lane] = sum[0];
         sum = combine(op->reduce.operation, op->reduce.bits, sum, own);
      }
   }
   vgpu_put_lanes(op, simd, v);
}

/* Integer operations may be combined in any order: each lane combines the lane 1, 2, 4, ... before it. Inactive lanes
 * count as the identity, and so do those before the first one. */
static void prefix_integer(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   LANE_WINDOW(v);
   const unsigned span = op->reduce.quad ? 4 : VGPU_LANES;
   const vu start = vgpu_all(identity(op->reduce.operation, op->reduce.bits));

   vgpu_get_lanes(op, 0, simd, v);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(v_words[0], i, start);
      vgpu_store(v, i, vgpu_select(vgpu_load(simd->mask, i), vgpu_load(v, i), start));
   }
   for (unsigned step = 1; step < span; step *= 2) {
      for (unsigned i = VGPU_CHUNKS; i-- > 0;) { /* a chunk reads lanes of the one before */
         const vu far = (vu)((vgpu_load(lane_numbers, i) & (span - 1)) >= step);
         const vu other = vgpu_select(far, load_from(v - step, i), start);

         vgpu_store(v, i, combine(op->reduce.operation, op->reduce.bits, other, vgpu_load(v, i)));
      }
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu far = (vu)((vgpu_load(lane_numbers, i) & (span - 1)) >= 1);

      vgpu_put(op, simd, i, vgpu_select(far, load_from(v - 1, i), start), VGPU_GENERAL | VGPU_MASKED);
   }
}

static void prefix(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   switch (op->reduce.operation) {
   case ISA_REDUCE_FADD:
   case ISA_REDUCE_FMUL:
   case ISA_REDUCE_FMIN:
   case ISA_REDUCE_FMAX:
      prefix_in_order(op, simd);
      break;
   default:
      prefix_integer(op, simd);
      break;
   }
}

VGPU_HANDLER(reduce, reduce);
VGPU_OPERATION(REDUCE, reduce, FALL, PLAIN, reduce);
VGPU_SLOW_HANDLER(prefix, prefix);
VGPU_OPERATION(PREFIX, reduce, FALL, PLAIN, prefix);

/* ---- Matrix: 8x8 elements, two a lane; src[3..5] are the second elements of src[0..2] ---- */

static unsigned element_row(unsigned lane)
{
   return (lane >> 2 & 4) + (lane >> 1 & 3);
}

static unsigned element_column(unsigned lane)
{
   return (lane >> 2 & 2) * 2 + (lane & 1) * 2;
}

static void get_matrix(const struct vgpu_op *op, unsigned n, const struct vgpu_simd *simd, float matrix[8][8])
{
   VGPU_LANE_ARRAY(float, first);
   VGPU_LANE_ARRAY(float, second);
   vgpu_get_float_lanes(op, n, simd, first);
   vgpu_get_float_lanes(op, n + 3, simd, second);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      matrix[element_row(lane)][element_column(lane)] = first[lane];
      matrix[element_row(lane)][element_column(lane) + 1] = second[lane];
   }
}

/* sum = sum + a * b, element by element, each step rounded to f32. */
static void accumulate(float *sum, const float *a, const float *b)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vf *s = (vf *)(sum + i * VGPU_WIDTH);
      *s = (vf)vgpu_finish_float(vgpu_fma(*(const vf *)(a + i * VGPU_WIDTH), *(const vf *)(b + i * VGPU_WIDTH), *s), 0);
   }
}

/* An instruction that writes the destination's second register. */
static struct vgpu_op second_register(const struct vgpu_op *op)
{
   const unsigned half = op->dst.half + (op->dst.form == VGPU_WORD ? 2u : 1u);
   struct vgpu_op second = {.dst = op->dst};
   second.dst.vector = half / 2 * VGPU_LANES;
   second.dst.form = op->dst.form == VGPU_WORD ? VGPU_WORD : half & 1 ? VGPU_HIGH : VGPU_LOW;
   return second;
}

static void matrix(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   _Alignas(64) float a[8][8], b[8][8];
   VGPU_LANE_ARRAY(float, sum[2]);
   VGPU_LANE_ARRAY(float, left);
   VGPU_LANE_ARRAY(float, right[2]);
   get_matrix(op, 0, simd, a);
   get_matrix(op, 1, simd, b);
   vgpu_get_float_lanes(op, 2, simd, sum[0]);
   vgpu_get_float_lanes(op, 5, simd, sum[1]);
   for (unsigned k = 0; k < 8; k++) {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         left[lane] = a[element_row(lane)][k];
         right[0][lane] = b[k][element_column(lane)];
         right[1][lane] = b[k][element_column(lane) + 1];
      }
      accumulate(sum[0], left, right[0]);
      accumulate(sum[1], left, right[1]);
   }
   const struct vgpu_op second = second_register(op);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu *element = (const vu *)(sum[0] + i * VGPU_WIDTH), *next = (const vu *)(sum[1] + i * VGPU_WIDTH);
      vgpu_put_float(op, simd, i, *element, VGPU_GENERAL | VGPU_MASKED);
      vgpu_put_float(&second, simd, i, *next, VGPU_GENERAL | VGPU_MASKED);
   }
}

/* D overlaps A or B. The hardware's result is wrong and not known: NaN, so that no program relies on it. */
static void matrix_poison(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   const struct vgpu_op second = second_register(op);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_put_float(op, simd, i, vgpu_all(VGPU_F32_NAN), VGPU_GENERAL | VGPU_MASKED);
      vgpu_put_float(&second, simd, i, vgpu_all(VGPU_F32_NAN), VGPU_GENERAL | VGPU_MASKED);
   }
}
VGPU_SLOW_HANDLER(matrix, matrix);
VGPU_SLOW_HANDLER(matrix_poison, matrix_poison);
VGPU_OPERATION(MATRIX, matrix, FALL, PLAIN, matrix, matrix_poison);
