/* SPDX-License-Identifier: MIT
 *
 * example/: kernels as people write them.
 */
#include <math.h>
#include <string.h>

#include "nir_kernels/groups.h"

#define SAXPY_A 0x40600000u /* 3.5f */

/* Numbers of few digits whose sums need rounding now and then. */
static float number(uint64_t seed, uint32_t index)
{
   return (float)((seed + index) * 0x9e3779b97f4a7c15u >> 41) / 65536.0f - 64.0f;
}

static void fill_saxpy(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   for (uint32_t i = 0; i < io->threads; i++) {
      const float x = number(io->seed, i), y = number(~io->seed, i);

      memcpy(io->input + (size_t)i * sizeof(x), &x, sizeof(x));
      memcpy(io->output + (size_t)i * sizeof(y), &y, sizeof(y));
   }
}

static void expect_saxpy(const struct benchmark *benchmark, const struct bench_variant *variant,
                         const struct bench_io *io, uint8_t *expected)
{
   float a;

   (void)variant;
   memcpy(&a, &benchmark->parameter, sizeof(a));
   for (uint32_t i = 0; i < io->threads; i++) {
      float x, y;

      memcpy(&x, io->input + (size_t)i * sizeof(x), sizeof(x));
      memcpy(&y, expected + (size_t)i * sizeof(y), sizeof(y));
      y = fmaf(a, x, y);
      memcpy(expected + (size_t)i * sizeof(y), &y, sizeof(y));
   }
}

static const struct benchmark benchmarks[] = {
    {"example", "saxpy", "y = a x + y over device memory: two words read, one written", .metrics = 1u << BENCH_RATE,
     .scale = BENCH_SCALE_THREADS, .source = "saxpy", .kernel = "saxpy",
     .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_PARAMETER}, .argument_count = 3, .parameter = SAXPY_A,
     .variants = {[BENCH_RATE] = {1, 1, 1}}, .codegen = {"ffma", ISA_OP_FFMA, 32, 2, 1, .whole_program = true},
     .work = 12, .work_unit = "GB/s", .input_stride = 4, .output_stride = 4, .fill = fill_saxpy,
     .expect = expect_saxpy},
};

const struct bench_group bench_example = BENCH_GROUP(benchmarks);
