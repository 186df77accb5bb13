/* SPDX-License-Identifier: MIT
 *
 * A chain benchmark on the host: what it is given, and what it must answer.
 *
 * The simdgroups' inputs repeat after PATTERNS of them, so that the answer to millions of threads is computed once for
 * a few.
 */
#include "nir_kernels/chain.h"

#include <math.h>
#include <string.h>

#include "nir_kernels/half.h"
#include "util/random.h"

#define PATTERNS 2

static uint32_t random_word(struct util_random *random)
{
   return (uint32_t)(util_random_next(random) >> 32);
}

float bench_single(uint64_t value)
{
   const uint32_t word = (uint32_t)value;
   float number;

   memcpy(&number, &word, sizeof(number));
   return number;
}

uint64_t bench_single_word(double number)
{
   const float single = (float)number;
   uint32_t word;

   memcpy(&word, &single, sizeof(word));
   return word;
}

double bench_number(enum bench_type type, uint64_t value)
{
   return type == BENCH_F16 ? bench_half_value((uint16_t)value) : (double)bench_single(value);
}

uint64_t bench_word(enum bench_type type, double number)
{
   return type == BENCH_F16 ? bench_half(number) : bench_single_word(number);
}

static void flatten(enum bench_type type, struct bench_inputs *inputs)
{
   for (unsigned c = 0; c < BENCH_CHAINS_MAX; c++) {
      for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
         const double x = bench_number(type, inputs->first[c].lane[lane]);
         inputs->first[c].lane[lane] = bench_word(type, 0.9 + (x - 1) / 10);
      }
   }
}

void bench_prepare_sinpi(struct bench_inputs *inputs)
{
   flatten(BENCH_F32, inputs);
}

void bench_prepare_sinpi16(struct bench_inputs *inputs)
{
   flatten(BENCH_F16, inputs);
}

/* A random value of an integer type, or one within 1..2. */
static uint64_t first_value(const struct bench_chain *chain, struct util_random *state)
{
   const uint32_t random = random_word(state);

   switch (chain->type) {
   case BENCH_U16:
      return random >> 16;
   case BENCH_U32:
      return random;
   case BENCH_U64:
      return (uint64_t)random << 32 | random_word(state);
   default:
      return bench_word(chain->type, 1.0 + random / 4294967296.0);
   }
}

static void make_inputs(const struct bench_chain *chain, uint64_t seed, struct bench_inputs *inputs)
{
   struct util_random state = {seed};

   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      for (unsigned c = 0; c < BENCH_CHAINS_MAX; c++) {
         inputs->first[c].lane[lane] = first_value(chain, &state);
      }
      for (unsigned i = 0; i < BENCH_OPERANDS; i++) {
         const uint64_t random = first_value(chain, &state);
         inputs->operands[i].lane[lane] =
             chain->type >= BENCH_U32 ? random : bench_word(chain->type, chain->operands[i]);
      }
   }
   if (chain->prepare != NULL) {
      chain->prepare(inputs);
   }
}

void bench_chain_fill(const struct benchmark *benchmark, const struct bench_io *io)
{
   const size_t word = bench_chain_word(benchmark->chain);
   struct bench_inputs inputs[PATTERNS];

   for (unsigned p = 0; p < PATTERNS; p++) {
      make_inputs(benchmark->chain, io->seed + p, &inputs[p]);
   }
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      const struct bench_inputs *from = &inputs[thread / BENCH_LANES % PATTERNS];
      uint8_t *to = io->input + (size_t)thread * benchmark->input_stride;

      /* Little-endian, as the device: the lower word of a value is its first. */
      for (unsigned i = 0; i < BENCH_CHAINS_MAX + BENCH_OPERANDS; i++) {
         const struct bench_lanes *lanes =
             i < BENCH_CHAINS_MAX ? &from->first[i] : &from->operands[i - BENCH_CHAINS_MAX];
         memcpy(to + i * word, &lanes->lane[thread % BENCH_LANES], word);
      }
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
   const size_t word = bench_chain_word(benchmark->chain);
   struct bench_inputs inputs[PATTERNS];

   for (unsigned p = 0; p < PATTERNS; p++) {
      make_inputs(benchmark->chain, io->seed + p, &inputs[p]);
      for (unsigned c = 0; c < variant->chains; c++) {
         run_chain(benchmark->chain, variant, io->iterations, inputs[p].operands, &inputs[p].first[c]);
      }
   }
   for (uint32_t thread = 0; thread < io->threads; thread++) {
      for (unsigned c = 0; c < variant->chains; c++) {
         const uint64_t value =
             inputs[thread / BENCH_LANES % PATTERNS].first[c].lane[thread % BENCH_LANES] ^ io->iterations;
         memcpy(expected + (size_t)thread * benchmark->output_stride + word * c, &value, word);
      }
   }
}

bool bench_chain_accept(const struct benchmark *benchmark, const struct bench_io *io, uint32_t got, uint32_t expected)
{
   const struct bench_chain *chain = benchmark->chain;
   const double a = bench_number(chain->type, got ^ io->iterations),
                b = bench_number(chain->type, expected ^ io->iterations);

   return chain->tolerance > 0 && fabs(a - b) <= chain->tolerance * fabs(b);
}
