/* SPDX-License-Identifier: MIT
 *
 * The host's side of precision/: the inputs, the exact results, and the distance in units in the last place.
 * Invariant: the exact results come from the host's double arithmetic, not from a device.
 */
#include "nir_kernels/precision/precision.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nir_kernels/chain.h"
#include "nir_kernels/half.h"

/* A format: its significant bits, and the exponents of the least normal and of the greatest number. */
struct format {
   int digits, least, greatest;
};

static const struct format *format_of(const struct precision *precision)
{
   static const struct format half = {11, -14, 15}, single = {24, -126, 127};

   return precision->bits == 16 ? &half : &single;
}

/* Exponents of single-precision arguments that give results worth a look. */
static const struct {
   int low, high;
   bool negative; /* these too */
} focus[] = {
    [PRECISION_RCP] = {-126, 127, true}, [PRECISION_RSQRT] = {-126, 127, false}, [PRECISION_LOG2] = {-126, 127, false},
    [PRECISION_EXP2] = {-25, 7, true},   [PRECISION_SIN] = {-20, 1, true},       [PRECISION_SQRT] = {-126, 127, false},
    [PRECISION_DIV] = {-62, 62, true},
};

static uint32_t hash(uint64_t x)
{
   x = (x ^ x >> 31) * 0x7fb5d329728ea185u;
   x = (x ^ x >> 27) * 0x81dadef4bc2dd44du;
   return (uint32_t)(x >> 32);
}

static uint32_t single_argument(const struct precision *precision, uint64_t seed, uint32_t index, uint32_t threads)
{
   const int low = focus[precision->function].low, high = focus[precision->function].high;
   const uint32_t random = hash(seed * 0x9e3779b9u + index), span = (uint32_t)(high - low + 1);

   if (index < threads / 4 * 3) {
      const uint32_t exponent = (uint32_t)(low + 127) + index % span;
      const uint32_t sign = focus[precision->function].negative ? index / span % 2 : 0;

      return sign << 31 | exponent << 23 | (random & 0x7fffff);
   }
   /* All signs and exponents in turn. Their first mantissas are the least, the next, the greatest and the middle one.
    */
   static const uint32_t first[] = {0, 1, 0x7fffff, 0x400000};
   const uint32_t turn = (index - threads / 4 * 3) / 512;
   return index % 512 << 23 | (turn < 4 ? first[turn] : random & 0x7fffff);
}

void precision_fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct precision *precision = benchmark->data;

   for (uint32_t i = 0; i < io->threads; i++) {
      uint32_t words[2];

      if (precision->bits == 16) {
         words[0] = i & 0xffff;
         words[1] = hash(io->seed + i) >> 16;
      } else {
         words[0] = single_argument(precision, io->seed, i, io->threads);
         words[1] = single_argument(precision, ~io->seed, i * 40503u % io->threads, io->threads);
      }
      memcpy(io->input + (size_t)i * sizeof(words), words, sizeof(words));
   }
   memset(io->output, 0, io->output_bytes);
}

static double number(const struct precision *precision, uint32_t word)
{
   return precision->bits == 16 ? bench_half_value((uint16_t)word) : (double)bench_single(word);
}

static double exact(enum precision_function function, double x, double y)
{
   switch (function) {
   case PRECISION_RCP:
      return 1 / x;
   case PRECISION_RSQRT:
      return 1 / sqrt(x);
   case PRECISION_LOG2:
      return log2(x);
   case PRECISION_EXP2:
      return exp2(x);
   case PRECISION_SIN:
      return sin(x);
   case PRECISION_SQRT:
      return sqrt(x);
   default:
      return x / y;
   }
}

/* The distance from the exact result in units of its last place; NAN: one is a number and the other is not, or one is
 * infinite at a pole and the other is not. */
static double distance(const struct precision *precision, double got, double want)
{
   const struct format *format = format_of(precision);
   const double beyond = ldexp(1, format->greatest + 1);

   if (isnan(want) || isnan(got)) {
      return isnan(want) && isnan(got) ? 0 : NAN;
   }
   if (isinf(want)) {
      return got == want ? 0 : NAN;
   }
   int exponent;
   (void)frexp(want, &exponent); /* 0.5 <= fraction < 1 */
   exponent = want == 0 || exponent - 1 < format->least ? format->least : exponent - 1;
   if (precision->coarse && exponent < -1) {
      exponent = -1;
   }
   const double ulp = ldexp(1, exponent - format->digits + 1);
   if (fabs(want) >= beyond - ldexp(0.5, format->greatest - format->digits + 1)) {
      return isinf(got) && (got > 0) == (want > 0) ? 0 : (beyond - fabs(got)) / ulp; /* it rounds to infinity */
   }
   /* AGX flushes single-precision results that are denormal. */
   if (precision->bits == 32 && fabs(want) < ldexp(1, format->least) && got == 0) {
      return 0;
   }
   return fabs((isinf(got) ? copysign(beyond, got) : got) - want) / ulp;
}

/* The same, where a denormal single-precision argument may be taken for zero, as AGX does. */
static double distance_at(const struct precision *precision, double x, double y, double got)
{
   const bool flushed_x = precision->bits == 32 && x != 0 && fabs(x) < 0x1p-126;
   const bool flushed_y = precision->bits == 32 && y != 0 && fabs(y) < 0x1p-126;
   double least = distance(precision, got, exact(precision->function, x, y));

   for (unsigned i = 1; i < 4; i++) {
      if ((i & 1 && !flushed_x) || (i & 2 && !flushed_y)) {
         continue;
      }
      const double other =
          distance(precision, got, exact(precision->function, i & 1 ? copysign(0, x) : x, i & 2 ? copysign(0, y) : y));
      least = isnan(least) || other < least ? other : least;
   }
   return least;
}

static bool is_normal(const struct precision *precision, double x)
{
   return fabs(x) >= ldexp(1, format_of(precision)->least) && fabs(x) < ldexp(1, format_of(precision)->greatest + 1);
}

static bool is_judged(const struct precision *precision, double x, double y)
{
   if (precision->within != 0 && !(fabs(x) <= precision->within)) {
      return false;
   }
   return !precision->ordinary || (is_normal(precision, x) && is_normal(precision, y) && is_normal(precision, 1 / y) &&
                                   is_normal(precision, x / y));
}

double precision_figure(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                        const uint8_t *output, char *why, size_t why_size)
{
   const struct precision *precision = benchmark->data;
   double worst = 0, sum = 0;
   uint32_t count = 0;

   for (uint32_t i = 0; i < io->threads; i++) {
      uint32_t words[2], got;

      memcpy(words, io->input + (size_t)i * sizeof(words), sizeof(words));
      memcpy(&got, output + (size_t)i * sizeof(got), sizeof(got));
      const double x = number(precision, words[0]), y = number(precision, words[1]);
      if (!is_judged(precision, x, y)) {
         continue;
      }
      const double error = distance_at(precision, x, y, number(precision, got));
      if (isnan(error) && metric == BENCH_CHECK) {
         snprintf(why, why_size, "of 0x%" PRIx32 "%s, 0x%" PRIx32 " it makes 0x%" PRIx32 ", not %g", words[0],
                  precision->function == PRECISION_DIV ? "" : " (second not used)", words[1], got,
                  exact(precision->function, x, y));
         return NAN;
      }
      if (metric == BENCH_CHECK && precision->allowed != 0 && error > precision->allowed) {
         snprintf(why, why_size, "of 0x%" PRIx32 " it makes 0x%" PRIx32 ", %.3g ulp off, and OpenCL C allows %g",
                  words[0], got, error, precision->allowed);
         return NAN;
      }
      if (!isnan(error)) {
         worst = error > worst ? error : worst;
         sum += error;
         count++;
      }
   }
   if (count == 0) {
      snprintf(why, why_size, "no result is one that could be judged");
      return NAN;
   }
   return metric == BENCH_MEAN_ERROR ? sum / count : worst;
}
