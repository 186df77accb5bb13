/* SPDX-License-Identifier: MIT
 *
 * Transcendental operations and conversions: spec/isa.md 3.4, 3.5. The hardware's tables are not public: results
 * here are the exact value rounded once to the destination (docs/unknowns.md).
 */
#include "vgpu/exec/semantics/powers.h"
#include "vgpu/exec/semantics/vector.h"

#include <math.h>

#include "vgpu/exec/half.h"

/* The host's own conversion rounds the same but for tiny values, which it would not flush before rounding. */
static bool convertible(const double *value)
{
   bool all = true;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      all &= fabs(value[lane]) >= 0x1p-125; /* not NaN either */
   }
   return all;
}

static void put_doubles(const struct vgpu_op *op, struct vgpu_simd *simd, const double *value)
{
   VGPU_LANE_ARRAY(uint32_t, bits);
   if (op->dst.form == VGPU_WORD && !op->saturate && convertible(value)) {
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         float rounded = (float)value[lane];
         memcpy(&bits[lane], &rounded, sizeof(rounded));
      }
      vgpu_put_lanes(op, simd, bits);
      return;
   }
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      double v = value[lane];
      if (op->saturate) {
         v = v > 0 ? fmin(v, 1) : 0; /* NaN too */
      }
      bits[lane] = op->dst.form == VGPU_WORD ? vgpu_f32_from_double(v) : vgpu_f16_from_double(v, false);
   }
   vgpu_put_lanes(op, simd, bits);
}

static double rcp(double x)
{
   return 1 / x;
}

static double reciprocal_root(double x)
{
   return 1 / sqrt(x);
}

/* x * rsqrts(x) is the square root of x, at 0 and infinity too. */
static double rsqrts(double x)
{
   return x == 0 ? 0 : isinf(x) && x > 0 ? x : 1 / sqrt(x);
}

static double sin_pt_1(double x)
{
   return x < 1 ? x : x < 3 ? 2 - x : x - 4;
}

static double sin_pt_2(double t)
{
   return t == 0 ? M_PI_2 : sin(M_PI_2 * t) / t;
}

#define LANES(name, function)                                                                                          \
   static void name##_lanes(const struct vgpu_op *op, struct vgpu_simd *simd)                                          \
   {                                                                                                                   \
      VGPU_LANE_ARRAY(float, a);                                                                                       \
      VGPU_LANE_ARRAY(double, r);                                                                                      \
      vgpu_get_float_lanes(op, 0, simd, a);                                                                            \
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {                                                             \
         r[lane] = function(a[lane]);                                                                                  \
      }                                                                                                                \
      put_doubles(op, simd, r);                                                                                        \
   }
#define SPECIAL(name, function)                                                                                        \
   LANES(name, function)                                                                                               \
   VGPU_SLOW_HANDLER(name, name##_lanes)

LANES(rcp, rcp)

/* One rounding to f32 gives what two do, from 53 bits on. No quotient below 2^-126 is rounded up to it. */
VGPU_INLINE void reciprocal(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   (void)shape;
   if (op->dst.form != VGPU_WORD || op->saturate) {
      rcp_lanes(op, simd);
      return;
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vf one = (vf)vgpu_all(0x3f800000u);
      const vf value = one / vgpu_get_float(op, 0, simd, i, VGPU_GENERAL);
      vgpu_put(op, simd, i, vgpu_finish_float(value, 0), VGPU_GENERAL | VGPU_MASKED);
   }
}

VGPU_HANDLER(rcp, reciprocal);
VGPU_OPERATION(RCP, real, FALL, PLAIN, rcp);

/* 1 / sqrt(a), rounded as the function of one lane rounds: the same operations on several doubles. No result is tiny.
 */
VGPU_INLINE vf reciprocal_roots(vf a)
{
#if defined(__AVX512F__)
   const __m512 v = (__m512)a;
   const __m512d one = _mm512_set1_pd(1), low = _mm512_cvtps_pd(_mm512_castps512_ps256(v));
   const __m512d high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
   const __m256 first = _mm512_cvtpd_ps(_mm512_div_pd(one, _mm512_sqrt_pd(low)));
   const __m256 second = _mm512_cvtpd_ps(_mm512_div_pd(one, _mm512_sqrt_pd(high)));
   return (vf)_mm512_insertf32x8(_mm512_castps256_ps512(first), second, 1);
#elif defined(__AVX2__)
   const __m256 v = (__m256)a;
   const __m256d one = _mm256_set1_pd(1), low = _mm256_cvtps_pd(_mm256_castps256_ps128(v));
   const __m256d high = _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));
   const __m128 first = _mm256_cvtpd_ps(_mm256_div_pd(one, _mm256_sqrt_pd(low)));
   const __m128 second = _mm256_cvtpd_ps(_mm256_div_pd(one, _mm256_sqrt_pd(high)));
   return (vf)_mm256_set_m128(second, first);
#elif defined(__aarch64__)
   const float32x4_t v = (float32x4_t)a;
   const float64x2_t one = vdupq_n_f64(1), low = vcvt_f64_f32(vget_low_f32(v)), high = vcvt_high_f64_f32(v);
   const float32x2_t first = vcvt_f32_f64(vdivq_f64(one, vsqrtq_f64(low)));
   return (vf)vcvt_high_f32_f64(first, vdivq_f64(one, vsqrtq_f64(high)));
#else
   for (unsigned i = 0; i < VGPU_WIDTH; i++) {
      a[i] = (float)reciprocal_root(a[i]);
   }
   return a;
#endif
}

/* As rsqrts(): zeros, and so denormals, give 0, and infinity itself. */
VGPU_INLINE vf roots_that_scale(vf a)
{
   const vu bits = (vu)a, zero = (vu)((bits & 0x7fffffffu) < VGPU_F32_MIN),
            infinite = (vu)(bits == vgpu_all(VGPU_F32_INF));
   return (vf)(vgpu_select(infinite, bits, (vu)reciprocal_roots(a)) & ~zero);
}

LANES(rsqrt, reciprocal_root) /* rsqrt() is the C library's since C23 */
LANES(rsqrts, rsqrts)

#define ROOT(name, function)                                                                                           \
   VGPU_INLINE void name##_vectors(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)                        \
   {                                                                                                                   \
      (void)shape;                                                                                                     \
      if (op->dst.form != VGPU_WORD || op->saturate) {                                                                 \
         name##_lanes(op, simd);                                                                                       \
         return;                                                                                                       \
      }                                                                                                                \
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {                                                                     \
         const vf root = function(vgpu_get_float(op, 0, simd, i, VGPU_GENERAL));                                       \
         vgpu_put(op, simd, i, vgpu_finish_float(root, 0), VGPU_GENERAL | VGPU_MASKED);                                \
      }                                                                                                                \
   }                                                                                                                   \
   VGPU_HANDLER(name, name##_vectors)

ROOT(rsqrt, reciprocal_roots);
VGPU_OPERATION(RSQRT, real, FALL, PLAIN, rsqrt);
ROOT(rsqrts, roots_that_scale);
VGPU_OPERATION(RSQRTS, real, FALL, PLAIN, rsqrts);
SPECIAL(sin_pt_1, sin_pt_1);
VGPU_OPERATION(SIN_PT_1, real, FALL, PLAIN, sin_pt_1);
SPECIAL(sin_pt_2, sin_pt_2);
VGPU_OPERATION(SIN_PT_2, real, FALL, PLAIN, sin_pt_2);

/* Functions that compiled runs call: inlined, each use would be two thousand bytes. odd: for a 16-bit destination. */
#define POWER(name)                                                                                                    \
   static __attribute__((noinline)) void name##_nearest(vf *x)                                                         \
   {                                                                                                                   \
      vgpu_##name(x, false);                                                                                           \
   }                                                                                                                   \
   static __attribute__((noinline)) void name##_odd(vf *x)                                                             \
   {                                                                                                                   \
      vgpu_##name(x, true);                                                                                            \
   }                                                                                                                   \
   static __attribute__((noinline, const)) uint32_t name##_one(float x, bool odd)                                      \
   {                                                                                                                   \
      return vgpu_##name##_of_one(x, odd);                                                                             \
   }                                                                                                                   \
   VGPU_INLINE void name##_vectors(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)                        \
   {                                                                                                                   \
      (void)shape;                                                                                                     \
      if (vgpu_is_one(&op->src[0])) {                                                                                  \
         const float x = vgpu_get_float(op, 0, simd, 0, VGPU_GENERAL)[0];                                              \
         const vf result = (vf)vgpu_all(name##_one(x, op->dst.form != VGPU_WORD));                                     \
         for (unsigned i = 0; i < VGPU_CHUNKS; i++) {                                                                  \
            vgpu_put_float(op, simd, i, vgpu_finish_float(result, 0), VGPU_GENERAL | VGPU_MASKED);                     \
         }                                                                                                             \
         return;                                                                                                       \
      }                                                                                                                \
      for (unsigned i = 0; i < VGPU_CHUNKS; i += VGPU_ABREAST) {                                                       \
         vf x[VGPU_ABREAST];                                                                                           \
         for (unsigned k = 0; k < VGPU_ABREAST; k++) {                                                                 \
            x[k] = vgpu_get_float(op, 0, simd, i + k, VGPU_GENERAL);                                                   \
         }                                                                                                             \
         if (op->dst.form == VGPU_WORD) {                                                                              \
            name##_nearest(x);                                                                                         \
         } else {                                                                                                      \
            name##_odd(x);                                                                                             \
         }                                                                                                             \
         for (unsigned k = 0; k < VGPU_ABREAST; k++) {                                                                 \
            vgpu_put_float(op, simd, i + k, vgpu_finish_float(x[k], 0), VGPU_GENERAL | VGPU_MASKED);                   \
         }                                                                                                             \
      }                                                                                                                \
   }                                                                                                                   \
   VGPU_HANDLER(name, name##_vectors)

POWER(log2);
VGPU_OPERATION(LOG2, real, FALL, PLAIN, log2);
POWER(exp2);
VGPU_OPERATION(EXP2, real, FALL, PLAIN, exp2);

/* ---- Conversions ---- */

/* Toward zero, and to f16, where a second rounding would show. */
static void from_integer_lanes(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned bits, bool is_signed)
{
   VGPU_LANE_ARRAY(uint32_t, value);
   vgpu_get_lanes(op, 0, simd, value);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      uint32_t shifted = value[lane] << (32 - bits);
      double exact = is_signed ? (double)((int32_t)shifted >> (32 - bits)) : (double)(shifted >> (32 - bits));
      if (op->dst.form != VGPU_WORD) {
         value[lane] = vgpu_f16_from_double(exact, op->convert.round == 0);
      } else {
         float rounded = (float)exact;
         if (op->convert.round == 0 && fabs((double)rounded) > fabs(exact)) {
            rounded = nextafterf(rounded, 0);
         }
         memcpy(&value[lane], &rounded, sizeof(rounded));
      }
   }
   vgpu_put_lanes(op, simd, value);
}

VGPU_INLINE void from_integer(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned bits, bool is_signed)
{
   if (op->dst.form != VGPU_WORD || op->convert.round == 0) {
      from_integer_lanes(op, simd, bits, is_signed);
      return;
   }
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu word = vgpu_get(op, 0, simd, i, VGPU_GENERAL) << (32 - bits);
      const vf value = is_signed ? __builtin_convertvector((vi)word >> (32 - bits), vf)
                                 : __builtin_convertvector(word >> (32 - bits), vf);
      vgpu_put(op, simd, i, (vu)value, VGPU_GENERAL | VGPU_MASKED);
   }
}

/* Out of range: the nearest end. NaN: 0. least and end are powers of two or 0; `most` is one less than end. */
VGPU_INLINE void to_integer(const struct vgpu_op *op, struct vgpu_simd *simd, float least, float end, uint32_t lowest,
                            uint32_t most)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vf source = vgpu_get_float(op, 0, simd, i, VGPU_GENERAL);
      const vf x = vgpu_round(source, op->convert.round);
      const vu below = (vu)(x < least), above = (vu)(x >= end), high = (vu)(x >= 0x1p31f);
      const vu within = (vu)(x >= least) & ~above;
      const vf from_high = (vf)(((vu)(x - 0x1p31f) & high) | ((vu)x & ~high));
      const vu number = (vu) __builtin_convertvector((vf)((vu)from_high & within), vi) ^ (high & 0x80000000u);
      const vu result = (number & within) | (above & most) | (below & lowest);
      vgpu_put(op, simd, i, result, VGPU_GENERAL | VGPU_MASKED);
   }
}

#define FROM_INTEGER(name, bits, is_signed)                                                                            \
   VGPU_INLINE void name(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)                                  \
   {                                                                                                                   \
      (void)shape;                                                                                                     \
      from_integer(op, simd, bits, is_signed);                                                                         \
   }                                                                                                                   \
   VGPU_HANDLER(name, name)
#define TO_INTEGER(name, least, end, lowest, most)                                                                     \
   VGPU_INLINE void name(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)                                  \
   {                                                                                                                   \
      (void)shape;                                                                                                     \
      to_integer(op, simd, least, end, lowest, most);                                                                  \
   }                                                                                                                   \
   VGPU_HANDLER(name, name)

FROM_INTEGER(u8_to_f, 8, false);
FROM_INTEGER(s8_to_f, 8, true);
FROM_INTEGER(u16_to_f, 16, false);
FROM_INTEGER(s16_to_f, 16, true);
FROM_INTEGER(u32_to_f, 32, false);
FROM_INTEGER(s32_to_f, 32, true);
TO_INTEGER(f_to_u16, 0, 0x1p16f, 0, UINT16_MAX);
TO_INTEGER(f_to_s16, -0x1p15f, 0x1p15f, (uint32_t)INT16_MIN, INT16_MAX);
TO_INTEGER(f_to_u32, 0, 0x1p32f, 0, UINT32_MAX);
TO_INTEGER(f_to_s32, -0x1p31f, 0x1p31f, (uint32_t)INT32_MIN, INT32_MAX);
VGPU_OPERATION(CONVERT, convert, FALL, PLAIN, u8_to_f, s8_to_f, f_to_u16, f_to_s16, u16_to_f, s16_to_f, f_to_u32,
               f_to_s32, u32_to_f, s32_to_f);
