/* SPDX-License-Identifier: MIT
 *
 * The kernels of precision/: each thread applies one function to its arguments and stores the result. Invariant: a
 * thread reads and writes the elements of its own number only.
 */
#include "nir_kernels/precision/precision.h"

#ifdef BENCH_WITH_NIR
#include "compiler/nir.h"
#endif

#include "nir_kernels/groups.h"

#define PI 3.14159265358979323846

#ifdef BENCH_WITH_NIR
static nir_def *apply(nir_builder *b, enum precision_function function, nir_def *x, nir_def *y)
{
   switch (function) {
   case PRECISION_RCP:
      return nir_frcp(b, x);
   case PRECISION_RSQRT:
      return nir_frsq(b, x);
   case PRECISION_LOG2:
      return nir_flog2(b, x);
   case PRECISION_EXP2:
      return nir_fexp2(b, x);
   case PRECISION_SIN:
      return nir_fsin(b, x);
   case PRECISION_SQRT:
      return nir_fsqrt(b, x);
   default:
      return nir_fdiv(b, x, y);
   }
}

static void build(nir_builder *b, const struct benchmark *benchmark)
{
   const struct precision *precision = benchmark->data;
   nir_def *thread = nir_u2u64(b, nir_channel(b, nir_load_global_invocation_id(b, 32), 0));
   nir_def *words = compat_load_global(
       b, nir_iadd(b, compiler_nir_argument(b, 0), nir_imul_imm(b, thread, PRECISION_INPUT_STRIDE)), 8, 2, 32);
   nir_def *x = nir_u2uN(b, nir_channel(b, words, 0), precision->bits);
   nir_def *y = nir_u2uN(b, nir_channel(b, words, 1), precision->bits);

   compat_store_global(b, nir_iadd(b, compiler_nir_argument(b, 1), nir_imul_imm(b, thread, 4)), 4,
                       nir_u2u32(b, apply(b, precision->function, x, y)), 1);
}
#endif

/* clang-format off */
#define METRICS (1u << BENCH_CHECK | 1u << BENCH_MAX_ERROR | 1u << BENCH_MEAN_ERROR)
/* The limits of what is judged, members of struct precision, stand in parentheses. */
#define PLAIN(...) __VA_ARGS__
#define ROW(name_, what, groups_, bits_, function_, allowed_, limits, ...)                                             \
   {"precision", name_, what, .file = __FILE_NAME__, .metrics = METRICS,                                               \
    .data = &(const struct precision){.function = PRECISION_##function_, .bits = bits_, .allowed = allowed_,           \
                                      PLAIN limits},                                                                   \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                   \
    .variants = {[BENCH_CHECK] = {1, 1, 1}, [BENCH_MAX_ERROR] = {1, 1, 1}, [BENCH_MEAN_ERROR] = {1, 1, 1}},            \
    .dispatch = {.group = 256, .groups = groups_, .iterations = 1}, .input_stride = PRECISION_INPUT_STRIDE,                \
    .output_stride = 4, .fill = precision_fill, .figure = precision_figure, __VA_ARGS__},
#define NATIVE(instruction, op)                                                                                        \
   .nir = BENCH_NIR(build), .codegen = {instruction, op, .registers = BENCH_ANY, .per_operation = 1, .whole_program = true}
#define PRECISE(kernel_) .source = "precision", .kernel = kernel_
#define ALL_HALVES 256
#define MILLION 4096
/* Half precision: all inputs; of divisions each numerator with 16 denominators. ulp: how far OpenCL C 3.0, 7.4, lets a
 * single-precision function be off, 0: not said. */
#define FUNCTION(name_, dash, end, what, halves, ulp, function_, native, precise, instruction, op)                     \
   ROW(name_ dash "16" end, what ", half precision", halves, 16, function_, 0, native, NATIVE(instruction, op))        \
   ROW(name_ dash "32" end, what, MILLION, 32, function_, 0, native, NATIVE(instruction, op))                          \
   ROW(name_ dash "16-precise" end, what ", half precision, as OpenCL C has it", halves, 16, function_, 0, precise,    \
       PRECISE(name_ "16"))                                                                                            \
   ROW(name_ dash "32-precise" end, what ", as OpenCL C has it", MILLION, 32, function_, ulp, precise,                 \
       PRECISE(name_ "32"))

static const struct benchmark benchmarks[] = {
   FUNCTION("rcp", "", "", "1 / x", ALL_HALVES, 2.5, RCP, (), (), "rcp", ISA_OP_RCP)
   FUNCTION("rsqrt", "", "", "1 / sqrt(x)", ALL_HALVES, 2, RSQRT, (), (), "rsqrt", ISA_OP_RSQRT)
   FUNCTION("log2", "-", "", "logarithm to the base 2", ALL_HALVES, 3, LOG2, (), (), "log2", ISA_OP_LOG2)
   FUNCTION("exp2", "-", "", "power of 2", ALL_HALVES, 3, EXP2, (), (), "exp2", ISA_OP_EXP2)
   FUNCTION("sin", "", "", "sine; if not precise, of -pi to pi, in units of a half's last place at least", ALL_HALVES,
            4, SIN, (.within = PI, .coarse = true), (), "sinc", ISA_OP_SIN_PT_2)
   FUNCTION("sqrt", "", "", "square root", ALL_HALVES, 3, SQRT, (), (), "rsqrts", ISA_OP_RSQRTS)
   FUNCTION("div", "", "", "x / y where 1 / y is a normal number", 16 * ALL_HALVES, 2.5, DIV, (.ordinary = true),
            (.ordinary = true), "rcp", ISA_OP_RCP)
   FUNCTION("div", "", "-all", "x / y", 16 * ALL_HALVES, 0, DIV, (), (), "rcp", ISA_OP_RCP)
};
/* clang-format on */

const struct bench_group bench_precision = BENCH_GROUP(benchmarks);
