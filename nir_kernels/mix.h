/* SPDX-License-Identifier: MIT
 *
 * A mix of operations as a benchmark: "IMUL32*1;IADD32*3". Each occurrence of an operation is a chain of its own, and
 * there are `ilp` copies of all chains. The instructions of one pass are interleaved: first the first instruction of
 * every chain, then the second instruction of every chain that has one, and so on.
 */
#ifndef NIR_KERNELS_MIX_H
#define NIR_KERNELS_MIX_H

#include "nir_kernels/benchmark.h"
#include "nir_kernels/operations.h"

#define BENCH_MIX_ITEMS 32
#define BENCH_MIX_COUNT_MAX 999u
#define BENCH_MIX_ILP_MAX 8u
#define BENCH_MIX_SIMDS 24u /* a core: the least at which the source saw the ALUs full (pipelines.md) */
#define BENCH_MIX_SIMDS_MAX 96u
/* Bytes a thread: the operands; all chains mixed together. */
#define BENCH_MIX_INPUT_STRIDE 16
#define BENCH_MIX_OUTPUT_STRIDE 4

struct bench_mix_item {
   const struct bench_operation *operation;
   unsigned count;
   unsigned sets;  /* of registers: chains that are independent, at most count * ilp */
   unsigned first; /* register of the first set */
   unsigned words; /* of a set */
};

struct bench_mix {
   struct benchmark benchmark;
   struct bench_mix_item items[BENCH_MIX_ITEMS];
   unsigned count, ilp;
   unsigned registers;    /* that chains take */
   unsigned instructions; /* of one pass */
   struct bench_occupancy occupancy;
};

/* Reads a mix: names of operations, each with an optional "*COUNT", separated by ';' . ilp and simds: 0 for the
 * default. 0; -EINVAL: `why` says what is wrong. */
int bench_mix_parse(const char *text, unsigned ilp, unsigned simds, struct bench_mix *mix, char *why, size_t why_size);

/* A loop with `passes` passes as .agx text; free() it. NULL: out of memory. */
char *bench_mix_text(const struct bench_mix *mix, unsigned passes, size_t *size);
/* The code of it: 0, -EINVAL (see the result's log) or -ENOMEM. */
int bench_mix_build(const struct bench_mix *mix, unsigned passes, struct compiler_result *result);

/* A mix's fill() of struct benchmark: floats in 1..2. */
void bench_mix_fill(const struct benchmark *benchmark, const struct bench_io *io);

/* Checks each instruction of the loop's body: `passes` passes, the loop's own three instructions, and no others.
 * *expected and *found count the passes' instructions. False: `why` names the first unexpected one. */
bool bench_mix_check(const struct bench_mix *mix, unsigned passes, const struct agx_program *program,
                     unsigned *expected, unsigned *found, char *why, size_t why_size);

#endif
