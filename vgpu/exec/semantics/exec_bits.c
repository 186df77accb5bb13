/* SPDX-License-Identifier: MIT
 *
 * Shifts, bit fields, bit counting and interleaving: spec/isa.md 2.4, 2.5.
 *
 * The shift operand has 7 bits. A host shift by 32 or more is undefined, so each function says what is left of
 * the unbounded intermediate value in the 32 bits that any destination can see.
 */
#include "vgpu/exec/semantics/vector.h"

/* x << s and x >> s for s = 0..127; 0 for a negative s, which is a large unsigned one. */
VGPU_INLINE vu left(vu x, vu s)
{
   return (x << (s & 31)) & (vu)(s < 32);
}

VGPU_INLINE vu right(vu x, vu s)
{
   return (x >> (s & 31)) & (vu)(s < 32);
}

/* (x << s) >> 32 for x of 32 bits: what leaves at the top. */
VGPU_INLINE vu left_high(vu x, vu s)
{
   vu low = (x >> 1 >> ((31 - s) & 31)) & (vu)(s < 32);
   return low | left(x, s - 32);
}

/* (x << 32) >> s. */
VGPU_INLINE vu right_low(vu x, vu s)
{
   vu low = (x << 1 << ((31 - s) & 31)) & (vu)(s < 32);
   return low | right(x, s - 32);
}

VGPU_INLINE vu arithmetic(vu x, vu s)
{
   vu amount = vgpu_select((vu)(s < 32), s, vgpu_all(31));
   return (vu)((vi)x >> (vi)amount);
}

#define SHIFT(name, count_source, expression)                                                                          \
   VGPU_INLINE void name##_lanes(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)                          \
   {                                                                                                                   \
      vu mask = vgpu_all(op->bits.mask);                                                                               \
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {                                                                     \
         vu a = vgpu_get(op, 0, simd, i, shape), b = vgpu_get(op, 1, simd, i, shape);                                  \
         vu s = vgpu_get(op, count_source, simd, i, shape) & 0x7f;                                                     \
         (void)a, (void)b, (void)mask;                                                                                 \
         vgpu_put(op, simd, i, expression, shape);                                                                     \
      }                                                                                                                \
   }                                                                                                                   \
   VGPU_HANDLER(name, name##_lanes)

VGPU_INLINE vu insert(vu a, vu value, vu mask)
{
   return vgpu_select(mask, value, a);
}

SHIFT(bfi, 2, insert(a, left(b, s), left(mask, s)));
VGPU_OPERATION(BFI, shift, FALL, PLAIN, bfi);
SHIFT(bfeil, 2, insert(a, right(b, s), mask));
VGPU_OPERATION(BFEIL, shift, FALL, PLAIN, bfeil);
SHIFT(extr, 2, (right(a, s) | right_low(b, s)) & mask);
VGPU_OPERATION(EXTR, shift, FALL, PLAIN, extr);
SHIFT(shlhi, 2, insert(a, left_high(b, s), vgpu_select((vu)(s > 32), left(mask, s - 32), mask)));
VGPU_OPERATION(SHLHI, shift, FALL, PLAIN, shlhi);
SHIFT(shrhi, 2, insert(a, right_low(b, s), vgpu_select((vu)(s < 32), right_low(mask, s), mask)));
VGPU_OPERATION(SHRHI, shift, FALL, PLAIN, shrhi);
SHIFT(asr, 1, arithmetic(a, s));
VGPU_OPERATION(ASR, asr, FALL, PLAIN, asr);
SHIFT(asrh, 1, vgpu_select((vu)(s < 32), right_low(a, s), arithmetic(a, s - 32)));
VGPU_OPERATION(ASRH, asr, FALL, PLAIN, asrh);

#define UNARY(name, expression)                                                                                        \
   VGPU_INLINE void name##_lanes(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)                          \
   {                                                                                                                   \
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {                                                                     \
         vu a = vgpu_get(op, 0, simd, i, shape);                                                                       \
         vgpu_put(op, simd, i, expression, shape);                                                                     \
      }                                                                                                                \
   }                                                                                                                   \
   VGPU_HANDLER(name, name##_lanes)

VGPU_INLINE vu reverse(vu x)
{
   x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
   x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
   x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
   x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
   return (x >> 16) | (x << 16);
}

VGPU_INLINE vu count_ones(vu x)
{
   x = x - ((x >> 1) & 0x55555555u);
   x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
   x = (x + (x >> 4)) & 0x0f0f0f0fu;
   return (x * 0x01010101u) >> 24;
}

/* Index of the most significant one, -1 for 0. */
VGPU_INLINE vu find_most(vu x)
{
   x |= x >> 1;
   x |= x >> 2;
   x |= x >> 4;
   x |= x >> 8;
   x |= x >> 16;
   return count_ones(x) - 1;
}

VGPU_INLINE vu spread(vu x)
{
   x &= 0xffffu;
   x = (x | (x << 8)) & 0x00ff00ffu;
   x = (x | (x << 4)) & 0x0f0f0f0fu;
   x = (x | (x << 2)) & 0x33333333u;
   return (x | (x << 1)) & 0x55555555u;
}

UNARY(bitrev, reverse(a));
VGPU_OPERATION(BITREV, raw, FALL, PLAIN, bitrev);
UNARY(popcount, count_ones(a));
VGPU_OPERATION(POPCOUNT, raw, FALL, PLAIN, popcount);
UNARY(ffs, find_most(a));
VGPU_OPERATION(FFS, raw, FALL, PLAIN, ffs);

VGPU_INLINE void intl(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vu a = vgpu_get(op, 0, simd, i, shape), b = vgpu_get(op, 1, simd, i, shape);
      vgpu_put(op, simd, i, spread(a) | (spread(b) << 1), shape);
   }
}
VGPU_HANDLER(intl, intl);
VGPU_OPERATION(INTL, raw, FALL, PLAIN, intl);
