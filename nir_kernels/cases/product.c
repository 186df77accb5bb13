/* SPDX-License-Identifier: MIT
 *
 * case/: kernels in pairs that differ in one thing, whose gain or cost on a machine was published
 * (results/reference/cases.csv, matrix.csv). Only `agx-runner correlate` compares them.
 *
 * Invariant: every word of an answer is compared with the host's.
 */
#include <string.h>

#include "nir_kernels/groups.h"

#define SIDE 512u /* the constants of cases.cl */
#define DEPTH 128u
#define GROUP 64u

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

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   float sums[SIDE];

   (void)benchmark, (void)variant;
   for (size_t row = 0; row < SIDE; row++) {
      memset(sums, 0, sizeof(sums));
      for (size_t k = 0; k < DEPTH; k++) {
         const float left = input_at(row * DEPTH + k, io);

         for (size_t column = 0; column < SIDE; column++) {
            sums[column] += left * input_at((size_t)SIDE * DEPTH + k * SIDE + column, io);
         }
      }
      memcpy(expected + row * sizeof(sums), sums, sizeof(sums));
   }
}

#define TERMS_FIRST 10u
#define TERMS_END 300u
#define TURNS 16u
#define SUMS_THREADS 4096u

static void expect_sums(const struct benchmark *benchmark, const struct bench_variant *variant,
                        const struct bench_io *io, uint8_t *expected)
{
   (void)benchmark, (void)variant;
   for (size_t thread = 0; thread < SUMS_THREADS; thread++) {
      float sum = 0;

      for (size_t k = 0; k < TURNS; k++) {
         for (size_t n = TERMS_FIRST; n < TERMS_END; n++) {
            sum += input_at((size_t)input_at(n, io) * 16 + thread + k, io) * input_at(k, io);
         }
      }
      memcpy(expected + thread * sizeof(sum), &sum, sizeof(sum));
   }
}

/* clang-format off */
/* tile: side of a thread's tile. products: multiplications in the program. */
#define CASE(name_, what, function, tile, products)                                                            \
   {"case", name_, what, .metrics = 1u << BENCH_DISPATCH, .scale = BENCH_SCALE_ITERATIONS, .source = "cases",           \
    .kernel = function, .arguments = {BENCH_INPUT, BENCH_OUTPUT}, .argument_count = 2,                                  \
    .variants = {[BENCH_DISPATCH] = {products, 1, products}},                                                           \
    .codegen = {"ffma", ISA_OP_FFMA, .registers = BENCH_ANY, .per_operation = 1, .whole_program = true},                 \
    .work = 2.0 * SIDE * SIDE * DEPTH, .work_unit = "Gop/s",                                                            \
    .dispatch = {GROUP, SIDE * SIDE / GROUP / ((tile) * (tile)), 1},                          \
    .input_bytes_min = 2ull * SIDE * DEPTH * 4, .output_bytes_min = (size_t)SIDE * SIDE * 4, .fill = fill, .expect = expect}

#define CASE_SUMS(name_, what, function)                                                                       \
   {"case", name_, what, .metrics = 1u << BENCH_DISPATCH, .scale = BENCH_SCALE_ITERATIONS, .source = "cases",           \
    .kernel = function, .arguments = {BENCH_INPUT, BENCH_OUTPUT}, .argument_count = 2,                                  \
    .variants = {[BENCH_DISPATCH] = {TERMS_END - TERMS_FIRST, 1, TERMS_END - TERMS_FIRST}},                             \
    .codegen = {"ffma", ISA_OP_FFMA, .registers = BENCH_ANY, .per_operation = 1, .whole_program = true},                 \
    .work = 2.0 * (TERMS_END - TERMS_FIRST) * TURNS * SUMS_THREADS, .work_unit = "Gop/s",                               \
    .dispatch = {GROUP, SUMS_THREADS / GROUP, 1},                                                                       \
    .input_bytes_min = 2ull * SIDE * DEPTH * 4, .output_bytes_min = (size_t)SUMS_THREADS * 4, .fill = fill, .expect = expect_sums}

static const struct benchmark benchmarks[] = {
   CASE_SUMS("sums-inside", "290 products, their addresses added in each turn of the loop", "sums_inside"),
   CASE_SUMS("sums-before", "290 products, their addresses added before the loop", "sums_before"),
   CASE("product-medium", "product, 4 x 4 a thread", "product_medium", 4, 4 * 16),
   CASE("product-large", "product, 8 x 8 a thread", "product_large", 8, 4 * 64),
   CASE("product-unrolled", "product, 8 x 8 a thread, its loop beyond the instruction cache", "product_unrolled", 8, 32 * 64),
   CASE("product-early", "product, 4 x 4 a thread, operands loaded a turn before", "product_early", 4, 4 * 16),
   CASE("product-vectors", "product, 4 x 4 a thread, operands loaded as vectors", "product_vectors", 4, 4 * 16),
   CASE("product-vectors-early", "product, 4 x 4 a thread, vectors loaded a turn before", "product_vectors_early", 4, 4 * 16),
};
/* clang-format on */

const struct bench_group bench_product = BENCH_GROUP(benchmarks);
