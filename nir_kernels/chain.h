/* SPDX-License-Identifier: MIT
 *
 * Dependent chains in a loop: the shape of all instruction benchmarks. Each lane loads the chains' first values and
 * four operands from its part of the input, so that nothing is known to the compiler; a loop runs every chain `steps`
 * steps; each chain's last value is stored, mixed with the loop counter so that a lost iteration shows.
 */
#ifndef NIR_KERNELS_CHAIN_H
#define NIR_KERNELS_CHAIN_H

#include "nir_kernels/benchmark.h"

#define BENCH_CHAINS_MAX 4
#define BENCH_OPERANDS 4
#define BENCH_LANES 32
#define BENCH_CHAIN_INPUT_STRIDE (4 * (BENCH_CHAINS_MAX + BENCH_OPERANDS))
#define BENCH_CHAIN_OUTPUT_STRIDE (4 * BENCH_CHAINS_MAX)

struct nir_builder;
struct nir_def;

/* One value for each lane of a simdgroup. */
struct bench_lanes {
   uint64_t lane[BENCH_LANES];
};

/* All inputs of a simdgroup. */
struct bench_inputs {
   struct bench_lanes first[BENCH_CHAINS_MAX];
   struct bench_lanes operands[BENCH_OPERANDS];
};

/* One step of a chain: `index` is its number in the loop body. Without the operation (see bench_variant.steps) only the
 * companion is wanted; chains that have none never see that. In NIR: */
struct bench_nir_step {
   struct nir_def *value;
   struct nir_def *const *operands;
   unsigned index;
   bool operation;
};

/* The same on the host, for one lane of a simdgroup. */
struct bench_host_step {
   const struct bench_lanes *value;
   const struct bench_lanes *operands;
   unsigned lane;
   unsigned index;
   bool operation;
};

static inline uint64_t bench_own(const struct bench_host_step *step)
{
   return step->value->lane[step->lane];
}

static inline uint64_t bench_operand(const struct bench_host_step *step, unsigned operand)
{
   return step->operands[operand].lane[step->lane];
}

enum bench_type { BENCH_F32, BENCH_F16, BENCH_U32, BENCH_U16, BENCH_U64 };

/* One of build, agx, or a `source` of the benchmark. Without agx and source it is NIR. */
struct bench_chain {
   enum bench_type type; /* of values and operands; in memory each takes a 32-bit word, BENCH_U64 two */

   /* The operands of float chains: the same for all lanes, rounded to the type. First values lie in 1..2. */
   double operands[BENCH_OPERANDS];
   /* Relative tolerance of the answer, for results that the hardware does not round to nearest. 0: every bit counts. */
   double tolerance;
   bool inexact; /* NIR: the compiler need not round every step to the nearest */
   /* Integer chains: overwrites the random inputs that need other values. May be NULL. */
   void (*prepare)(struct bench_inputs *inputs);

   struct nir_def *(*build)(struct nir_builder *b, const struct bench_nir_step *step); /* BENCH_NIR() */
   /* Assembly: the operation and its companion, with i the step's number, c the chain's, r[4 + c] its value and
    * r[8 + j] operand j; 64-bit values and operands lie in pairs (chain_agx.c). */
   const char *agx, *agx_companion;
   uint64_t (*host)(const struct bench_host_step *step);
};

/* Bytes of a value in memory. */
static inline size_t bench_chain_word(const struct bench_chain *chain)
{
   return chain->type == BENCH_U64 ? 8 : 4;
}

/* A chain's prepare(): first values of single (of half) precision from 1..2 to 0.9..1, which less a half is where
 * sin(pi x) is flat. */
void bench_prepare_sinpi(struct bench_inputs *inputs);
void bench_prepare_sinpi16(struct bench_inputs *inputs);

/* Values as numbers, and back; the type's rounding. */
float bench_single(uint64_t value);
uint64_t bench_single_word(double number);
double bench_number(enum bench_type type, uint64_t value);
uint64_t bench_word(enum bench_type type, double number);

/* Is the operation in step `index`? What builds the chain and what computes its answer both ask. */
static inline bool bench_chain_has(const struct bench_variant *variant, unsigned index)
{
   return index * variant->repeat / variant->steps != (index + 1) * variant->repeat / variant->steps;
}

/* For compiler_nir(); data is a struct bench_chain_job. */
struct bench_chain_job {
   const struct benchmark *benchmark;
   struct bench_variant variant;
};
void bench_chain_build(struct nir_builder *b, const void *data);
extern const struct agx_argument bench_chain_arguments[3];

/* The .agx text of a chain of assembly; free() it. NULL: out of memory. */
char *bench_chain_agx(const struct bench_chain *chain, const struct bench_variant *variant);

/* fill, expect and accept of struct benchmark, for chains. */
void bench_chain_fill(const struct benchmark *benchmark, const struct bench_io *io);
void bench_chain_expect(const struct benchmark *benchmark, const struct bench_variant *variant,
                        const struct bench_io *io, uint8_t *expected);
bool bench_chain_accept(const struct benchmark *benchmark, const struct bench_io *io, uint32_t got, uint32_t expected);

/* The members that all chain benchmarks share. The two numbers are the operations of the first program: in each of 4
 * chains for throughput, in one chain for latency. The second program has twice as many. */
#define BENCH_CHAIN(chain_, throughput, latency) BENCH_CHAIN_OF(1, chain_, throughput, latency)
#define BENCH_CHAIN_OF(words, chain_, throughput, latency)                                                             \
   .file = __FILE_NAME__, .metrics = 1u << BENCH_THROUGHPUT | 1u << BENCH_LATENCY | 1u << BENCH_RAW_LATENCY,           \
   .scale = BENCH_SCALE_REPEAT, .chain = &(chain_),                                                                    \
   .variants = {[BENCH_THROUGHPUT] = {throughput, 4, throughput},                                                      \
                [BENCH_LATENCY] = {latency, 1, latency},                                                               \
                [BENCH_RAW_LATENCY] = {latency, 1, latency}},                                                          \
   .arguments = {BENCH_INPUT, BENCH_OUTPUT, BENCH_ITERATIONS}, .argument_count = 3,                                    \
   .input_stride = (words)*BENCH_CHAIN_INPUT_STRIDE, .output_stride = (words)*BENCH_CHAIN_OUTPUT_STRIDE,               \
   .fill = bench_chain_fill, .expect = bench_chain_expect, .accept = bench_chain_accept

/* A chain whose steps are the kernels `function`_t1, _t2, _l1 and _l2 of the OpenCL C file `file` (source.clh). */
#define BENCH_SOURCE(chain_, file, function, throughput, latency)                                                      \
   BENCH_CHAIN(chain_, throughput, latency), .source = (file), .kernel = (function)
/* The same of 64-bit values. */
#define BENCH_SOURCE_WIDE(chain_, file, function, throughput, latency)                                                 \
   BENCH_CHAIN_OF(2, chain_, throughput, latency), .source = (file), .kernel = (function)

#endif
