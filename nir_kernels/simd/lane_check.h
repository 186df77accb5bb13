/* SPDX-License-Identifier: MIT
 *
 * simd/ and quad/, subtests: checks of ballots, votes, reductions and scans (spec/isa.md 4.7, 4.7b). lane_check.c has
 * those that Mesa emits, quad_scan_agx.c the rest, lane_check_io.c is the host's side of both.
 *
 * A thread reads its value, the initial value of its result, and whether it is active. Active lanes compute.
 */
#ifndef NIR_KERNELS_LANE_CHECK_H
#define NIR_KERNELS_LANE_CHECK_H

#include "nir_kernels/benchmark.h"

enum lane_kind {
   LANE_REDUCE,
   LANE_EXCLUSIVE,
   LANE_INCLUSIVE,
   /* Of the value's lowest bit: */
   LANE_BALLOT,
   LANE_ANY,
   LANE_ALL,
   LANE_EQUAL, /* do all lanes hold the same? */
   LANE_ELECT, /* is it the first? */
   LANE_FIRST, /* the first one's value */
};
enum lane_op {
   LANE_AND,
   LANE_OR,
   LANE_XOR,
   LANE_IADD,
   LANE_IMUL,
   LANE_SMIN,
   LANE_SMAX,
   LANE_UMIN,
   LANE_UMAX,
   LANE_FADD, /* floats from here on */
   LANE_FMUL,
   LANE_FMIN,
   LANE_FMAX,
};

struct lane_check {
   enum lane_kind kind;
   enum lane_op op;
   uint8_t bits;  /* 16 or 32 */
   uint8_t lanes; /* 32, or 4: a quad */
   bool masked;   /* some lanes do not take part */
   bool constant; /* the value is LANE_CONSTANT, which the machine code holds as an immediate */
};

#define LANE_INPUT_STRIDE 16
#define LANE_CONSTANT 5
void lane_check_fill(const struct benchmark *benchmark, const struct bench_io *io);
void lane_check_expect(const struct benchmark *benchmark, const struct bench_variant *variant,
                       const struct bench_io *io, uint8_t *expected);
bool lane_check_accept(const struct benchmark *benchmark, const struct bench_io *io, uint32_t got, uint32_t expected);

#define LANE_CHECK                                                                                                     \
   .file = __FILE_NAME__, .metrics = 1u << BENCH_CHECK, .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS},    \
   .argument_count = 3, .variants = {[BENCH_CHECK] = {1, 1, 1}},                                                       \
   .dispatch = {.group = 64, .groups = 16, .iterations = 1}, .input_stride = LANE_INPUT_STRIDE, .output_stride = 4,    \
   .fill = lane_check_fill, .expect = lane_check_expect, .accept = lane_check_accept

#endif
