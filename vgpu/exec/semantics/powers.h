/* SPDX-License-Identifier: MIT
 *
 * 2^x and log2 x of host vectors: the exact value rounded once to f32 (spec/isa.md 3.4). They are computed as doubles
 * by separate products and sums, so that hosts with and without a fused multiply-add have the same bits.
 *
 * Two host vectors are computed side by side, because each sum of a polynomial waits for the one before.
 *
 * A polynomial gives what is added to an exact part. The sum's rounding error is known, and makes the last bit of the
 * double odd where there is one, so that rounding to f32 is right. tests/vgpu/exec/powers.c compares all f32 values.
 */
#ifndef VGPU_POWERS_H
#define VGPU_POWERS_H

#include "vgpu/exec/semantics/vector.h"

#define VGPU_HALF (VGPU_WIDTH / 2) /* doubles of a host vector */

typedef double vd __attribute__((vector_size(VGPU_HALF * 8)));
typedef uint64_t vq __attribute__((vector_size(VGPU_HALF * 8)));
typedef float vh __attribute__((vector_size(VGPU_HALF * 4)));

#define VGPU_ABREAST 2 /* host vectors side by side, */
#define VGPU_PARTS 4   /* and their halves as doubles */

VGPU_INLINE void vgpu_widen(vf value, vd *halves)
{
   vh low, high;
   memcpy(&low, &value, sizeof(vh));
   memcpy(&high, (const char *)&value + sizeof(vh), sizeof(vh));
   halves[0] = __builtin_convertvector(low, vd);
   halves[1] = __builtin_convertvector(high, vd);
}

VGPU_INLINE vf vgpu_join(vh low, vh high)
{
   vf value;
   memcpy(&value, &low, sizeof(vh));
   memcpy((char *)&value + sizeof(vh), &high, sizeof(vh));
   return value;
}

VGPU_INLINE void vgpu_polynomials(const vd *x, const double *coefficients, unsigned count, vd *sums)
{
   for (unsigned k = 0; k < VGPU_PARTS; k++) {
      sums[k] = coefficients[0] - (vd){0};
   }
   for (unsigned i = 1; i < count; i++) {
      for (unsigned k = 0; k < VGPU_PARTS; k++) {
         sums[k] = sums[k] * x[k] + coefficients[i];
      }
   }
}

/* A sum and its rounding error as a double with an odd last bit, unless the sum is exact. */
VGPU_INLINE vd vgpu_to_odd(vd sum, vd error)
{
   const vq bits = (vq)sum, inexact = (vq)(error != 0) & 1 & ~bits, away = ((vq)error ^ bits) >> 63;
   return (vd)(bits + inexact - (inexact & away) * 2);
}

/* To f32; odd: to an odd last bit, not to nearest, for another rounding to f16. */
VGPU_INLINE vh vgpu_narrow(vd value, bool odd)
{
   typedef uint32_t bits_of_half __attribute__((vector_size(VGPU_HALF * 4)));
   const vh nearest = __builtin_convertvector(value, vh);
   if (!odd) {
      return nearest;
   }
   const vh error = __builtin_convertvector(value - __builtin_convertvector(nearest, vd), vh);
   const bits_of_half bits = (bits_of_half)nearest, inexact = (bits_of_half)(error != 0) & 1 & ~bits,
                      away = ((bits_of_half)error ^ bits) >> 31;
   return (vh)(bits + inexact - (inexact & away) * 2);
}

/* Adding it rounds a double to an integer, which its last bits then hold. */
#define VGPU_ROUNDER 0x1.8p52

/* For x in [-150, 129]; x becomes its power. */
VGPU_INLINE void vgpu_exp2_doubles(vd *x)
{
   /* (2^r - 1) / r for |r| <= 1/2, to 2^-63 */
   static const double q[] = {0x1.c4a29327a2bc7p-36, 0x1.e9ec1fcf3594fp-32, 0x1.e4cf10debf449p-28,
                              0x1.b524ebd138334p-24, 0x1.62c02242b87a1p-20, 0x1.ffcbfc6da6edep-17,
                              0x1.430912f86b7dbp-13, 0x1.5d87fe78a3f9cp-10, 0x1.3b2ab6fba4e79p-7,
                              0x1.c6b08d704a0c6p-5,  0x1.ebfbdff82c58fp-3,  0x1.62e42fefa39efp-1};
   vd shifted[VGPU_PARTS], r[VGPU_PARTS], sums[VGPU_PARTS];
   for (unsigned k = 0; k < VGPU_PARTS; k++) {
      shifted[k] = x[k] + VGPU_ROUNDER;
      r[k] = x[k] - (shifted[k] - VGPU_ROUNDER);
   }
   vgpu_polynomials(r, q, sizeof(q) / sizeof(q[0]), sums);
   for (unsigned k = 0; k < VGPU_PARTS; k++) {
      const vd rest = r[k] * sums[k], sum = 1 + rest, error = rest - (sum - 1);
      x[k] = (vd)((vq)vgpu_to_odd(sum, error) + ((vq)shifted[k] << 52));
   }
}

/* Each x becomes its power. */
VGPU_INLINE void vgpu_exp2(vf *x, bool odd)
{
   vd wide[VGPU_PARTS];
   for (unsigned i = 0; i < VGPU_ABREAST; i++) {
      vu bits = vgpu_select((vu)(x[i] > 129.0f), vgpu_all(0x43010000u), (vu)x[i]);
      bits = vgpu_select((vu)(x[i] < -150.0f), vgpu_all(0xc3160000u), bits);
      vgpu_widen((vf)bits, &wide[2 * i]);
   }
   vgpu_exp2_doubles(wide);
   for (unsigned i = 0; i < VGPU_ABREAST; i++) {
      const vu below = (vu)(x[i] < -126.0f);
      const vf power = vgpu_join(vgpu_narrow(wide[2 * i], odd), vgpu_narrow(wide[2 * i + 1], odd));
      x[i] = (vf)(((vu)power & ~below) | ((vu)x[i] & (vu)(x[i] != x[i])));
   }
}

/* For positive normal x; x becomes its logarithm. */
VGPU_INLINE void vgpu_log2_doubles(vd *x)
{
   /* log2((1 + s) / (1 - s)) is s * (c + s * s * p(s * s)); c = 2 / ln 2 in two parts */
   static const double p[] = {0x1.82a9bc9c3621fp-3, 0x1.880b5b8229032p-3, 0x1.c69b9fe6cb5a1p-3, 0x1.0c9a6ec5fe8aap-2,
                              0x1.484b1401c307fp-2, 0x1.a61762a786459p-2, 0x1.2776c50ef9c70p-1, 0x1.ec709dc3a03fdp-1};
   const double c_high = 0x1.7154760000000p+1, c_low = 0x1.4ae0bf85ddf44p-25;
   const uint64_t root_of_half = 0x3fe6a09e00000000u, exponent = 0xfff0000000000000u;
   vd e[VGPU_PARTS], s[VGPU_PARTS], s_high[VGPU_PARTS], s_low[VGPU_PARTS], z[VGPU_PARTS], sums[VGPU_PARTS];
   for (unsigned k = 0; k < VGPU_PARTS; k++) {
      /* x = 2^e * m, with m from the root of 1/2 to that of 2 */
      const vq distance = (vq)x[k] - root_of_half;
      e[k] = (vd)(((distance >> 52) ^ 0x800) | 0x4330000000000000u) - (0x1p52 + 0x800);
      const vd m = (vd)((vq)x[k] - (distance & exponent));
      /* s in two parts, of which the product of the first one with m + 1 is exact, and so is that with c's */
      const vd top = m - 1, bottom = m + 1, inverse = 1 / bottom;
      s[k] = top * inverse;
      s_high[k] = (vd)((vq)s[k] & 0xfffffffffc000000u);
      s_low[k] = (top - s_high[k] * bottom) * inverse;
      z[k] = s[k] * s[k];
   }
   vgpu_polynomials(z, p, sizeof(p) / sizeof(p[0]), sums);
   for (unsigned k = 0; k < VGPU_PARTS; k++) {
      const vd exact = c_high * s_high[k];
      const vd rest = (c_low * s_high[k] + (c_high + c_low) * s_low[k]) + s[k] * z[k] * sums[k];
      /* |e| >= |exact| or e is 0 */
      const vd first = e[k] + exact, first_error = exact - (first - e[k]);
      const vd second = first_error + rest, sum = first + second, error = second - (sum - first);
      x[k] = vgpu_to_odd(sum, error);
   }
}

/* Each x becomes its logarithm. */
VGPU_INLINE void vgpu_log2(vf *x, bool odd)
{
   vd wide[VGPU_PARTS];
   for (unsigned i = 0; i < VGPU_ABREAST; i++) {
      const vu bits = (vu)x[i], zero = (vu)((bits & 0x7fffffffu) < VGPU_F32_MIN);
      const vu wrong = (vu)(bits - 1 >= VGPU_F32_INF); /* negative, infinite, NaN, or zero */
      vgpu_widen((vf)vgpu_select(wrong | zero, vgpu_all(0x3f800000u), bits), &wide[2 * i]);
   }
   vgpu_log2_doubles(wide);
   for (unsigned i = 0; i < VGPU_ABREAST; i++) {
      const vu bits = (vu)x[i], zero = (vu)((bits & 0x7fffffffu) < VGPU_F32_MIN), infinite = (vu)(bits == VGPU_F32_INF),
               wrong = (vu)(bits - 1 >= VGPU_F32_INF);
      vu result = (vu)vgpu_join(vgpu_narrow(wide[2 * i], odd), vgpu_narrow(wide[2 * i + 1], odd));
      result = vgpu_select(wrong & ~infinite, vgpu_all(VGPU_F32_NAN), result);
      result = vgpu_select(infinite, vgpu_all(VGPU_F32_INF), result);
      x[i] = (vf)vgpu_select(zero, vgpu_all(0xff800000u), result);
   }
}

#endif
