/* SPDX-License-Identifier: MIT
 *
 * Moves, integer arithmetic and bit operations: spec/isa.md 2.2, 2.3.
 */
#include "vgpu/exec/semantics/vector.h"

VGPU_INLINE void copy(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_put(op, simd, i, vgpu_get(op, 0, simd, i, shape), shape);
   }
}
VGPU_HANDLER(copy, copy);
VGPU_OPERATION(MOV_IMM, mov_imm, FALL, PLAIN, copy);

/* The last addend, negated, shifted and masked. */
VGPU_INLINE vu addend(const struct vgpu_op *op, vu value)
{
   vu negate = vgpu_all(op->negate ? UINT32_MAX : 0);
   return (((value ^ negate) - negate) << op->addend.shift) & op->addend.keep;
}

VGPU_INLINE void addend64(const struct vgpu_op *op, vu *low, vu *high)
{
   vu negate = vgpu_all(op->negate ? UINT32_MAX : 0);
   vu l = (*low ^ negate) - negate;
   vu h = (*high ^ negate) - ((vu)(l == 0) & negate);
   *low = (l << op->addend.shift) & op->addend.keep;
   *high = ((h << op->addend.shift) | (l >> 1 >> (31 - op->addend.shift))) & op->addend.keep;
}

VGPU_INLINE void iadd(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vu a = vgpu_get(op, 0, simd, i, shape);
      vgpu_put(op, simd, i, a + addend(op, vgpu_get(op, 1, simd, i, shape)), shape);
   }
}

VGPU_INLINE void put_sum64(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned chunk, vu low, vu high, vu low2,
                           vu high2, int shape)
{
   vu sum = low + low2;
   vu carry = (vu)(sum < low);
   vgpu_put(op, simd, chunk, sum, shape);
   vgpu_put_high(op, simd, chunk, high + high2 - carry);
}

VGPU_INLINE void iadd64(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vu a = vgpu_get(op, 0, simd, i, shape), ah = vgpu_get_high(op, 0, simd, i, a);
      vu b = vgpu_get(op, 1, simd, i, shape), bh = vgpu_get_high(op, 1, simd, i, b);
      addend64(op, &b, &bh);
      put_sum64(op, simd, i, a, ah, b, bh, shape);
   }
}

/* Saturation to the destination's range. */
static uint32_t clamp(const struct vgpu_op *op, __int128 exact)
{
   int width = op->dst.size;
   __int128 least = op->addend.is_signed ? -((__int128)1 << (width - 1)) : 0;
   __int128 most = op->addend.is_signed ? ((__int128)1 << (width - 1)) - 1 : ((__int128)1 << width) - 1;
   return (uint32_t)(exact < least ? least : exact > most ? most : exact);
}

static int64_t widen(const struct vgpu_op *op, unsigned n, uint32_t value)
{
   return op->src[n].sx ? (int64_t)(int32_t)value : (int64_t)value;
}

static void iadd_saturate(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, a);
   VGPU_LANE_ARRAY(uint32_t, b);
   vgpu_get_lanes(op, 0, simd, a);
   vgpu_get_lanes(op, 1, simd, b);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      int64_t term = widen(op, 1, b[lane]);
      a[lane] = clamp(op, (__int128)widen(op, 0, a[lane]) + (op->negate ? -term : term));
   }
   vgpu_put_lanes(op, simd, a);
}

VGPU_HANDLER(iadd, iadd);
VGPU_HANDLER(iadd64, iadd64);
VGPU_SLOW_HANDLER(iadd_saturate, iadd_saturate);
VGPU_OPERATION(IADD, iadd, FALL, PLAIN, iadd, iadd64, iadd_saturate);

VGPU_INLINE void imadd(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vu product = vgpu_get(op, 0, simd, i, shape) * vgpu_get(op, 1, simd, i, shape);
      vgpu_put(op, simd, i, product + addend(op, vgpu_get(op, 2, simd, i, shape)), shape);
   }
}

/* clang, which makes the compiler's bitcode, would take the lanes one by one. */
VGPU_INLINE vu high_product(vu a, vu b)
{
#if defined(__AVX512F__)
   const __m512i even = _mm512_mul_epu32((__m512i)a, (__m512i)b);
   const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i)a, 32), _mm512_srli_epi64((__m512i)b, 32));
   return (vu)_mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
#elif defined(__AVX2__)
   const __m256i even = _mm256_mul_epu32((__m256i)a, (__m256i)b);
   const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64((__m256i)a, 32), _mm256_srli_epi64((__m256i)b, 32));
   return (vu)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
#elif defined(__aarch64__)
   const uint64x2_t low = vmull_u32(vget_low_u32((uint32x4_t)a), vget_low_u32((uint32x4_t)b));
   const uint64x2_t high = vmull_high_u32((uint32x4_t)a, (uint32x4_t)b);
   return (vu)vuzp2q_u32((uint32x4_t)low, (uint32x4_t)high);
#else
   vu high;
   for (unsigned i = 0; i < VGPU_WIDTH; i++) {
      high[i] = (uint32_t)(((uint64_t)a[i] * b[i]) >> 32);
   }
   return high;
#endif
}

VGPU_INLINE void imadd64(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   vu a_signed = vgpu_all(op->src[0].sx ? UINT32_MAX : 0), b_signed = vgpu_all(op->src[1].sx ? UINT32_MAX : 0);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vu a = vgpu_get(op, 0, simd, i, shape), b = vgpu_get(op, 1, simd, i, shape);
      vu c = vgpu_get(op, 2, simd, i, shape), ch = vgpu_get_high(op, 2, simd, i, c);
      vu high = high_product(a, b);
      high -= (vu)((vi)a >> 31) & a_signed & b;
      high -= (vu)((vi)b >> 31) & b_signed & a;
      addend64(op, &c, &ch);
      put_sum64(op, simd, i, a * b, high, c, ch, shape);
   }
}

static void imadd_saturate(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, a);
   VGPU_LANE_ARRAY(uint32_t, b);
   VGPU_LANE_ARRAY(uint32_t, c);
   vgpu_get_lanes(op, 0, simd, a);
   vgpu_get_lanes(op, 1, simd, b);
   vgpu_get_lanes(op, 2, simd, c);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      int64_t term = widen(op, 2, c[lane]);
      __int128 product = (__int128)widen(op, 0, a[lane]) * widen(op, 1, b[lane]);
      a[lane] = clamp(op, product + (op->negate ? -term : term));
   }
   vgpu_put_lanes(op, simd, a);
}

VGPU_HANDLER(imadd, imadd);
VGPU_HANDLER(imadd64, imadd64);
VGPU_SLOW_HANDLER(imadd_saturate, imadd_saturate);
VGPU_OPERATION(IMADD, imadd, FALL, PLAIN, imadd, imadd64, imadd_saturate);

/* Truth tables, bit 0: ~a & ~b, 1: a & ~b, 2: ~a & b, 3: a & b. Those that would give b alone or its inverse
 * give a: a quirk of the hardware (spec/isa.md 2.3). */
#define BITOP(number, expression)                                                                                      \
   VGPU_INLINE void bitop##number(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)                         \
   {                                                                                                                   \
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {                                                                     \
         vu a = vgpu_get(op, 0, simd, i, shape), b = vgpu_get(op, 1, simd, i, shape);                                  \
         (void)a, (void)b;                                                                                             \
         vgpu_put(op, simd, i, expression, shape);                                                                     \
      }                                                                                                                \
   }                                                                                                                   \
   VGPU_HANDLER(bitop##number, bitop##number)

BITOP(0, vgpu_all(0));
BITOP(1, ~(a | b));
BITOP(2, a & ~b);
BITOP(3, a);
BITOP(4, ~a &b);
BITOP(5, ~a);
BITOP(6, a ^ b);
BITOP(7, ~(a &b));
BITOP(8, a &b);
BITOP(9, ~(a ^ b));
BITOP(10, a);
BITOP(11, a | ~b);
BITOP(12, a);
BITOP(13, ~a | b);
BITOP(14, a | b);
BITOP(15, vgpu_all(UINT32_MAX));
VGPU_OPERATION(BITOP, bitop, FALL, PLAIN, bitop0, bitop1, bitop2, bitop3, bitop4, bitop5, bitop6, bitop7, bitop8,
               bitop9, bitop10, bitop11, bitop12, bitop13, bitop14, bitop15);
