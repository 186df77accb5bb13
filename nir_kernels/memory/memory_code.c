/* SPDX-License-Identifier: MIT
 *
 * memory/code-*: how fast a core runs a loop of straight code, by the bytes of the loop. It falls where the loop no
 * longer fits the instruction cache. With one simdgroup a scheduler nothing hides a fetch; with six others do.
 *
 * Invariant: every operation of the loop counts one in the answer.
 */
#include <stdio.h>
#include <string.h>

#include "nir_kernels/agx_text.h"
#include "nir_kernels/groups.h"

#define OPERATION 8u /* bytes of an ffma */
#define CHAINS 8u    /* so that no operation waits for another */
#define AROUND 192u  /* bytes that the program takes beside them, at most */
#define COUNT(bytes) (((bytes)-AROUND) / OPERATION / CHAINS * CHAINS)

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   memset(io->input, 0, io->input_bytes);
   memset(io->output, 0, io->output_bytes);
}

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   const float sum = (float)((uint64_t)io->iterations * variant->repeat);

   (void)benchmark;
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      memcpy(expected + (size_t)thread * sizeof(sum), &sum, sizeof(sum));
   }
}

/* clang-format off */
static const char text[] =
   AGX_BEGIN("code")
   "   fadd     r3, 1.0, 0.0\n"
   ".rept 8, i\n"
   "   ldimm    r[8 + i], 0\n"
   ".endr\n"
   AGX_LOOP
   ".rept COUNT, i\n"
   "   ffma     r[8 + i % 8], r[8 + i % 8], r3, r3\n"
   ".endr\n"
   AGX_LOOP_END
   ".rept 7, i\n"
   "   fadd     r8, r8, r[9 + i]\n"
   ".endr\n"
   "   store    r8, du2, r2, i32, x, a\n"
   "   wait     a\n"
   AGX_END;
/* clang-format on */

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   char *whole = NULL;

   (void)benchmark;
   return asprintf(&whole, ".equ COUNT, %u\n%s", variant->repeat, text) < 0 ? NULL : whole;
}

/* clang-format off */
#define CODE(name_, what, bytes, ...)                                                                                  \
   {"memory", name_, what, .file = __FILE_NAME__, .metrics = 1u << BENCH_RATE, .scale = BENCH_SCALE_ITERATIONS,        \
    .text = make_text, .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                \
    .variants = {[BENCH_RATE] = {COUNT(bytes), 1, COUNT(bytes)}},                                                      \
    .codegen = {"ffma", ISA_OP_FFMA, .registers = BENCH_ANY, .per_operation = 1}, .per_cycle = true,                   \
    .work_unit = "op/cycle/core", .input_stride = 4, .output_stride = 4, .fill = fill, .expect = expect,        \
    __VA_ARGS__}
#define ALONE(size, bytes) \
   CODE("code-" size, "operations of a loop of " size " of code, one simdgroup a scheduler", bytes, .occupancy = BENCH_ALONE)
#define FULL(size, bytes) \
   CODE("code-full-" size, "operations of a loop of " size " of code, six simdgroups a scheduler", bytes)

static const struct benchmark benchmarks[] = {
   ALONE("1k", 1024u), ALONE("4k", 4096u), ALONE("8k", 8192u), ALONE("10k", 10240u), ALONE("12k", 12288u),
   ALONE("14k", 14336u), ALONE("16k", 16384u), ALONE("24k", 24576u), ALONE("32k", 32768u), ALONE("64k", 65536u),
   FULL("8k", 8192u), FULL("16k", 16384u), FULL("64k", 65536u),
};
/* clang-format on */

const struct bench_group bench_memory_code = BENCH_GROUP(benchmarks);
