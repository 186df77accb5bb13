/* SPDX-License-Identifier: MIT
 *
 * kernel/: whole kernels that memory bounds: STREAM's four, a reduction, a histogram, two transposes and a product of
 * matrix and vector. The figure is of one dispatch, counted by the bytes that the algorithm must move.
 *
 * Invariant: every word that a kernel must write is compared with the host's.
 */
#include <stdlib.h>
#include <string.h>

#include "nir_kernels/groups.h"

#define COUNT (1u << 22) /* the constants of kernels.cl */
#define SIDE 2048u
#define GROUP 256u
#define EACH 16u
#define BINS 256u

enum kernel { COPY, SCALE, ADD, TRIAD, REDUCTION, HISTOGRAM, TRANSPOSE, GEMV };

/* The factors of a product stay below 16: 2048 such products have an exact sum. */
static float input_at(size_t index, const struct bench_io *io)
{
   uint32_t x = (uint32_t)index + (uint32_t)io->seed;

   x = (x ^ x >> 16) * 0x7feb352du;
   return (float)((x ^ x >> 15) % 16);
}

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   for (size_t i = 0; i < io->input_bytes / sizeof(float); i++) {
      const float value = input_at(i, io);

      memcpy(io->input + i * sizeof(value), &value, sizeof(value));
   }
   memset(io->output, 0, io->output_bytes);
}

static float sum_of(enum kernel kernel, uint32_t at, const struct bench_io *io)
{
   const uint32_t count = kernel == REDUCTION ? EACH * GROUP : SIDE;
   float sum = 0;

   for (uint32_t k = 0; k < count; k++) {
      sum += input_at((size_t)at * count + k, io) * (kernel == GEMV ? input_at(COUNT + k, io) : 1);
   }
   return sum;
}

static float output_at(enum kernel kernel, uint32_t at, const struct bench_io *io)
{
   switch (kernel) {
   case COPY:
      return input_at(at, io);
   case SCALE:
      return 3 * input_at(at, io);
   case ADD:
      return input_at(at, io) + input_at(at + COUNT, io);
   case TRIAD:
      return input_at(at, io) + 3 * input_at(at + COUNT, io);
   case TRANSPOSE:
      return input_at(at % SIDE * SIDE + at / SIDE, io);
   default:
      return sum_of(kernel, at, io);
   }
}

static void count_bins(const struct bench_io *io, uint8_t *expected)
{
   uint32_t bins[BINS] = {0};

   for (size_t i = 0; i < COUNT; i++) {
      bins[(uint32_t)input_at(i, io) % BINS]++;
   }
   memcpy(expected, bins, sizeof(bins));
}

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   const enum kernel kernel = *(const enum kernel *)benchmark->data;
   const uint32_t words = kernel == REDUCTION ? COUNT / EACH / GROUP : kernel == GEMV ? SIDE : COUNT;

   (void)variant;
   if (kernel == HISTOGRAM) {
      count_bins(io, expected);
      return;
   }
   for (uint32_t i = 0; i < words; i++) {
      const float value = output_at(kernel, i, io);

      memcpy(expected + (size_t)i * sizeof(value), &value, sizeof(value));
   }
}

/* clang-format off */
/* loads: in the whole program. bytes: that the algorithm reads and writes, in GB. */
#define KERNEL(name_, what, function, which, threads, loads, bytes)                                                    \
   {"kernel", name_, what, .metrics = 1u << BENCH_DISPATCH, .scale = BENCH_SCALE_ITERATIONS, .source = "kernels", .kernel = function,                   \
    .data = &(const enum kernel){which}, .arguments = {BENCH_INPUT, BENCH_OUTPUT}, .argument_count = 2,                \
    .variants = {[BENCH_DISPATCH] = {loads, 1, loads}},                                                                \
    .codegen = {"load", ISA_OP_LOAD, .registers = BENCH_ANY, .per_operation = 1, .whole_program = true},               \
    .work = bytes, .work_unit = "GB/s", .dispatch = {GROUP, (threads) / GROUP, 1},                                     \
    .input_bytes_min = 2ull * COUNT * 4, .output_stride = 4, .fill = fill, .expect = expect}

static const struct benchmark benchmarks[] = {
   KERNEL("stream-copy", "STREAM copy, 4 Mi words", "stream_copy", COPY, COUNT, 1, 8.0 * COUNT),
   KERNEL("stream-scale", "STREAM scale, 4 Mi words", "stream_scale", SCALE, COUNT, 1, 8.0 * COUNT),
   KERNEL("stream-add", "STREAM add, 4 Mi words", "stream_add", ADD, COUNT, 2, 12.0 * COUNT),
   KERNEL("stream-triad", "STREAM triad, 4 Mi words", "stream_triad", TRIAD, COUNT, 2, 12.0 * COUNT),
   KERNEL("reduction", "sums of 4096 words each, 4 Mi words", "reduction", REDUCTION, COUNT / EACH, 16, 4.0 * COUNT),
   KERNEL("histogram", "16 values in 256 bins of each threadgroup, 4 Mi words", "histogram", HISTOGRAM, COUNT / EACH, 16,
          4.0 * COUNT),
   KERNEL("transpose-naive", "transpose of 2048 x 2048, columns written word by word", "transpose_naive", TRANSPOSE,
          COUNT, 1, 8.0 * COUNT),
   KERNEL("transpose-tiled", "transpose of 2048 x 2048 by tiles of 16 x 16 in threadgroup memory", "transpose_tiled",
          TRANSPOSE, COUNT, 1, 8.0 * COUNT),
   KERNEL("gemv", "2048 x 2048 matrix times vector, a threadgroup a row", "gemv", GEMV, SIDE * GROUP, 2, 4.0 * COUNT),
};
/* clang-format on */

const struct bench_group bench_memory_kernels = BENCH_GROUP(benchmarks);
