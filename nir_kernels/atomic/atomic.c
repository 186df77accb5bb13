/* SPDX-License-Identifier: MIT
 *
 * atomic/: unsigned maximum on device memory. The kernel is atomic_umax32.cl.
 */
#include <string.h>

#include "nir_kernels/groups.h"

#define UNROLLED 8 /* RAISE lines in the kernel */

static uint32_t get(const uint8_t *words, size_t index)
{
   uint32_t word;

   memcpy(&word, words + index * sizeof(word), sizeof(word));
   return word;
}

static void put(uint8_t *words, size_t index, uint32_t word)
{
   memcpy(words + index * sizeof(word), &word, sizeof(word));
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      put(io->input, thread, (uint32_t)(io->seed + thread) * 0x9e3779b9u);
   }
   memset(io->output, 0, io->output_bytes);
}

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   (void)variant;
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const size_t word = (size_t)thread * benchmark->parameter;
      uint32_t value = get(io->input, thread), highest = get(expected, word);

      for (uint64_t i = 0; i < (uint64_t)io->iterations * UNROLLED; i++) {
         value = value * 1664525u + 1013904223u;
         highest = value > highest ? value : highest;
      }
      put(expected, word, highest);
   }
}

/* Operations are counted by lane. */
#define UMAX32(stride)                                                                                                 \
   .metrics = 1u << BENCH_RATE, .scale = BENCH_SCALE_ITERATIONS, .source = "atomic_umax32", .kernel = "umax32",        \
   .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS, BENCH_PARAMETER}, .argument_count = 4,                   \
   .parameter = stride, .variants = {[BENCH_RATE] = {UNROLLED, 1, UNROLLED}},                                          \
   .codegen = {"atomic", ISA_OP_ATOMIC, 0, 2, 1}, .work = UNROLLED, .work_unit = "Gop/s", .input_stride = 4,           \
   .output_stride = 4, .fill = fill, .expect = expect

static const struct benchmark benchmarks[] = {
    {"atomic", "umax32-own", "unsigned maximum in device memory, each lane its own word", UMAX32(1)},
    {"atomic", "umax32-one", "unsigned maximum in device memory, one word for all lanes", UMAX32(0)},
};

const struct bench_group bench_atomic = BENCH_GROUP(benchmarks);
