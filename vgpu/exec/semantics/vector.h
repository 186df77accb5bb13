/* SPDX-License-Identifier: MIT
 *
 * Lanes side by side: a lane vector is VGPU_CHUNKS host vectors. Only the exec_*.c files include this; they are built
 * once for each level of the host's vector instructions (vgpu/meson.build), with VGPU_LEVEL as the suffix of
 * what they export.
 *
 * With VGPU_BITCODE, clang builds them for vgpu/jit: then a handler is the function of one simdgroup, to be inlined
 * into a compiled block (vgpu/jit/frame.h).
 *
 * Compiler vector extensions throughout. What they cannot say has a line of intrinsics where the architecture has
 * an instruction for it: fused multiply-add, whether any lane of a comparison holds, conversion from and to f16.
 */
#ifndef VGPU_VECTOR_H
#define VGPU_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "vgpu/exec/semantics/exec_level.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#define VGPU_WIDTH 16
#elif defined(__AVX2__)
#include <immintrin.h>
#define VGPU_WIDTH 8
#else
#if defined(__aarch64__)
#include <arm_neon.h>
#endif
#define VGPU_WIDTH 4
#endif
#define VGPU_CHUNKS (VGPU_LANES / VGPU_WIDTH)

/* Whether the host flushes f32 denormals by itself (vgpu/exec/host.h): else code here does. The plain x86 level keeps
 * the written-out rule, which is so tested too. */
#if defined(__AVX2__) || defined(__aarch64__)
#define VGPU_HOST_FLUSHES 1
#else
#define VGPU_HOST_FLUSHES 0
#endif

typedef uint32_t vu __attribute__((vector_size(VGPU_WIDTH * 4), may_alias));
typedef int32_t vi __attribute__((vector_size(VGPU_WIDTH * 4), may_alias));
typedef float vf __attribute__((vector_size(VGPU_WIDTH * 4), may_alias));

#define VGPU_INLINE static inline __attribute__((always_inline))

#define VGPU_F32_NAN 0x7fc00000u /* canonical: spec/isa.md 3.3 */
#define VGPU_F32_INF 0x7f800000u
#define VGPU_F32_MIN 0x00800000u /* smallest normal */
#define VGPU_F16_NAN 0x7e00u

VGPU_INLINE vu vgpu_all(uint32_t value)
{
   return value - (vu){0};
}

VGPU_INLINE vu vgpu_load(const uint32_t *vector, unsigned chunk)
{
   return *(const vu *)(vector + chunk * VGPU_WIDTH);
}

VGPU_INLINE void vgpu_store(uint32_t *vector, unsigned chunk, vu value)
{
   *(vu *)(vector + chunk * VGPU_WIDTH) = value;
}

/* mask ? a : b, bit by bit. */
VGPU_INLINE vu vgpu_select(vu mask, vu a, vu b)
{
   return (a & mask) | (b & ~mask);
}

VGPU_INLINE bool vgpu_any(vu mask)
{
#if defined(__AVX512F__)
   return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#elif defined(__AVX2__)
   return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#elif defined(__aarch64__)
   return vmaxvq_u32((uint32x4_t)mask) != 0;
#else
   return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

/* One bit a lane of a mask's chunk, at the lane's place in the simdgroup. */
VGPU_INLINE uint32_t vgpu_bits(vu mask, unsigned chunk)
{
#if defined(__AVX512F__)
   uint32_t bits = _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask);
#elif defined(__AVX2__)
   uint32_t bits = (uint32_t)_mm256_movemask_ps((__m256)mask);
#else
   uint32_t bits = (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
#endif
   return bits << (chunk * VGPU_WIDTH);
}

/* The words of a lane vector that the indices (0..31) name. */
VGPU_INLINE vu vgpu_pick(const uint32_t *vector, vu index)
{
#if defined(__AVX512F__)
   return (vu)_mm512_permutex2var_epi32(*(const __m512i *)vector, (__m512i)index,
                                        *(const __m512i *)(vector + VGPU_WIDTH));
#elif defined(__AVX2__)
   return (vu)_mm256_i32gather_epi32((const int *)vector, (__m256i)index, 4);
#else
   vu picked;
   for (unsigned i = 0; i < VGPU_WIDTH; i++) {
      picked[i] = vector[index[i]];
   }
   return picked;
#endif
}

/* The same of one lane, for loops over lanes; without the instruction it is so where 53 bits hold the exact sum. */
VGPU_INLINE float vgpu_fma_lane(float a, float b, float c)
{
#if defined(__FMA__) || defined(__aarch64__)
   return __builtin_fmaf(a, b, c);
#else
   return (float)((double)a * (double)b + (double)c);
#endif
}

/* a * b + c, rounded once. */
VGPU_INLINE vf vgpu_fma(vf a, vf b, vf c)
{
#if defined(__AVX512F__)
   return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__)
   return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
   return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
   /* The product of two floats is exact in double. Rounding the sum to odd keeps the second rounding honest
    * (Boldo and Melquiond, 2008). */
   vf result;
   for (unsigned i = 0; i < VGPU_WIDTH; i++) {
      double product = (double)a[i] * b[i], addend = c[i], sum = product + addend;
      double back = sum - product, error = (product - (sum - back)) + (addend - back);
      if (error < 0 || error > 0) {
         int64_t bits;
         memcpy(&bits, &sum, sizeof(bits));
         if (!(bits & 1)) {
            bits += (error > 0) == (sum > 0) ? 1 : -1;
            memcpy(&sum, &bits, sizeof(sum));
         }
      }
      result[i] = (float)sum;
   }
   return result;
#endif
}

/* To an integer: to nearest even, or toward zero. */
VGPU_INLINE vf vgpu_round(vf value, bool to_nearest)
{
#if defined(__AVX512F__)
   return to_nearest ? (vf)_mm512_roundscale_ps((__m512)value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
                     : (vf)_mm512_roundscale_ps((__m512)value, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#elif defined(__AVX2__)
   return to_nearest ? (vf)_mm256_round_ps((__m256)value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
                     : (vf)_mm256_round_ps((__m256)value, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
#else
   for (unsigned i = 0; i < VGPU_WIDTH; i++) {
      value[i] = to_nearest ? __builtin_rintf(value[i]) : __builtin_truncf(value[i]);
   }
   return value;
#endif
}

/* f32 denormals are zero, their sign stays: spec/isa.md 3.2. */
VGPU_INLINE vu vgpu_flush(vu bits)
{
   vu tiny = (vu)((vi)(bits & 0x7fffffffu) < (vi)vgpu_all(VGPU_F32_MIN));
   return bits & (~tiny | 0x80000000u);
}

/* ---- f16 ---- */

/* f16 (upper halves zero) as f32; exact, denormals kept. */
VGPU_INLINE vu vgpu_f16_to_f32(vu half)
{
#if defined(__AVX512F__)
   return (vu)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)half));
#elif defined(__AVX2__)
   __m256i packed = _mm256_packus_epi32((__m256i)half, (__m256i)half);
   return (vu)_mm256_cvtph_ps(_mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
#else
   /* The exponent moves by 112. A denormal becomes (2^-14 + value) - 2^-14, which no host flushes. */
   vu magnitude = (half & 0x7fffu) << 13, exponent = magnitude & (0x7c00u << 13);
   vu normal = magnitude + (112u << 23);
   vu special = normal + (112u << 23);
   vu small = (vu)((vf)(normal + (1u << 23)) - (vf)vgpu_all(113u << 23));
   vu bits = vgpu_select((vu)(exponent == (0x7c00u << 13)), special, normal);
   bits = vgpu_select((vu)(exponent == 0), small, bits);
   return bits | ((half & 0x8000u) << 16);
#endif
}

/* To nearest even. NaN is the canonical one, before and after. */
VGPU_INLINE vu vgpu_f32_to_f16(vu bits)
{
#if defined(__AVX512F__)
   return (vu)_mm512_cvtepu16_epi32(_mm512_cvtps_ph((__m512)bits, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(__AVX2__)
   return (vu)_mm256_cvtepu16_epi32(_mm256_cvtps_ph((__m256)bits, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#else
   vu sign = bits & 0x80000000u, magnitude = bits ^ sign;
   /* Adding 2^-1 makes the host round at the place where a denormal f16 ends. */
   const uint32_t magic = (127u - 15 + 23 - 10 + 1) << 23;
   vu small = (vu)((vf)magnitude + (vf)vgpu_all(magic)) - magic;
   vu odd = (magnitude >> 13) & 1;
   vu normal = (magnitude - (112u << 23) + 0xfffu + odd) >> 13;
   vu half = vgpu_select((vu)((vi)magnitude < (vi)vgpu_all(113u << 23)), small, normal);
   half = vgpu_select((vu)((vi)magnitude >= (vi)vgpu_all((127u + 16) << 23)), vgpu_all(0x7c00), half);
   half = vgpu_select((vu)((vi)magnitude > (vi)vgpu_all(VGPU_F32_INF)), vgpu_all(VGPU_F16_NAN), half);
   return half | (sign >> 16);
#endif
}

/* ---- Operands ---- */

/* Whether a compiled run knows that the source is the same in all lanes. */
VGPU_INLINE bool vgpu_is_one(const struct vgpu_source *source)
{
#if defined(VGPU_BITCODE)
   const uint8_t space = source->space;
   return space == VGPU_SAME || space == VGPU_SAME_COMPUTED || space == VGPU_CONSTANTS || space == VGPU_LITERALS;
#else
   (void)source;
   return false;
#endif
}

/* The part of a source's lane vector to read. */
VGPU_INLINE unsigned vgpu_part(const struct vgpu_source *source, unsigned chunk)
{
   return vgpu_is_one(source) ? 0 : chunk;
}

/* An integer or raw source. */
VGPU_INLINE vu vgpu_get(const struct vgpu_op *op, unsigned n, const struct vgpu_simd *simd, unsigned chunk, int shape)
{
   const struct vgpu_source *source = &op->src[n];
   vu word = vgpu_load(vgpu_source_vector(simd, source), vgpu_part(source, chunk));
   if (!(shape & VGPU_GENERAL)) {
      return word;
   }
   switch (source->form) {
   case VGPU_LOW:
      return word & 0xffffu;
   case VGPU_HIGH:
      return word >> 16;
   case VGPU_LOW_SIGNED:
      return (vu)((vi)(word << 16) >> 16);
   case VGPU_HIGH_SIGNED:
      return (vu)((vi)word >> 16);
   default:
      return word;
   }
}

/* The high words of a source that an operation reads as 64 bits wide. */
VGPU_INLINE vu vgpu_get_high(const struct vgpu_op *op, unsigned n, const struct vgpu_simd *simd, unsigned chunk, vu low)
{
   const struct vgpu_source *source = &op->src[n];
   if (source->size == 64) {
      return vgpu_load(vgpu_source_vector(simd, source) + VGPU_LANES, vgpu_part(source, chunk));
   }
   return source->sx ? (vu)((vi)low >> 31) : vgpu_all(0);
}

#if defined(VGPU_BITCODE)
/* Keeps LLVM from computing with a float's value at compile time: LLVM does not know that the host flushes denormals,
 * and takes x * 1 for x. */
VGPU_INLINE vu vgpu_opaque(vu word)
{
#if defined(__AVX512F__)
   __asm__("" : "+v"(word));
#elif defined(__x86_64__)
   __asm__("" : "+x"(word));
#elif defined(__aarch64__)
   __asm__("" : "+w"(word));
#else
#error "this host needs a constraint for its vector registers"
#endif
   return word;
}
#endif

/* A float source, as f32. */
VGPU_INLINE vf vgpu_get_float(const struct vgpu_op *op, unsigned n, const struct vgpu_simd *simd, unsigned chunk,
                              int shape)
{
   const struct vgpu_source *source = &op->src[n];
   vu word = vgpu_load(vgpu_source_vector(simd, source), vgpu_part(source, chunk));
#if defined(VGPU_BITCODE)
   if (source->space >= VGPU_LITERALS) { /* LLVM may know it */
      word = vgpu_opaque(word);
   }
#endif
   if (shape & VGPU_GENERAL) {
      if (source->form == VGPU_LOW_FLOAT) {
         word = vgpu_f16_to_f32(word & 0xffffu);
      } else if (source->form == VGPU_HIGH_FLOAT) {
         word = vgpu_f16_to_f32(word >> 16);
      }
   }
   if (!VGPU_HOST_FLUSHES) {
      word = vgpu_flush(word);
   }
   if (shape & VGPU_GENERAL) {
      word = (word & source->keep) ^ source->flip;
   }
   return (vf)word;
}

/* Writes 32-bit values, or their low halves into a 16-bit destination, in the active lanes. */
VGPU_INLINE void vgpu_put_dest(const struct vgpu_dest *dest, struct vgpu_simd *simd, unsigned chunk, vu value,
                               int shape)
{
   uint32_t *vector = vgpu_dest_vector(simd, dest);
   if (!(shape & (VGPU_GENERAL | VGPU_MASKED))) {
      vgpu_store(vector, chunk, value);
      return;
   }
   vu keep = shape & VGPU_MASKED ? ~vgpu_load(simd->mask, chunk) : vgpu_all(0);
   if (shape & VGPU_GENERAL) {
      if (dest->form == VGPU_LOW) {
         keep |= 0xffff0000u;
      } else if (dest->form == VGPU_HIGH) {
         value <<= 16;
         keep |= 0x0000ffffu;
      }
   }
   vgpu_store(vector, chunk, vgpu_select(keep, vgpu_load(vector, chunk), value));
}

VGPU_INLINE void vgpu_put(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned chunk, vu value, int shape)
{
   vgpu_put_dest(&op->dst, simd, chunk, value, shape);
}

/* The high words of a 64-bit destination. */
VGPU_INLINE void vgpu_put_high(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned chunk, vu value)
{
   uint32_t *vector = vgpu_dest_vector(simd, &op->dst) + VGPU_LANES;
   vgpu_store(vector, chunk, vgpu_select(vgpu_load(simd->mask, chunk), value, vgpu_load(vector, chunk)));
}

/* A float result that rounding has made: canonical NaN, denormals gone. */
VGPU_INLINE vu vgpu_finish_float(vf value, int shape)
{
   if (shape & VGPU_UNFINISHED && VGPU_HOST_FLUSHES) {
      return (vu)value;
   }
   vu bits = vgpu_select((vu)(value != value), vgpu_all(VGPU_F32_NAN), (vu)value);
   return VGPU_HOST_FLUSHES ? bits : vgpu_flush(bits);
}

/* Saturation and the rounding to a 16-bit destination: spec/isa.md 3.3. */
VGPU_INLINE void vgpu_put_float(const struct vgpu_op *op, struct vgpu_simd *simd, unsigned chunk, vu bits, int shape)
{
   if (shape & VGPU_GENERAL) {
      if (op->saturate) { /* NaN, anything negative and -0 become +0 */
         vu positive = (vu)((vi)bits >= 0) & (vu)(bits <= VGPU_F32_INF);
         bits &= positive;
         bits = vgpu_select((vu)((vi)bits > (vi)vgpu_all(0x3f800000u)), vgpu_all(0x3f800000u), bits);
      }
      if (op->dst.form != VGPU_WORD) {
         bits = vgpu_f32_to_f16(bits);
      }
   }
   vgpu_put(op, simd, chunk, bits, shape);
}

/* ---- Handlers ---- */

#if defined(VGPU_BITCODE)

#define VGPU_BODY(name, body, shape)                                                                                   \
   void name(const struct vgpu_op *op, struct vgpu_simd *simd);                                                        \
   __attribute__((always_inline)) inline void name(const struct vgpu_op *op, struct vgpu_simd *simd)                   \
   {                                                                                                                   \
      body(op, simd, shape);                                                                                           \
   }                                                                                                                   \
   extern struct vgpu_operation vgpu_no_handler
#define VGPU_HANDLER(name, body)                                                                                       \
   VGPU_BODY(vgpu_body_##name##_0, body, 0);                                                                           \
   VGPU_BODY(vgpu_body_##name##_1, body, VGPU_MASKED);                                                                 \
   VGPU_BODY(vgpu_body_##name##_2, body, VGPU_GENERAL);                                                                \
   VGPU_BODY(vgpu_body_##name##_3, body, VGPU_GENERAL | VGPU_MASKED);                                                  \
   VGPU_BODY(vgpu_body_##name##_4, body, VGPU_UNFINISHED);                                                             \
   VGPU_BODY(vgpu_body_##name##_5, body, VGPU_UNFINISHED | VGPU_MASKED);                                               \
   VGPU_BODY(vgpu_body_##name##_6, body, VGPU_GENERAL | VGPU_UNFINISHED);                                              \
   VGPU_BODY(vgpu_body_##name##_7, body, VGPU_GENERAL | VGPU_UNFINISHED | VGPU_MASKED)
/* The interpreter runs these. */
#define VGPU_SLOW_HANDLER(name, body) extern struct vgpu_operation vgpu_no_handler

#else

/* The four shapes of `body`, an always-inlined void (op, simd, int shape). Each works on a copy of the instruction
 * that no store can reach, so that compilers find its lane vectors once and not for every simdgroup. */
#define VGPU_HANDLER(name, body)                                                                                       \
   static void name##_0(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)                      \
   {                                                                                                                   \
      const struct vgpu_op own = *op;                                                                                  \
      for (unsigned i = 0; i < count; i++) {                                                                           \
         body(&own, simds[i], 0);                                                                                      \
      }                                                                                                                \
   }                                                                                                                   \
   static void name##_1(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)                      \
   {                                                                                                                   \
      const struct vgpu_op own = *op;                                                                                  \
      for (unsigned i = 0; i < count; i++) {                                                                           \
         body(&own, simds[i], VGPU_MASKED);                                                                            \
      }                                                                                                                \
   }                                                                                                                   \
   static void name##_2(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)                      \
   {                                                                                                                   \
      const struct vgpu_op own = *op;                                                                                  \
      for (unsigned i = 0; i < count; i++) {                                                                           \
         body(&own, simds[i], VGPU_GENERAL);                                                                           \
      }                                                                                                                \
   }                                                                                                                   \
   static void name##_3(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)                      \
   {                                                                                                                   \
      const struct vgpu_op own = *op;                                                                                  \
      for (unsigned i = 0; i < count; i++) {                                                                           \
         body(&own, simds[i], VGPU_GENERAL | VGPU_MASKED);                                                             \
      }                                                                                                                \
   }                                                                                                                   \
   const struct vgpu_handler VGPU_NAME(vgpu_do_##name) = {{name##_0, name##_1, name##_2, name##_3}}

/* One shape for all: `body` is a void (op, simd). */
#define VGPU_SLOW_HANDLER(name, body)                                                                                  \
   static void name##_all(const struct vgpu_op *op, struct vgpu_simd *const *simds, unsigned count)                    \
   {                                                                                                                   \
      for (unsigned i = 0; i < count; i++) {                                                                           \
         body(op, simds[i]);                                                                                           \
      }                                                                                                                \
   }                                                                                                                   \
   const struct vgpu_handler VGPU_NAME(vgpu_do_##name) = {{name##_all, name##_all, name##_all, name##_all}}

#endif

/* For those: a whole source as 32 values, and a whole result written in the active lanes. */
VGPU_INLINE void vgpu_get_lanes(const struct vgpu_op *op, unsigned n, const struct vgpu_simd *simd, uint32_t *lanes)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(lanes, i, vgpu_get(op, n, simd, i, VGPU_GENERAL));
   }
}

VGPU_INLINE void vgpu_get_float_lanes(const struct vgpu_op *op, unsigned n, const struct vgpu_simd *simd, float *lanes)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      *(vf *)(lanes + i * VGPU_WIDTH) = vgpu_get_float(op, n, simd, i, VGPU_GENERAL);
   }
}

VGPU_INLINE void vgpu_put_lanes(const struct vgpu_op *op, struct vgpu_simd *simd, const uint32_t *lanes)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_put(op, simd, i, vgpu_load(lanes, i), VGPU_GENERAL | VGPU_MASKED);
   }
}

/* An array of one value a lane, on the stack. */
#define VGPU_LANE_ARRAY(type, name) _Alignas(64) type name[VGPU_LANES]

#endif
