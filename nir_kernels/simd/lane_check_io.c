/* SPDX-License-Identifier: MIT
 *
 * The host's side of the lane checks: the inputs and the expected results. Invariant: a result is computed from the
 * inputs of the lanes that take part, and from those alone.
 */
#include "nir_kernels/simd/lane_check.h"

#include <math.h>
#include <string.h>

#include "nir_kernels/chain.h"
#include "nir_kernels/half.h"

#define LANES 32u

static uint32_t hash(uint64_t x)
{
   x = (x ^ x >> 31) * 0x7fb5d329728ea185u;
   x = (x ^ x >> 27) * 0x81dadef4bc2dd44du;
   return (uint32_t)(x >> 33);
}

static uint32_t to_word(const struct lane_check *check, double number)
{
   return check->bits == 16 ? bench_half(number) : (uint32_t)bench_single_word(number);
}

static double to_number(const struct lane_check *check, uint32_t word)
{
   return check->bits == 16 ? bench_half_value((uint16_t)word) : (double)bench_single(word);
}

/* Sums and products of these are exact in any order. */
static double number(const struct lane_check *check, uint32_t random, uint32_t thread)
{
   switch (check->op) {
   case LANE_FADD:
      return (double)(random % 17) - 8;
   case LANE_FMUL:
      return (random % 2 == 0 ? 1 : -1) * (thread % 8 == 0 ? 2 : thread % 8 == 4 ? 0.5 : 1);
   default:
      return ((double)(random % 4096) - 2048) / 64;
   }
}

/* The values by simdgroup: all zero, all equal, random, and few odd ones. */
static uint32_t value(const struct lane_check *check, const struct bench_io *io, uint32_t thread)
{
   const uint32_t group = thread / LANES, mask = check->bits == 16 ? 0xffff : UINT32_MAX;
   const uint32_t random = hash(io->seed * 31 + (group % 4 == 1 ? group * 4096u + 7 : thread)) * 2654435761u;

   if (check->constant) {
      return LANE_CONSTANT;
   }
   if (check->kind <= LANE_INCLUSIVE && check->op >= LANE_FADD) {
      return to_word(check, number(check, random >> 8, thread));
   }
   switch (group % 4) {
   case 0:
      return 0;
   case 1:
      return (random | 1) & mask;
   case 2:
      return random & mask;
   default:
      return (random >> 28 == 0 ? random | 1 : random & ~1u) & mask;
   }
}

static bool takes_part(const struct lane_check *check, const struct bench_io *io, uint32_t thread)
{
   return !check->masked || hash(io->seed ^ (thread * 131ull + 5)) % 3 != 0;
}

static uint32_t before(const struct bench_io *io, uint32_t thread)
{
   return hash(io->seed + ~thread);
}

void lane_check_fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct lane_check *check = benchmark->data;

   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const uint32_t words[4] = {value(check, io, thread), before(io, thread), takes_part(check, io, thread)};

      memcpy(io->input + (size_t)thread * sizeof(words), words, sizeof(words));
   }
   memset(io->output, 0, io->output_bytes);
}

/* spec/isa.md 4.7b. */
static uint32_t identity(const struct lane_check *check)
{
   const uint32_t mask = check->bits == 16 ? 0xffff : UINT32_MAX;

   switch (check->op) {
   case LANE_AND:
   case LANE_UMIN:
      return mask;
   case LANE_SMIN:
      return mask >> 1;
   case LANE_SMAX:
      return mask ^ mask >> 1;
   case LANE_IMUL:
      return 1;
   case LANE_FMUL:
      return to_word(check, 1);
   case LANE_FMIN:
      return to_word(check, INFINITY);
   case LANE_FMAX:
      return to_word(check, -INFINITY);
   default:
      return 0;
   }
}

static int32_t with_sign(const struct lane_check *check, uint32_t x)
{
   return check->bits == 16 ? (int16_t)x : (int32_t)x;
}

static uint32_t combine(const struct lane_check *check, uint32_t a, uint32_t b)
{
   const uint32_t mask = check->bits == 16 ? 0xffff : UINT32_MAX;
   const double x = to_number(check, a), y = to_number(check, b);

   switch (check->op) {
   case LANE_AND:
      return a & b;
   case LANE_OR:
      return a | b;
   case LANE_XOR:
      return a ^ b;
   case LANE_IADD:
      return (a + b) & mask;
   case LANE_IMUL:
      return a * b & mask;
   case LANE_SMIN:
      return with_sign(check, a) < with_sign(check, b) ? a : b;
   case LANE_SMAX:
      return with_sign(check, a) > with_sign(check, b) ? a : b;
   case LANE_UMIN:
      return a < b ? a : b;
   case LANE_UMAX:
      return a > b ? a : b;
   case LANE_FADD:
      return to_word(check, x + y);
   case LANE_FMUL:
      return to_word(check, x * y);
   case LANE_FMIN:
      return to_word(check, fmin(x, y));
   default:
      return to_word(check, fmax(x, y));
   }
}

/* The lanes that compute with `thread`, in order; how many. */
static unsigned company(const struct lane_check *check, const struct bench_io *io, uint32_t thread, uint32_t *threads)
{
   const uint32_t first = thread / check->lanes * check->lanes;
   unsigned count = 0;

   for (uint32_t other = first; other < first + check->lanes; other++) {
      if (takes_part(check, io, other)) {
         threads[count++] = other;
      }
   }
   return count;
}

static uint32_t collect(const struct lane_check *check, const struct bench_io *io, uint32_t thread,
                        const uint32_t *threads, unsigned count)
{
   uint32_t result = identity(check);

   for (unsigned i = 0; i < count; i++) {
      if (check->kind == LANE_REDUCE || threads[i] < thread ||
          (check->kind == LANE_INCLUSIVE && threads[i] == thread)) {
         result = combine(check, result, value(check, io, threads[i]));
      }
   }
   return result;
}

static uint32_t answer(const struct lane_check *check, const struct bench_io *io, uint32_t thread)
{
   uint32_t threads[LANES], mask = 0;
   const unsigned count = company(check, io, thread, threads);
   bool equal = true;

   for (unsigned i = 0; i < count; i++) {
      mask |= (value(check, io, threads[i]) & 1) << (threads[i] % check->lanes);
      equal &= value(check, io, threads[i]) == value(check, io, threads[0]);
   }
   switch (check->kind) {
   case LANE_BALLOT:
      return mask;
   case LANE_ANY:
      return mask != 0;
   case LANE_ALL:
      return (unsigned)__builtin_popcount(mask) == count;
   case LANE_EQUAL:
      return equal;
   case LANE_ELECT:
      return threads[0] == thread;
   case LANE_FIRST:
      return value(check, io, threads[0]);
   default:
      return collect(check, io, thread, threads, count);
   }
}

void lane_check_expect(const struct benchmark *benchmark, const struct bench_variant *variant,
                       const struct bench_io *io, uint8_t *expected)
{
   const struct lane_check *check = benchmark->data;

   (void)variant;
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const uint32_t word = takes_part(check, io, thread) ? answer(check, io, thread) : before(io, thread);

      memcpy(expected + (size_t)thread * sizeof(word), &word, sizeof(word));
   }
}

/* The sign of an empty sum's zero is unknown: spec/isa.md 4.7b. */
bool lane_check_accept(const struct benchmark *benchmark, const struct bench_io *io, uint32_t got, uint32_t expected)
{
   const struct lane_check *check = benchmark->data;
   const uint32_t sign = check->bits == 16 ? 0x8000u : 0x80000000u;

   (void)io;
   return check->op == LANE_FADD && check->kind <= LANE_INCLUSIVE && ((got | expected) & ~sign) == 0;
}
