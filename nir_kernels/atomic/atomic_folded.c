/* SPDX-License-Identifier: MIT
 *
 * atomic/local-*-source, -folded: the same OpenCL C without and with Mesa's uniform-atomic optimisation, which makes of
 * a simdgroup's atomics on one word a reduction and one atomic. As of Mesa 25.0.7 it does so for threadgroup memory
 * alone. The kernels are in atomic_folded.cl.
 */
#include <string.h>

#include "isa/isa.h"
#include "nir_kernels/groups.h"

#define UNROLLED 8 /* operations of an iteration */
#define INITIAL 0x5a5a1234u

static void fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   (void)benchmark;
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const uint32_t word = (uint32_t)(io->seed + thread) * 0x9e3779b9u;
      memcpy(io->input + (size_t)thread * sizeof(word), &word, sizeof(word));
   }
   memset(io->output, 0, io->output_bytes);
}

static uint32_t apply(enum isa_atomic code, uint32_t old, uint32_t value)
{
   switch (code) {
   case ISA_ATOMIC_ADD:
      return old + value;
   case ISA_ATOMIC_UMIN:
      return value < old ? value : old;
   case ISA_ATOMIC_UMAX:
      return value > old ? value : old;
   case ISA_ATOMIC_IMIN:
      return (int32_t)value < (int32_t)old ? value : old;
   case ISA_ATOMIC_IMAX:
      return (int32_t)value > (int32_t)old ? value : old;
   case ISA_ATOMIC_AND:
      return old & value;
   case ISA_ATOMIC_OR:
      return old | value;
   default:
      return old ^ value;
   }
}

static void expect(const struct benchmark *benchmark, const struct bench_variant *variant, const struct bench_io *io,
                   uint8_t *expected)
{
   const enum isa_atomic *code = benchmark->data;

   (void)variant;
   for (uint32_t first = 0; first < io->threads; first += io->group) {
      uint32_t word = INITIAL;

      for (uint32_t thread = first; thread < first + io->group; thread++) {
         uint32_t value;

         memcpy(&value, io->input + (size_t)thread * sizeof(value), sizeof(value));
         for (uint64_t i = 0; i < (uint64_t)io->iterations * UNROLLED; i++) {
            value = value * 1664525u + 1013904223u;
            word = apply(*code, word, value);
         }
      }
      for (uint32_t thread = first; thread < first + io->group; thread++) {
         memcpy(expected + (size_t)thread * sizeof(word), &word, sizeof(word));
      }
   }
}

/* clang-format off */
#define ROW(name_, what, kernel_, metrics_, fold, code)                                                                \
   {"atomic", name_, what, .metrics = metrics_, .scale = BENCH_SCALE_ITERATIONS, .source = "atomic_folded",            \
    .kernel = kernel_, .fold_atomics = fold, .data = &(const enum isa_atomic){code},                                   \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS, BENCH_PARAMETER}, .argument_count = 4, .parameter = 0,  \
    .variants = {[BENCH_RATE] = {UNROLLED, 1, UNROLLED}, [BENCH_LATENCY] = {UNROLLED, 1, UNROLLED}},                   \
    .codegen = {"latomic", ISA_OP_LATOMIC, .registers = BENCH_ANY, .per_operation = 1}, .per_cycle = true,             \
    .work_unit = "op/cycle/core", .input_stride = 4, .output_stride = 4, .fill = fill, .expect = expect},
#define RATE (1u << BENCH_RATE)
#define BOTH (1u << BENCH_RATE | 1u << BENCH_LATENCY)
#define OPERATION(op, code)                                                                                            \
   ROW("local-" op "-source", op " on one word of threadgroup memory, as written", op, RATE, false, code)              \
   ROW("local-" op "-folded", op " on one word of threadgroup memory, Mesa's uniform-atomic optimisation", op, RATE,   \
       true, code)                                                                                                     \
   ROW("local-" op "-source-return", op " on one word of threadgroup memory, as written, old value used",              \
       op "_return", BOTH, false, code)                                                                                \
   ROW("local-" op "-folded-return",                                                                                   \
       op " on one word of threadgroup memory, Mesa's uniform-atomic optimisation, old value used", op "_return",      \
       BOTH, true, code)

static const struct benchmark benchmarks[] = {
   OPERATION("add", ISA_ATOMIC_ADD)
   OPERATION("umin", ISA_ATOMIC_UMIN)
   OPERATION("umax", ISA_ATOMIC_UMAX)
   OPERATION("imin", ISA_ATOMIC_IMIN)
   OPERATION("imax", ISA_ATOMIC_IMAX)
   OPERATION("and", ISA_ATOMIC_AND)
   OPERATION("or", ISA_ATOMIC_OR)
   OPERATION("xor", ISA_ATOMIC_XOR)
};
/* clang-format on */

const struct bench_group bench_atomic_folded = BENCH_GROUP(benchmarks);
