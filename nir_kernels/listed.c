/* SPDX-License-Identifier: MIT
 *
 * The published sequences whose instructions the source lists, assembled as listed (operations.c). Mesa makes other
 * code of the same source-level operations, which float_source.c and int_source.c measure.
 *
 * The host does not compute these answers. The two programs are checked against each other, run for the same number of
 * operations.
 */
#include "nir_kernels/groups.h"
#include "nir_kernels/mix.h"

static char *make_text(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   struct bench_mix mix;
   char why[160];
   size_t size;

   return bench_mix_parse(benchmark->data, variant->chains, 0, &mix, why, sizeof(why)) < 0
              ? NULL
              : bench_mix_text(&mix, variant->repeat, &size);
}

/* clang-format off */
#define LISTED(group_, name_, what, row, throughput, latency, sequence_)                                               \
   SEQUENCE(group_, name_, what ", as the source lists it", row, throughput, latency, sequence_, true)
#define AGX(group_, name_, what, row, throughput, latency, sequence_)                                                  \
   SEQUENCE(group_, name_, what, row, throughput, latency, sequence_, false)
#define SEQUENCE(group_, name_, what, row, throughput, latency, sequence_, listed_)                                    \
   {group_, name_, what, .file = __FILE_NAME__,                                                                        \
    .metrics = 1u << BENCH_THROUGHPUT | 1u << BENCH_LATENCY | 1u << BENCH_RAW_LATENCY, .scale = BENCH_SCALE_REPEAT,    \
    .text = make_text, .data = group_ "/" row, .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS},             \
    .argument_count = 3,                                                                                               \
    .variants = {[BENCH_THROUGHPUT] = {throughput, 4, throughput}, [BENCH_LATENCY] = {latency, 1, latency},            \
                 [BENCH_RAW_LATENCY] = {latency, 1, latency}},                                                         \
    .codegen = {.sequence = sequence_, .listed = listed_}, .reference = group_ "/" row,                                   \
    .input_stride = BENCH_MIX_INPUT_STRIDE, .output_stride = BENCH_MIX_OUTPUT_STRIDE, .fill = bench_mix_fill}

static const struct benchmark benchmarks[] = {
   LISTED("float", "fract32-listed", "x - trunc(x)", "FRACT32", 16, 32, "fadd, trunc"),
   LISTED("float", "div32-listed", "b / x", "DIV32", 16, 32, "fmul, rcp"),
   LISTED("float", "sin32-listed", "sine", "SIN32", 8, 16, "fadd, ffma, fmul, sinc, sinr, trunc"),
   LISTED("float", "cos32-listed", "cosine", "COS32", 8, 16, "fadd, ffma, fmul, sinc, sinr, trunc"),
   LISTED("int", "mad-hi16-listed", "high half of a 16-bit product", "IMADHI16", 16, 32, "imul, mov"),
   LISTED("int", "bitwise-add32-listed", "exclusive or, then add", "BITWISE32 + ADD32", 16, 32, "iadd, xor"),
   AGX("int", "bitinsert-add32-split", "insert bits by a mask, a shift and an or, then add", "BITINSERT32 + ADD32", 16, 32,
       "and, bfi, iadd, or"),
   LISTED("int", "iadd-32-32-64-listed", "32 + 32 bits to 64", "IADD(32+32=64)", 16, 32, "csel, iadd, ldimm"),
   LISTED("int", "iadd-64-32-64-listed", "64 + 32 bits", "IADD(64+32=64)", 16, 32, "csel, 2 iadd"),
   LISTED("int", "iadd64-listed", "64 + 64 bits", "IADD(64+64=64)", 8, 16, "csel, 3 iadd"),
};
/* clang-format on */

const struct bench_group bench_listed = BENCH_GROUP(benchmarks);
