/* SPDX-License-Identifier: MIT
 *
 * convert-*: 8-bit floats and bfloat16 by integer and half instructions, for M1 and M2 have none for them. Each row
 * converts every code there is, or every half, and small_float.c says what must come out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"
#include "nir_kernels/half.h"
#include "nir_kernels/matrix/small_float.h"

#define ALL 65536u /* a thread a code; 8-bit codes repeat */

struct conversion {
   enum small_format format;
   bool to_small;
   const char *lines; /* r4 to r5; clobbers r6 to r9; constants stand in r10 and up */
   const char *constants;
};

/* ---- Kernels ---- */

/* clang-format off */
/* A code's exponent and fraction where a half has them are its value over 2^8: half numbers below the normal range
 * count, so one product makes it right. */
static const char from_e4m3[] =
   "   and      r6, r4, 0x7f\n"
   "   shl      r7, r6, 7\n"
   "   hmul     r7l, r7l, r10l\n"             /* 256 */
   "   csel     r7, r6, r11, r12, r7, ieq\n"  /* 0x7f: NaN */
   "   and      r8, r4, 0x80\n"
   "   shl      r8, r8, 8\n"
   "   and      r7, r7, r13\n"
   "   or       r5, r7, r8\n";
static const char from_e4m3_constants[] =
   "   ldimm    r10, 0x5c00\n   ldimm    r11, 0x7f\n   ldimm    r12, 0x7e00\n   ldimm    r13, 0xffff\n";
/* E5M2 is the upper byte of a half. */
static const char from_e5m2[] = "   and      r6, r4, 0xff\n   shl      r5, r6, 8\n";
static const char from_bf16[] = "   shl      r5, r4, 16\n";

/* The half's exact value in single precision. Below 2^-6 the code is its value times 2^9, rounded by an addition
 * that leaves no bits for a fraction. Else it is the upper bits, rounded to even, with another bias. */
static const char to_e4m3[] =
   "   fadd     r6, r4l.abs, 0.0.neg\n"
   "   ffma     r7, r6, r10, r11\n"           /* 512 x + 2^23 */
   "   and      r7, r7, 15\n"
   "   shr      r8, r6, 20\n"
   "   and      r8, r8, 1\n"
   "   iadd     r8, r8, r6\n"
   "   iadd     r8, r8, r12\n"                /* half a unit less one */
   "   shr      r8, r8, 20\n"
   "   iadd     r8, r8, r13\n"                /* bias 127 to 7 */
   "   csel     r8, r6, r14, r7, r8, ult\n"   /* below 2^-6 */
   "   csel     r8, r8, r15, r8, r15, ult\n"  /* saturate: 0x7e */
   "   csel     r8, r6, r16, r17, r8, ugt\n"  /* NaN: 0x7f */
   "   shr      r9, r4, 8\n"
   "   and      r9, r9, 0x80\n"
   "   or       r5, r8, r9\n";
static const char to_e4m3_constants[] =
   "   ldimm    r10, 0x44000000\n   ldimm    r11, 0x4b000000\n   ldimm    r12, 0x7ffff\n   ldimm    r13, 0xfffffc40\n"
   "   ldimm    r14, 0x3c800000\n   ldimm    r15, 0x7e\n   ldimm    r16, 0x7f800000\n   ldimm    r17, 0x7f\n";
static const char to_e5m2[] =
   "   and      r6, r4, r10\n"                /* the magnitude */
   "   shr      r7, r6, 8\n"
   "   and      r7, r7, 1\n"
   "   iadd     r7, r7, r6\n"
   "   iadd     r7, r7, 0x7f\n"
   "   shr      r7, r7, 8\n"
   "   csel     r7, r7, r11, r7, r11, ult\n"  /* saturate: 0x7b */
   "   csel     r7, r6, r12, r13, r7, ugt\n"  /* NaN: 0x7f */
   "   shr      r8, r4, 8\n"
   "   and      r8, r8, 0x80\n"
   "   or       r5, r7, r8\n";
static const char to_e5m2_constants[] =
   "   ldimm    r10, 0x7fff\n   ldimm    r11, 0x7b\n   ldimm    r12, 0x7c00\n   ldimm    r13, 0x7f\n";
/* From single precision. */
static const char to_bf16[] =
   "   and      r6, r4, r10\n"                /* the magnitude */
   "   shr      r7, r6, 16\n"
   "   and      r7, r7, 1\n"
   "   iadd     r7, r7, r6\n"
   "   iadd     r7, r7, r11\n"
   "   shr      r7, r7, 16\n"
   "   csel     r7, r6, r12, r13, r7, ugt\n"  /* NaN: 0x7fff */
   "   shr      r8, r4, 16\n"
   "   and      r8, r8, r14\n"
   "   or       r5, r7, r8\n";
static const char to_bf16_constants[] =
   "   ldimm    r10, 0x7fffffff\n   ldimm    r11, 0x7fff\n   ldimm    r12, 0x7f800000\n   ldimm    r13, 0x7fff\n"
   "   ldimm    r14, 0x8000\n";

static const char frame[] =
   AGX_BEGIN("convert")
   "   load     r4, du0, r2, i32, x, a\n"
   "   wait     a\n"
   "%s%s"
   "   store    r5, du2, r2, i32, x, a\n"
   AGX_END;
/* clang-format on */

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   const struct conversion *conversion = benchmark->data;
   char *text = NULL;

   (void)variant;
   return asprintf(&text, frame, conversion->constants, conversion->lines) < 0 ? NULL : text;
}

/* ---- Inputs and answers ---- */

/* bfloat16 comes from single precision: every upper half, with a lower one that is below, at or above a tie. */
static uint32_t input(const struct conversion *conversion, uint32_t thread)
{
   static const uint32_t lower[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff, 0x4000, 0xc000};

   if (conversion->to_small && conversion->format == SMALL_BF16) {
      return thread << 16 | lower[(thread ^ thread >> 8 ^ thread >> 3) % 8];
   }
   return !conversion->to_small && conversion->format != SMALL_BF16 ? thread % 256 : thread;
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   memset(io->output, 0, io->output_bytes);
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const uint32_t word = input(benchmark->data, thread);

      memcpy(io->input + (size_t)thread * sizeof(word), &word, sizeof(word));
   }
}

static uint32_t convert(const struct conversion *conversion, uint32_t word)
{
   const bool single = conversion->format == SMALL_BF16;
   float number;

   if (conversion->to_small) {
      memcpy(&number, &word, sizeof(number));
      return small_code(conversion->format, single ? (double)number : bench_half_value((uint16_t)word));
   }
   const double value = small_value(conversion->format, (uint16_t)word);
   number = (float)value;
   memcpy(&word, &number, sizeof(word));
   return single ? word : bench_half(value);
}

static double figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                     const uint8_t *output, char *why, size_t why_size)
{
   const struct conversion *conversion = benchmark->data;
   const bool single = conversion->format == SMALL_BF16;

   (void)metric;
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const uint32_t from = input(conversion, thread), wanted = convert(conversion, from);
      const uint32_t magnitude = single ? 0x7f800000u : 0x7c00u;
      uint32_t got;

      memcpy(&got, output + (size_t)thread * sizeof(got), sizeof(got));
      /* One NaN is as good as another where the result is wider. */
      const bool nan = !conversion->to_small && isnan(small_value(conversion->format, (uint16_t)from)) &&
                       (got & (single ? 0x7fffffffu : 0x7fffu)) > magnitude;
      if (got != wanted && !nan) {
         snprintf(why, why_size, "0x%x becomes 0x%x, expected 0x%x", from, got, wanted);
         return NAN;
      }
   }
   return 0;
}

/* clang-format off */
#define ROW(name_, what, format, to_small, lines, constants)                                                           \
   {"matrix", "convert-" name_, what, .file = __FILE_NAME__, .metrics = 1u << BENCH_CHECK, .text = make_text,          \
    .data = &(const struct conversion){format, to_small, lines, constants},                                            \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3, .dispatch = {256, ALL / 256, 1},      \
    .variants = {[BENCH_CHECK] = {1, 1, 1}}, .input_stride = 4, .output_stride = 4, .fill = fill, .figure = figure},

static const struct benchmark benchmarks[] = {
   ROW("e4m3-to-f16", "all 256 codes, 8 instructions", SMALL_E4M3, false, from_e4m3, from_e4m3_constants)
   ROW("e5m2-to-f16", "all 256 codes, 2 instructions", SMALL_E5M2, false, from_e5m2, "")
   ROW("bf16-to-f32", "all 65536 codes, 1 instruction", SMALL_BF16, false, from_bf16, "")
   ROW("f16-to-e4m3", "all 65536 halves, saturating, 15 instructions", SMALL_E4M3, true, to_e4m3, to_e4m3_constants)
   ROW("f16-to-e5m2", "all 65536 halves, saturating, 11 instructions", SMALL_E5M2, true, to_e5m2, to_e5m2_constants)
   ROW("f32-to-bf16", "every upper half, around each tie, 10 instructions", SMALL_BF16, true, to_bf16, to_bf16_constants)
};
/* clang-format on */

const struct bench_group bench_matrix_convert = BENCH_GROUP(benchmarks);
