/* SPDX-License-Identifier: MIT
 *
 * Float arithmetic with the rounding of spec/isa.md 3.3: one rounding to f32 (denormals flushed), a second one to
 * a 16-bit destination; the h* operations round to f16 once.
 */
#include "vgpu/exec/semantics/vector.h"

#include <math.h>

#include "vgpu/exec/host.h"

#if defined(VGPU_BITCODE)
#include "vgpu/exec/semantics/frame.h"
#endif

/* A result of exactly +-2^-126 may have been rounded up: then it was tiny before rounding and is flushed (spec/isa.md
 * 3.2). On hosts without VGPU_HOST_TINY_BEFORE_ROUNDING. */
VGPU_INLINE vu smallest_normal(vf value)
{
   return (vu)((vu)value << 1 == VGPU_F32_MIN << 1);
}

#if defined(VGPU_BITCODE)

/* A compiled block leaves such a simdgroup to the interpreter. Inactive lanes have no result. */
VGPU_INLINE void settle(const struct vgpu_op *op, struct vgpu_simd *simd, vu suspects, vf *result, unsigned sources,
                        int shape)
{
   (void)suspects, (void)sources;
   for (unsigned i = 0; i < VGPU_CHUNKS && !op->certain && !VGPU_HOST_TINY_BEFORE_ROUNDING; i++) {
      const vu bits = (vu)result[i];
      vgpu_frame_suspect(simd, shape & VGPU_MASKED ? bits & vgpu_load(simd->mask, i) : bits);
   }
}

#else

/* Whether |a * b + c| < 2^-126, exactly. */
static bool tiny(double a, double b, double c)
{
   double product = a * b, sum = product + c;
   double back = sum - product, error = (product - (sum - back)) + (c - back);
   double magnitude = fabs(sum);
   return magnitude < 0x1p-126 || (magnitude == 0x1p-126 && ((sum > 0 && error < 0) || (sum < 0 && error > 0)));
}

static __attribute__((noinline)) void settle_smallest(const float *a, const float *b, const float *c, vf *result)
{
   float *lanes = (float *)result;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      if (fabsf(lanes[lane]) == 0x1p-126f && tiny(a[lane], b[lane], c ? c[lane] : 0)) {
         lanes[lane] = copysignf(0, lanes[lane]);
      }
   }
}

VGPU_INLINE void settle(const struct vgpu_op *op, const struct vgpu_simd *simd, vu suspects, vf *result,
                        unsigned sources, int shape)
{
   (void)shape;
   if (!VGPU_HOST_TINY_BEFORE_ROUNDING && __builtin_expect(vgpu_any(suspects), 0)) {
      VGPU_LANE_ARRAY(float, lanes[3]);
      for (unsigned n = 0; n < sources; n++) {
         vgpu_get_float_lanes(op, n, simd, lanes[n]);
      }
      /* Through memory of its own, so that results stay in registers where all is well. */
      vf settled[VGPU_CHUNKS];
      memcpy(settled, result, sizeof(settled));
      settle_smallest(lanes[0], lanes[1], sources > 2 ? lanes[2] : NULL, settled);
      memcpy(result, settled, sizeof(settled));
   }
}

#endif

VGPU_INLINE void fadd_lanes(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vf a = vgpu_get_float(op, 0, simd, i, shape), b = vgpu_get_float(op, 1, simd, i, shape);
      vgpu_put_float(op, simd, i, vgpu_finish_float(a + b, shape), shape);
   }
}

VGPU_INLINE void fmul_lanes(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   vf result[VGPU_CHUNKS];
   vu suspects = vgpu_all(0);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      result[i] = vgpu_get_float(op, 0, simd, i, shape) * vgpu_get_float(op, 1, simd, i, shape);
      suspects |= smallest_normal(result[i]);
   }
   settle(op, simd, suspects, result, 2, shape);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_put_float(op, simd, i, vgpu_finish_float(result[i], shape), shape);
   }
}

VGPU_INLINE void ffma_lanes(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   vf result[VGPU_CHUNKS];
   vu suspects = vgpu_all(0);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      result[i] = vgpu_fma(vgpu_get_float(op, 0, simd, i, shape), vgpu_get_float(op, 1, simd, i, shape),
                           vgpu_get_float(op, 2, simd, i, shape));
      suspects |= smallest_normal(result[i]);
   }
   settle(op, simd, suspects, result, 3, shape);
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_put_float(op, simd, i, vgpu_finish_float(result[i], shape), shape);
   }
}

VGPU_HANDLER(fadd, fadd_lanes);
VGPU_OPERATION(FADD, real, FALL, PLAIN, fadd);
VGPU_HANDLER(fmul, fmul_lanes);
VGPU_OPERATION(FMUL, real, FALL, PLAIN, fmul);
VGPU_HANDLER(ffma, ffma_lanes);
VGPU_OPERATION(FFMA, real, FALL, PLAIN, ffma);

/* f16 sums and products through f32 are right: 24 bits are more than twice 11 plus two (Figueroa, 1995), and an
 * f16 denormal result is exact in f32. A fused operation is not: it is rounded to odd first. */
VGPU_INLINE void hadd(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vf a = vgpu_get_float(op, 0, simd, i, shape), b = vgpu_get_float(op, 1, simd, i, shape);
      vgpu_put_float(op, simd, i, vgpu_finish_float(a + b, shape), shape);
   }
}

VGPU_INLINE void hmul(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vf a = vgpu_get_float(op, 0, simd, i, shape), b = vgpu_get_float(op, 1, simd, i, shape);
      vgpu_put_float(op, simd, i, vgpu_finish_float(a * b, shape), shape);
   }
}

/* a * b + c to an odd last bit unless it is exact. Elsewhere than with AVX-512 the product must be exact in f32, as
 * that of two f16 is. */
VGPU_INLINE vu fma_to_odd(vf a, vf b, vf c)
{
#if defined(__AVX512F__)
   /* Of two neighbours, one is odd. Where both are one value, the upper one has the sign of an exact zero. */
   const __m512 below =
                    _mm512_fmadd_round_ps((__m512)a, (__m512)b, (__m512)c, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC),
                above =
                    _mm512_fmadd_round_ps((__m512)a, (__m512)b, (__m512)c, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
   const __mmask16 odd = _mm512_test_epi32_mask((__m512i)below, _mm512_set1_epi32(1));
   return (vu)_mm512_mask_blend_ps(odd, above, below);
#else
   /* The rounding error's sign says on which side of the sum the exact value lies. Infinity's and NaN's errors are
    * NaN. */
   const vf product = a * b, sum = product + c, back = sum - product;
   const vf error = (product - (sum - back)) + (c - back);
   const vu inexact = (vu)((vf)((vu)error & 0x7fffffffu) > 0);
   const vu toward_zero = (vu)((vi)((vu)error ^ (vu)sum) >> 31) & inexact;
   return ((vu)sum + toward_zero) | inexact >> 31;
#endif
}

VGPU_INLINE void hfma(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vf a = vgpu_get_float(op, 0, simd, i, shape), b = vgpu_get_float(op, 1, simd, i, shape);
      vf c = vgpu_get_float(op, 2, simd, i, shape);
      vgpu_put_float(op, simd, i, vgpu_finish_float((vf)fma_to_odd(a, b, c), shape), shape);
   }
}

VGPU_HANDLER(hadd, hadd);
VGPU_OPERATION(HADD, real, FALL, PLAIN, hadd);
VGPU_HANDLER(hmul, hmul);
VGPU_OPERATION(HMUL, real, FALL, PLAIN, hmul);
VGPU_HANDLER(hfma, hfma);
VGPU_OPERATION(HFMA, real, FALL, PLAIN, hfma);

/* The same in all lanes at once where the host can: clang, which makes the compiler's bitcode, would take them one by
 * one. direction: _MM_FROUND_...; neon: the instruction's intrinsic; function: of one lane. */
#if defined(__AVX512F__)
#define ROUND_LANES(a, direction, neon, function)                                                                      \
   (vf) _mm512_roundscale_ps((__m512)(a), (direction) | _MM_FROUND_NO_EXC)
#elif defined(__AVX2__)
#define ROUND_LANES(a, direction, neon, function) (vf) _mm256_round_ps((__m256)(a), (direction) | _MM_FROUND_NO_EXC)
#elif defined(__aarch64__)
#define ROUND_LANES(a, direction, neon, function) (vf) neon((float32x4_t)(a))
#else
#define ROUND_LANES(a, direction, neon, function) round_each(a, function)
VGPU_INLINE vf round_each(vf a, float (*function)(float))
{
   for (unsigned lane = 0; lane < VGPU_WIDTH; lane++) {
      a[lane] = function(a[lane]);
   }
   return a;
}
#endif

/* Rounding to integer: exact, so that one rounding to the destination is left. */
#define ROUND(name, direction, neon, function)                                                                         \
   VGPU_INLINE void name##_lanes(const struct vgpu_op *op, struct vgpu_simd *simd, int shape)                          \
   {                                                                                                                   \
      for (unsigned i = 0; i < VGPU_CHUNKS; i++) {                                                                     \
         const vf a = vgpu_get_float(op, 0, simd, i, shape);                                                           \
         vgpu_put_float(op, simd, i, vgpu_finish_float(ROUND_LANES(a, direction, neon, function), shape), shape);      \
      }                                                                                                                \
   }                                                                                                                   \
   VGPU_HANDLER(name, name##_lanes)

ROUND(floor, _MM_FROUND_TO_NEG_INF, vrndmq_f32, floorf);
VGPU_OPERATION(FLOOR, real, FALL, PLAIN, floor);
ROUND(ceil, _MM_FROUND_TO_POS_INF, vrndpq_f32, ceilf);
VGPU_OPERATION(CEIL, real, FALL, PLAIN, ceil);
ROUND(trunc, _MM_FROUND_TO_ZERO, vrndq_f32, truncf);
VGPU_OPERATION(TRUNC, real, FALL, PLAIN, trunc);
ROUND(rint, _MM_FROUND_TO_NEAREST_INT, vrndnq_f32, rintf);
VGPU_OPERATION(RINT, real, FALL, PLAIN, rint);
