/* SPDX-License-Identifier: MIT
 *
 * int/: 32-bit integer addition, multiplication, compare-and-select and bitwise operations.
 */
#ifdef BENCH_WITH_NIR
#include "compiler/nir.h"
#endif

#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"

static uint64_t host_iadd(const struct bench_host_step *step)
{
   return (uint32_t)(bench_own(step) + bench_operand(step, step->index % 2));
}

/* Odd factors: a product of even ones would soon be 0. */
static void prepare_imul(struct bench_inputs *inputs)
{
   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      inputs->operands[0].lane[lane] |= 1;
      inputs->operands[1].lane[lane] |= 1;
   }
}

static uint64_t host_imul(const struct bench_host_step *step)
{
   return (uint32_t)(bench_own(step) * bench_operand(step, step->index % 2));
}

static uint64_t host_icmpsel(const struct bench_host_step *step)
{
   const uint64_t limit = bench_operand(step, step->index % 2 == 0 ? 0 : 3);

   return bench_own(step) < limit ? bench_operand(step, 1) : bench_operand(step, 2);
}

static uint64_t host_bitwise(const struct bench_host_step *step)
{
   const uint64_t x = bench_own(step), y = bench_operand(step, step->index % BENCH_OPERANDS);
   const uint64_t results[BENCH_OPERANDS] = {x ^ y, x & y, x ^ y, x | y};

   return results[step->index % BENCH_OPERANDS];
}

/* ---- NIR, in agx-compile alone ---- */

#ifdef BENCH_WITH_NIR
static nir_def *build_iadd(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_iadd(b, step->value, step->operands[step->index % 2]);
}

static nir_def *build_imul(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_imul(b, step->value, step->operands[step->index % 2]);
}

/* x = x < a ? b : c, and in the next step with d for a: all orders of the four random operands occur. */
static nir_def *build_icmpsel(nir_builder *b, const struct bench_nir_step *step)
{
   nir_def *limit = step->operands[step->index % 2 == 0 ? 0 : 3];

   return nir_bcsel(b, nir_ult(b, step->value, limit), step->operands[1], step->operands[2]);
}

/* Exclusive or, and, or, in turn: with one operation alone the compiler could cancel steps. */
static nir_def *build_bitwise(nir_builder *b, const struct bench_nir_step *step)
{
   static const nir_op operations[BENCH_OPERANDS] = {nir_op_ixor, nir_op_iand, nir_op_ixor, nir_op_ior};
   const unsigned i = step->index % BENCH_OPERANDS;

   return nir_build_alu2(b, operations[i], step->value, step->operands[i]);
}
#endif

/* clang-format off */
static const struct bench_chain iadd = {BENCH_U32, .build = BENCH_NIR(build_iadd), .host = host_iadd};
static const struct bench_chain imul = {BENCH_U32, .prepare = prepare_imul, .build = BENCH_NIR(build_imul), .host = host_imul};
static const struct bench_chain icmpsel = {BENCH_U32, .build = BENCH_NIR(build_icmpsel), .host = host_icmpsel};
static const struct bench_chain bitwise = {BENCH_U32, .build = BENCH_NIR(build_bitwise), .host = host_bitwise};

static const struct benchmark benchmarks[] = {
   {"int", "iadd32", "add", BENCH_CHAIN(iadd, 16, 32),
    .codegen = {"iadd", ISA_OP_IADD, 32, 2, 1}, .reference = "int/IADD32"},
   {"int", "imul32", "multiply, low half of the product", BENCH_CHAIN(imul, 16, 32),
    .codegen = {"imadd", ISA_OP_IMADD, 32, 2, 1}, .reference = "int/IMUL32"},
   {"int", "icmpsel32", "compare and select", BENCH_CHAIN(icmpsel, 16, 32),
    .codegen = {"icmpsel", ISA_OP_ICMPSEL, 32, 4, 1}, .reference = "int/ICMPSEL32"},
   {"int", "bitwise32", "exclusive or, and, or", BENCH_CHAIN(bitwise, 16, 32),
    .codegen = {"bitop", ISA_OP_BITOP, 32, 2, 1}, .reference = "int/BITWISE32"},
};
/* clang-format on */

const struct bench_group bench_int = BENCH_GROUP(benchmarks);
