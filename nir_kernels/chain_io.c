/* SPDX-License-Identifier: MIT
 *
 * A chain benchmark on the host: what it is given, and what it must answer.
 *
 * The simdgroups' inputs repeat after PATTERNS of them, so that the answer to millions of threads is computed once for
 * a few.
 */
#include "nir_kernels/chain.h"

#include <string.h>

#include "nir_kernels/half.h"

#define PATTERNS 2

/* splitmix64, public domain (Vigna). */
static uint32_t random_word(uint64_t *state)
{
   uint64_t z = *state += 0x9e3779b97f4a7c15u;

   z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
   z = (z ^ z >> 27) * 0x94d049bb133111ebu;
   return (uint32_t)(z >> 32);
}

static uint32_t float_word(enum bench_type type, double value)
{
   if (type == BENCH_F16) {
      return bench_half(value);
   }
   const float single = (float)value;
   uint32_t word;
   memcpy(&word, &single, sizeof(word));
   return word;
}

static void make_inputs(const struct bench_chain *chain, uint64_t seed, struct bench_inputs *inputs)
{
   uint64_t state = seed;

   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      for (unsigned c = 0; c < BENCH_CHAINS_MAX; c++) {
         const uint32_t random = random_word(&state);
         inputs->first[c].lane[lane] =
             chain->type == BENCH_U32 ? random : float_word(chain->type, 1.0 + random / 4294967296.0);
      }
      for (unsigned i = 0; i < BENCH_OPERANDS; i++) {
         const uint32_t random = random_word(&state);
         inputs->operands[i].lane[lane] =
             chain->type == BENCH_U32 ? random : float_word(chain->type, chain->operands[i]);
      }
   }
   if (chain->prepare != NULL) {
      chain->prepare(inputs);
   }
}

bool bench_chain_has(const struct bench_variant *variant, unsigned index)
{
   return index * variant->repeat / variant->steps != (index + 1) * variant->repeat / variant->steps;
}

void bench_chain_fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   struct bench_inputs inputs[PATTERNS];

   for (unsigned p = 0; p < PATTERNS; p++) {
      make_inputs(benchmark->chain, io->seed + p, &inputs[p]);
   }
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const struct bench_inputs *from = &inputs[thread / BENCH_LANES % PATTERNS];
      uint32_t words[BENCH_CHAINS_MAX + BENCH_OPERANDS];

      for (unsigned c = 0; c < BENCH_CHAINS_MAX; c++) {
         words[c] = from->first[c].lane[thread % BENCH_LANES];
      }
      for (unsigned i = 0; i < BENCH_OPERANDS; i++) {
         words[BENCH_CHAINS_MAX + i] = from->operands[i].lane[thread % BENCH_LANES];
      }
      memcpy(io->input + (size_t)thread * sizeof(words), words, sizeof(words));
   }
   memset(io->output, 0, io->output_bytes);
}

static void run_chain(const struct bench_chain *chain, const struct bench_variant *variant, uint32_t iterations,
                      const struct bench_lanes *operands, struct bench_lanes *value)
{
   for (uint32_t iteration = 0; iteration < iterations; iteration++) {
      for (unsigned i = 0; i < variant->steps; i++) {
         const struct bench_lanes before = *value;
         struct bench_host_step step = {
             .value = &before, .operands = operands, .index = i, .operation = bench_chain_has(variant, i)};

         for (step.lane = 0; step.lane < BENCH_LANES; step.lane++) {
            value->lane[step.lane] = chain->host(&step);
         }
      }
   }
}

void bench_chain_expect(const struct benchmark *benchmark, const struct bench_variant *variant,
                        const struct bench_io *io, uint8_t *expected)
{
   struct bench_inputs inputs[PATTERNS];

   for (unsigned p = 0; p < PATTERNS; p++) {
      make_inputs(benchmark->chain, io->seed + p, &inputs[p]);
      for (unsigned c = 0; c < variant->chains; c++) {
         run_chain(benchmark->chain, variant, io->iterations, inputs[p].operands, &inputs[p].first[c]);
      }
   }
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      for (unsigned c = 0; c < variant->chains; c++) {
         const uint32_t word =
             inputs[thread / BENCH_LANES % PATTERNS].first[c].lane[thread % BENCH_LANES] ^ io->iterations;
         memcpy(expected + (size_t)thread * BENCH_CHAIN_OUTPUT_STRIDE + 4 * c, &word, sizeof(word));
      }
   }
}
