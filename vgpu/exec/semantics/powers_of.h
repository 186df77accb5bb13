/* SPDX-License-Identifier: MIT
 *
 * 2^x and log2 x of POWERS_ABREAST vectors of POWERS_WIDTH floats, which are computed as vectors of POWERS_HALF
 * doubles. powers.h includes this file for each form; POWERS(name) is the name there.
 *
 * A polynomial gives what is added to an exact part. The sum's rounding error is known, and makes the last bit of the
 * double odd where there is one, so that rounding to f32 is right.
 */
typedef uint32_t POWERS(vu) __attribute__((vector_size(POWERS_WIDTH * 4), may_alias));
typedef float POWERS(vf) __attribute__((vector_size(POWERS_WIDTH * 4), may_alias));
typedef double POWERS(vd) __attribute__((vector_size(POWERS_HALF * 8)));
typedef uint64_t POWERS(vq) __attribute__((vector_size(POWERS_HALF * 8)));
typedef uint32_t POWERS(vn) __attribute__((vector_size(POWERS_HALF * 4)));
typedef float POWERS(vh) __attribute__((vector_size(POWERS_HALF * 4)));

#define PARTS (POWERS_WIDTH / POWERS_HALF)
#define ALL_PARTS (POWERS_ABREAST * PARTS)

VGPU_INLINE void POWERS(widen)(POWERS(vf) value, POWERS(vd) * parts)
{
   for (unsigned i = 0; i < PARTS; i++) {
      POWERS(vh) part;
      memcpy(&part, (const char *)&value + i * sizeof(part), sizeof(part));
      parts[i] = __builtin_convertvector(part, POWERS(vd));
   }
}

/* To f32; odd: to an odd last bit, not to nearest, for another rounding to f16. */
VGPU_INLINE POWERS(vh) POWERS(narrow)(POWERS(vd) value, bool odd)
{
   const POWERS(vh) nearest = __builtin_convertvector(value, POWERS(vh));
   if (!odd) {
      return nearest;
   }
   const POWERS(vh) error = __builtin_convertvector(value - __builtin_convertvector(nearest, POWERS(vd)), POWERS(vh));
   const POWERS(vn) bits = (POWERS(vn))nearest, inexact = (POWERS(vn))(error != 0) & 1 & ~bits,
                    away = ((POWERS(vn))error ^ bits) >> 31;
   return (POWERS(vh))(bits + inexact - (inexact & away) * 2);
}

VGPU_INLINE POWERS(vf) POWERS(join)(const POWERS(vd) * parts, bool odd)
{
   POWERS(vf) value;
   for (unsigned i = 0; i < PARTS; i++) {
      const POWERS(vh) part = POWERS(narrow)(parts[i], odd);
      memcpy((char *)&value + i * sizeof(part), &part, sizeof(part));
   }
   return value;
}

VGPU_INLINE POWERS(vu) POWERS(choose)(POWERS(vu) mask, POWERS(vu) a, POWERS(vu) b)
{
   return (a & mask) | (b & ~mask);
}

VGPU_INLINE void POWERS(polynomials)(const POWERS(vd) * x, const double *terms, unsigned count, POWERS(vd) * sums)
{
   for (unsigned k = 0; k < ALL_PARTS; k++) {
      sums[k] = terms[0] - (POWERS(vd)){0};
   }
   for (unsigned i = 1; i < count; i++) {
      for (unsigned k = 0; k < ALL_PARTS; k++) {
         sums[k] = sums[k] * x[k] + terms[i];
      }
   }
}

/* A sum and its rounding error as a double with an odd last bit, unless the sum is exact. */
VGPU_INLINE POWERS(vd) POWERS(to_odd)(POWERS(vd) sum, POWERS(vd) error)
{
   const POWERS(vq) bits = (POWERS(vq))sum, inexact = (POWERS(vq))(error != 0) & 1 & ~bits,
                    away = ((POWERS(vq))error ^ bits) >> 63;
   return (POWERS(vd))(bits + inexact - (inexact & away) * 2);
}

/* For x in [-150, 129]; x becomes its power. */
VGPU_INLINE void POWERS(exp2_doubles)(POWERS(vd) * x)
{
   POWERS(vd) shifted[ALL_PARTS], r[ALL_PARTS], sums[ALL_PARTS];
   for (unsigned k = 0; k < ALL_PARTS; k++) {
      shifted[k] = x[k] + VGPU_ROUNDER;
      r[k] = x[k] - (shifted[k] - VGPU_ROUNDER);
   }
   POWERS(polynomials)(r, vgpu_exp2_terms, sizeof(vgpu_exp2_terms) / sizeof(vgpu_exp2_terms[0]), sums);
   for (unsigned k = 0; k < ALL_PARTS; k++) {
      const POWERS(vd) rest = r[k] * sums[k], sum = 1 + rest, error = rest - (sum - 1);
      x[k] = (POWERS(vd))((POWERS(vq))POWERS(to_odd)(sum, error) + ((POWERS(vq))shifted[k] << 52));
   }
}

/* Each x becomes its power. */
VGPU_INLINE void POWERS(exp2)(POWERS(vf) * x, bool odd)
{
   POWERS(vd) wide[ALL_PARTS];
   for (unsigned i = 0; i < POWERS_ABREAST; i++) {
      const POWERS(vu) most = (POWERS(vu))((POWERS(vf)){0} + 129.0f), least = (POWERS(vu))((POWERS(vf)){0} - 150.0f);
      POWERS(vu) bits = POWERS(choose)((POWERS(vu))(x[i] > 129.0f), most, (POWERS(vu))x[i]);
      bits = POWERS(choose)((POWERS(vu))(x[i] < -150.0f), least, bits);
      POWERS(widen)((POWERS(vf))bits, &wide[PARTS * i]);
   }
   POWERS(exp2_doubles)(wide);
   for (unsigned i = 0; i < POWERS_ABREAST; i++) {
      const POWERS(vu) below = (POWERS(vu))(x[i] < -126.0f);
      const POWERS(vf) power = POWERS(join)(&wide[PARTS * i], odd);
      x[i] = (POWERS(vf))(((POWERS(vu))power & ~below) | ((POWERS(vu))x[i] & (POWERS(vu))(x[i] != x[i])));
   }
}

/* For positive normal x; x becomes its logarithm. */
VGPU_INLINE void POWERS(log2_doubles)(POWERS(vd) * x)
{
   const double c_high = 0x1.7154760000000p+1, c_low = 0x1.4ae0bf85ddf44p-25;
   const uint64_t root_of_half = 0x3fe6a09e00000000u, exponent = 0xfff0000000000000u;
   POWERS(vd) e[ALL_PARTS], s[ALL_PARTS], s_high[ALL_PARTS], s_low[ALL_PARTS], z[ALL_PARTS], sums[ALL_PARTS];
   for (unsigned k = 0; k < ALL_PARTS; k++) {
      /* x = 2^e * m, with m from the root of 1/2 to that of 2 */
      const POWERS(vq) distance = (POWERS(vq))x[k] - root_of_half;
      e[k] = (POWERS(vd))(((distance >> 52) ^ 0x800) | 0x4330000000000000u) - (0x1p52 + 0x800);
      const POWERS(vd) m = (POWERS(vd))((POWERS(vq))x[k] - (distance & exponent));
      /* s in two parts, of which the product of the first one with m + 1 is exact, and so is that with c's */
      const POWERS(vd) top = m - 1, bottom = m + 1, inverse = 1 / bottom;
      s[k] = top * inverse;
      s_high[k] = (POWERS(vd))((POWERS(vq))s[k] & 0xfffffffffc000000u);
      s_low[k] = (top - s_high[k] * bottom) * inverse;
      z[k] = s[k] * s[k];
   }
   POWERS(polynomials)(z, vgpu_log2_terms, sizeof(vgpu_log2_terms) / sizeof(vgpu_log2_terms[0]), sums);
   for (unsigned k = 0; k < ALL_PARTS; k++) {
      const POWERS(vd) exact = c_high * s_high[k];
      const POWERS(vd) rest = (c_low * s_high[k] + (c_high + c_low) * s_low[k]) + s[k] * z[k] * sums[k];
      /* |e| >= |exact| or e is 0 */
      const POWERS(vd) first = e[k] + exact, first_error = exact - (first - e[k]);
      const POWERS(vd) second = first_error + rest, sum = first + second, error = second - (sum - first);
      x[k] = POWERS(to_odd)(sum, error);
   }
}

/* Each x becomes its logarithm. */
VGPU_INLINE void POWERS(log2)(POWERS(vf) * x, bool odd)
{
   POWERS(vd) wide[ALL_PARTS];
   const POWERS(vu) none = {0};
   for (unsigned i = 0; i < POWERS_ABREAST; i++) {
      const POWERS(vu) bits = (POWERS(vu))x[i], zero = (POWERS(vu))((bits & 0x7fffffffu) < VGPU_F32_MIN);
      const POWERS(vu) wrong = (POWERS(vu))(bits - 1 >= VGPU_F32_INF); /* negative, infinite, NaN, or zero */
      POWERS(widen)((POWERS(vf))POWERS(choose)(wrong | zero, none + 0x3f800000u, bits), &wide[PARTS * i]);
   }
   POWERS(log2_doubles)(wide);
   for (unsigned i = 0; i < POWERS_ABREAST; i++) {
      const POWERS(vu) bits = (POWERS(vu))x[i], zero = (POWERS(vu))((bits & 0x7fffffffu) < VGPU_F32_MIN),
                       infinite = (POWERS(vu))(bits == VGPU_F32_INF), wrong = (POWERS(vu))(bits - 1 >= VGPU_F32_INF);
      POWERS(vu) result = (POWERS(vu))POWERS(join)(&wide[PARTS * i], odd);
      result = POWERS(choose)(wrong & ~infinite, none + VGPU_F32_NAN, result);
      result = POWERS(choose)(infinite, none + VGPU_F32_INF, result);
      x[i] = (POWERS(vf))POWERS(choose)(zero, none + 0xff800000u, result);
   }
}

#undef PARTS
#undef ALL_PARTS
#undef POWERS
#undef POWERS_WIDTH
#undef POWERS_HALF
#undef POWERS_ABREAST
