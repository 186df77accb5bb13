/* SPDX-License-Identifier: MIT
 *
 * Between lanes: shuffles, reductions and scans, matrix multiply-add: spec/isa.md 4.7, 4.7b, 4.8.
 */
#include "vgpu/vector.h"

#include <math.h>

#include "vgpu/half.h"

/* ---- Shuffles; a: enum isa_shuffle, b: rotate, c: quad. Sources are read in all lanes. ---- */

/* Which lane of quad q `lane` reads when the quad's combined low bits are k; the quad first rotates within
 * itself, then lanes read the quad that the upper bits name. */
static unsigned in_quad(unsigned mode, unsigned lane, unsigned k)
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

/* The lane whose quad is read, 32 and up: none. */
static unsigned partner(unsigned mode, bool rotate, unsigned lane, unsigned b)
{
   switch (mode) {
   case ISA_SHUFFLE_XOR:
      return lane ^ b;
   case ISA_SHUFFLE_UP:
      return rotate ? (lane - b) & 31 : lane >= b ? lane - b : VGPU_LANES;
   case ISA_SHUFFLE_DOWN:
      return lane + b;
   default:
      return b;
   }
}

static void shuffle(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, data);
   VGPU_LANE_ARRAY(uint32_t, operand);
   VGPU_LANE_ARRAY(uint32_t, r);
   unsigned low[VGPU_LANES / 4] = {0};
   vgpu_get_lanes(op, 0, simd, data);
   vgpu_get_lanes(op, 1, simd, operand);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      low[lane / 4] |= operand[lane] & 3;
   }
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      unsigned from = partner(op->a, op->b, lane, operand[lane]);
      r[lane] = from < VGPU_LANES ? data[(from & ~3u) + in_quad(op->a, lane, low[from / 4])] : data[lane];
   }
   vgpu_put_lanes(op, simd, r);
}

static void quad_shuffle(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, data);
   VGPU_LANE_ARRAY(uint32_t, operand);
   VGPU_LANE_ARRAY(uint32_t, r);
   vgpu_get_lanes(op, 0, simd, data);
   vgpu_get_lanes(op, 1, simd, operand);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      unsigned first = lane & ~3u, i = lane & 3;
      unsigned k = (operand[first] | operand[first + 1] | operand[first + 2] | operand[first + 3]) & 3;
      bool outside = !op->b && ((op->a == ISA_SHUFFLE_UP && k > i) || (op->a == ISA_SHUFFLE_DOWN && i + k > 3));
      r[lane] = outside ? data[lane] : data[first + in_quad(op->a, lane, k)];
   }
   vgpu_put_lanes(op, simd, r);
}

VGPU_SLOW_HANDLER(shuffle, shuffle);
VGPU_SLOW_HANDLER(quad_shuffle, quad_shuffle);

/* ---- Reductions; a: enum isa_reduce, b: operand size, c: quad ---- */

static double float_of(uint32_t bits, uint32_t size)
{
   if (size == 16) {
      return vgpu_f16_to_double((uint16_t)bits);
   }
   if ((bits & 0x7fffffffu) < VGPU_F32_MIN) {
      bits &= 0x80000000u;
   }
   float value;
   memcpy(&value, &bits, sizeof(value));
   return value;
}

static uint32_t bits_of(double value, uint32_t size)
{
   return size == 16 ? vgpu_f16_from_double(value, false) : vgpu_f32_from_double(value);
}

static int32_t signed_of(uint32_t bits, uint32_t size)
{
   return size == 16 ? (int16_t)bits : (int32_t)bits;
}

static uint32_t combine(uint32_t operation, uint32_t size, uint32_t a, uint32_t b)
{
   switch (operation) {
   case ISA_REDUCE_AND:
      return a & b;
   case ISA_REDUCE_OR:
      return a | b;
   case ISA_REDUCE_XOR:
      return a ^ b;
   case ISA_REDUCE_IADD:
      return size == 16 ? (a + b) & 0xffff : a + b;
   case ISA_REDUCE_SMIN:
      return signed_of(a, size) < signed_of(b, size) ? a : b;
   case ISA_REDUCE_SMAX:
      return signed_of(a, size) > signed_of(b, size) ? a : b;
   case ISA_REDUCE_UMIN:
      return a < b ? a : b;
   case ISA_REDUCE_UMAX:
      return a > b ? a : b;
   case ISA_REDUCE_FADD:
      return bits_of(float_of(a, size) + float_of(b, size), size);
   case ISA_REDUCE_FMUL:
      return bits_of(float_of(a, size) * float_of(b, size), size);
   case ISA_REDUCE_FMIN:
      return float_of(a, size) < float_of(b, size) || isnan(float_of(b, size)) ? a : b;
   default:
      return float_of(a, size) > float_of(b, size) || isnan(float_of(b, size)) ? a : b;
   }
}

static uint32_t identity(uint32_t operation, uint32_t size)
{
   uint32_t all = size == 16 ? 0xffff : UINT32_MAX;
   switch (operation) {
   case ISA_REDUCE_AND:
   case ISA_REDUCE_UMIN:
      return all;
   case ISA_REDUCE_SMIN:
      return all >> 1;
   case ISA_REDUCE_SMAX:
      return all ^ all >> 1;
   case ISA_REDUCE_FMUL:
      return bits_of(1, size);
   case ISA_REDUCE_FMIN:
      return bits_of(INFINITY, size);
   case ISA_REDUCE_FMAX:
      return bits_of(-INFINITY, size);
   default:
      return 0;
   }
}

/* Neighbours first, then pairs of them, and so on: the order that counts for floats. */
static void reduce(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, v);
   unsigned span = op->c ? 4 : VGPU_LANES;
   vgpu_get_lanes(op, 0, simd, v);
   uint32_t live = simd->exec;
   for (unsigned step = 1; step < span; step *= 2) {
      for (unsigned lane = 0; lane < VGPU_LANES; lane += 2 * step) {
         uint32_t mine = live >> lane & 1, other = live >> (lane + step) & 1;
         if (mine && other) {
            v[lane] = combine(op->a, op->b, v[lane], v[lane + step]);
         } else if (other) {
            v[lane] = v[lane + step];
            live |= 1u << lane;
         }
      }
   }
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      v[lane] = v[lane - lane % span];
   }
   vgpu_put_lanes(op, simd, v);
}

static void prefix(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   VGPU_LANE_ARRAY(uint32_t, v);
   unsigned span = op->c ? 4 : VGPU_LANES;
   uint32_t sum = 0;
   vgpu_get_lanes(op, 0, simd, v);
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      if (lane % span == 0) {
         sum = identity(op->a, op->b);
      }
      if (simd->exec >> lane & 1) {
         uint32_t own = v[lane];
         v[lane] = sum;
         sum = combine(op->a, op->b, sum, own);
      }
   }
   vgpu_put_lanes(op, simd, v);
}

VGPU_SLOW_HANDLER(reduce, reduce);
VGPU_SLOW_HANDLER(prefix, prefix);

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
      *s = (vf)vgpu_finish_float(vgpu_fma(*(const vf *)(a + i * VGPU_WIDTH), *(const vf *)(b + i * VGPU_WIDTH), *s));
   }
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
   struct vgpu_op second = *op; /* the destination's second register */
   unsigned half = op->dst.half + (op->dst.form == VGPU_WORD ? 2u : 1u);
   second.dst.row = half / 2 * VGPU_LANES;
   second.dst.form = op->dst.form == VGPU_WORD ? VGPU_WORD : half & 1 ? VGPU_HIGH : VGPU_LOW;
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      const vu *element = (const vu *)(sum[0] + i * VGPU_WIDTH), *next = (const vu *)(sum[1] + i * VGPU_WIDTH);
      vgpu_put_float(op, simd, i, *element, VGPU_GENERAL | VGPU_MASKED);
      vgpu_put_float(&second, simd, i, *next, VGPU_GENERAL | VGPU_MASKED);
   }
}
VGPU_SLOW_HANDLER(matrix, matrix);
