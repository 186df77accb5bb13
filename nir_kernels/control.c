/* SPDX-License-Identifier: MIT
 *
 * control/: chain.c's kernels without an operation. A raw latency is the adjusted latency plus the control kernel's
 * time divided by the number of repetitions (results/reference/calibration.csv).
 */
#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"

/* clang-format off */
static const struct bench_chain empty16 = {BENCH_U16};
static const struct bench_chain empty32 = {BENCH_U32};

/* One repetition without a step. What is counted is the loop's own counter. */
#define CONTROL(bits_, repetitions_)                                                                                   \
   {"control", "loop" #bits_ "-" #repetitions_, "a loop without operations, spread over " #repetitions_ " of them",    \
    .file = __FILE_NAME__, .metrics = 1u << BENCH_CONTROL, .scale = BENCH_SCALE_ITERATIONS, .chain = &empty##bits_,    \
    .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                   \
    .variants = {[BENCH_CONTROL] = {1, 1, 0}}, .control = {bits_, repetitions_},                                       \
    .codegen = {"iadd", ISA_OP_IADD, 32, 1, 1}, .input_stride = BENCH_CHAIN_INPUT_STRIDE,                              \
    .output_stride = BENCH_CHAIN_OUTPUT_STRIDE, .fill = bench_chain_fill, .expect = bench_chain_expect,                \
    .accept = bench_chain_accept}

static const struct benchmark benchmarks[] = {
   CONTROL(16, 1440), CONTROL(16, 720), CONTROL(16, 360), CONTROL(16, 240), CONTROL(16, 120),
   CONTROL(32, 1440), CONTROL(32, 720), CONTROL(32, 360), CONTROL(32, 240), CONTROL(32, 120),
};
/* clang-format on */

const struct bench_group bench_control = BENCH_GROUP(benchmarks);
