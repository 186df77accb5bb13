/* SPDX-License-Identifier: MIT
 *
 * atomic/umax64-emulated-*, umin64-emulated-*: the host's side of atomic64_emulated.cl.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/atomic/atomic64.h"
#include "nir_kernels/groups.h"

#define RECORDS 32 /* of a thread, as in the kernel */
#define ATOMICS 6  /* of an operation: three reads, two of a record's words written, one of the pixel */
#define MIDDLE UINT64_C(0x0000800000000000) /* of the values */

static void put(uint8_t *words, size_t index, uint32_t word)
{
   memcpy(words + index * sizeof(word), &word, sizeof(word));
}

static uint32_t get(const uint8_t *words, size_t index)
{
   uint32_t word;

   memcpy(&word, words + index * sizeof(word), sizeof(word));
   return word;
}

/* The pixel's offset in the output, in words. The order is: shared pixels, records, other pixels. */
static uint32_t place_of(const struct atomic64 *atomic, const struct bench_io *io, uint32_t pixel)
{
   return atomic->pixels != 0 ? pixel : ATOMIC64_FEW + 2 * (1 + RECORDS * io->threads) + pixel;
}

/* The initial value of pixels. */
static uint64_t first_of(const struct atomic64 *atomic)
{
   return !atomic->behind ? MIDDLE : atomic->lowest ? 0 : UINT64_MAX;
}

static uint32_t first_random(const struct bench_io *io, uint32_t thread)
{
   return atomic64_hash(thread + (uint32_t)io->seed * 7919u);
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const struct atomic64 *atomic = benchmark->data;

   for (uint32_t thread = 0; thread < io->threads; thread++) {
      put(io->input, 2 * (size_t)thread, place_of(atomic, io, atomic64_pixel(atomic, thread)));
      put(io->input, 2 * (size_t)thread + 1, first_random(io, thread));
   }
   memset(io->output, 0, io->output_bytes);
   put(io->output, ATOMIC64_FEW, (uint32_t)(first_of(atomic) >> 32));
   put(io->output, ATOMIC64_FEW + 1, (uint32_t)first_of(atomic));
}

static double judge(const struct benchmark *benchmark, enum bench_metric metric, const struct bench_io *io,
                    const uint8_t *output, char *why, size_t why_size)
{
   const struct atomic64 *atomic = benchmark->data;
   const uint32_t used = atomic->pixels != 0 ? atomic->pixels : io->threads;
   uint64_t *best = malloc(used * sizeof(*best));
   double verdict = 0;

   (void)metric;
   if (best == NULL) {
      snprintf(why, why_size, "out of memory");
      return NAN;
   }
   for (uint32_t pixel = 0; pixel < used; pixel++) {
      best[pixel] = first_of(atomic);
   }
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      uint64_t *pixel = &best[atomic64_pixel(atomic, thread)];
      uint32_t random = first_random(io, thread);

      for (uint32_t i = 0; i < io->iterations; i++) {
         random = random * 1664525u + 1013904223u;
         *pixel = atomic64_better(atomic, *pixel, (uint64_t)(random >> 16) << 32 | (uint32_t)(random * 0x9e3779b9u));
      }
   }
   for (uint32_t pixel = 0; pixel < used && !isnan(verdict); pixel++) {
      const uint32_t record = get(output, place_of(atomic, io, pixel)), most = io->threads * RECORDS;
      const size_t at = ATOMIC64_FEW + 2 * (size_t)(record <= most ? record : 0);
      const uint64_t got = (uint64_t)get(output, at) << 32 | get(output, at + 1);

      if (record > most || got != best[pixel]) {
         snprintf(why, why_size,
                  "wrong answer: pixel %" PRIu32 ", record %" PRIu32 ", is 0x%016" PRIx64 ", expected 0x%016" PRIx64,
                  pixel, record, got, best[pixel]);
         verdict = NAN;
      }
   }
   free(best);
   return verdict;
}

/* clang-format off */
#define EMULATED(name_, kernel_, what, metrics_, ...)                                                                 \
   {"atomic", name_, what, .metrics = metrics_, .scale = BENCH_SCALE_ITERATIONS, .source = "atomic64_emulated",        \
    .kernel = kernel_, .data = &(const struct atomic64){__VA_ARGS__},                                             \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                   \
    .variants = {[BENCH_RATE] = {1, 1, 1}, [BENCH_LATENCY] = {1, 1, 1}, [BENCH_CHECK] = {1, 1, 1}},                    \
    .codegen = {"atomic", ISA_OP_ATOMIC, .registers = BENCH_ANY, .per_operation = ATOMICS, .whole_program = true},     \
    .dispatch = {.group = 256, .groups = 16, .iterations = RECORDS}, .per_cycle = true, .work_unit = "op/cycle/core",      \
    .input_stride = 8, .output_stride = 8 * (RECORDS + 1), .fill = fill, .figure = judge},
#define BOTH (1u << BENCH_RATE | 1u << BENCH_LATENCY)
#define CHECK (1u << BENCH_CHECK)
#define OPERATION(name, what, lowest)                                                                                  \
   EMULATED(name "-emulated", name, what " out of 32-bit atomics: is it right? 4096 threads on 16 words", CHECK,       \
            lowest, ATOMIC64_FEW, false)                                                                               \
   EMULATED(name "-emulated-own", name, what " out of 32-bit atomics, each lane its own word", BOTH, lowest, 0, false) \
   EMULATED(name "-emulated-few", name, what " out of 32-bit atomics, 16 words for all", BOTH, lowest, ATOMIC64_FEW,   \
            false)                                                                                                     \
   EMULATED(name "-emulated-behind", name, what " out of 32-bit atomics, 16 words for all, which nothing changes",     \
            BOTH, lowest, ATOMIC64_FEW, true)

static const struct benchmark benchmarks[] = {
   OPERATION("umax64", "64-bit maximum", false)
   OPERATION("umin64", "64-bit minimum", true)
};
/* clang-format on */

const struct bench_group bench_atomic64_emulated = BENCH_GROUP(benchmarks);
