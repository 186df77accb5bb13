/* SPDX-License-Identifier: MIT
 *
 * simd/: what one lane learns of the others.
 */
#ifdef BENCH_WITH_NIR
#include "compiler/nir.h"
#endif

#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"

/* All lanes read the same lane, another one in each step. Mesa knows that all lanes have the same value after that, and
 * would drop the next read. So the companion of the shuffle mixes in each lane's own operand. An index that is not
 * immediate would also cost a move to r0h (agx_lower_divergent_shuffle). */
static unsigned shuffle_source(unsigned index)
{
   return (index * 11 + 5) % BENCH_LANES;
}

static uint64_t host_shuffle(const struct bench_host_step *step)
{
   const unsigned lane = step->operation ? shuffle_source(step->index) : step->lane;

   return step->value->lane[lane] ^ bench_operand(step, step->index % BENCH_OPERANDS);
}

/* x = the lanes whose operand is x. The operands are a mask and its complement, so that x swaps between them. */
static void prepare_ballot(struct bench_inputs *inputs)
{
   const uint32_t mask = (uint32_t)inputs->operands[0].lane[0];

   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      inputs->operands[0].lane[lane] = mask >> lane & 1 ? ~mask : mask;
      for (unsigned c = 0; c < BENCH_CHAINS_MAX; c++) {
         inputs->first[c].lane[lane] = c % 2 == 0 ? mask : ~mask;
      }
   }
}

static uint64_t host_ballot(const struct bench_host_step *step)
{
   uint32_t mask = 0;

   for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
      mask |= (uint32_t)(step->value->lane[lane] == step->operands[0].lane[lane]) << lane;
   }
   return mask;
}

static uint64_t host_nonzero(const struct bench_host_step *step)
{
   uint64_t mask = bench_own(step);

   if (step->operation) {
      mask = 0;
      for (unsigned lane = 0; lane < BENCH_LANES; lane++) {
         mask |= (uint64_t)(step->value->lane[lane] != 0) << lane;
      }
   }
   return mask ^ bench_operand(step, step->index % BENCH_OPERANDS);
}

/* Like prepare_ballot(), but mask and complement are normal floats: neither NaN nor denormal. */
static void prepare_fballot(struct bench_inputs *inputs)
{
   inputs->operands[0].lane[0] = (inputs->operands[0].lane[0] & 0x7fffff) | 0x3f800000;
   prepare_ballot(inputs);
}

/* ---- NIR, in agx-compile alone ---- */

#ifdef BENCH_WITH_NIR
static nir_def *build_shuffle(nir_builder *b, const struct bench_nir_step *step)
{
   nir_def *value = step->value;

   if (step->operation) {
      value = nir_read_invocation(b, value, nir_imm_int(b, (int)shuffle_source(step->index)));
   }
   return nir_ixor(b, value, step->operands[step->index % BENCH_OPERANDS]);
}

static nir_def *build_ballot(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_ballot(b, 1, 32, nir_ieq(b, step->value, step->operands[0]));
}

/* The lanes whose value is not 0; each lane's own operand is mixed in. */
static nir_def *build_nonzero(nir_builder *b, const struct bench_nir_step *step)
{
   nir_def *value = step->value;

   if (step->operation) {
      value = nir_ballot(b, 1, 32, nir_ine_imm(b, value, 0));
   }
   return nir_ixor(b, value, step->operands[step->index % BENCH_OPERANDS]);
}

static nir_def *build_fballot(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_ballot(b, 1, 32, nir_feq(b, step->value, step->operands[0]));
}
#endif

/* clang-format off */
static const struct bench_chain nonzero = {BENCH_U32, .build = BENCH_NIR(build_nonzero), .host = host_nonzero};
static const struct bench_chain fballot = {BENCH_U32, .prepare = prepare_fballot, .build = BENCH_NIR(build_fballot),
                                           .host = host_ballot};
static const struct bench_chain shuffle = {BENCH_U32, .build = BENCH_NIR(build_shuffle), .host = host_shuffle};
static const struct bench_chain ballot = {BENCH_U32, .prepare = prepare_ballot, .build = BENCH_NIR(build_ballot),
                                          .host = host_ballot};

static const struct benchmark benchmarks[] = {
   {"simd", "shuffle32", "read another lane, the same for all", BENCH_CHAIN(shuffle, 16, 32),
    .codegen = {"shuffle", ISA_OP_SHUFFLE, 32, 1, 1, .companions = 1, .no_shadow = true},
    .reference = "simd/SHUFFLE_NOROTATE32"},
   {"simd", "ballot-nonzero", "collect the lanes' values that are not 0", BENCH_CHAIN(nonzero, 16, 32),
    .codegen = {"ballot", ISA_OP_ICMP_BALLOT, 32, 1, 1, .companions = 1, .no_shadow = true},
    .reference = "simd/BALLOT"},
   {"simd", "fcmp-ballot", "compare numbers and collect the lanes' answers", BENCH_CHAIN(fballot, 16, 32),
    .codegen = {"ballot", ISA_OP_FCMP_BALLOT, 32, 2, 1}, .reference = "simd/FCMP_BALLOT"},
   {"simd", "ballot", "compare and collect the lanes' answers", BENCH_CHAIN(ballot, 16, 32),
    .codegen = {"icmp_ballot", ISA_OP_ICMP_BALLOT, 32, 2, 1}, .reference = "simd/ICMP_BALLOT"},
};
/* clang-format on */

const struct bench_group bench_simd = BENCH_GROUP(benchmarks);
