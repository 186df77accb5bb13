/* SPDX-License-Identifier: MIT
 *
 * Chains that are broken, of every benchmark: the operation gone, a constant in its place, another's code, a pass less.
 * The code check must refuse each. codegen.c takes repetitions away.
 */
#include "compiler/nir.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/codecheck.h"
#include "agx_runner/measure/measure.h"
#include "nir_kernels/chain.h"
#include "nir_kernels/mix.h"
#include "tests/check.h"

/* Which kinds of kernels were seen, so that none is left out unnoticed. */
struct seen {
   unsigned nir, assembly, source, mixes;
};

static enum bench_metric first_metric(const struct benchmark *benchmark)
{
   enum bench_metric metric = 0;

   while (!(benchmark->metrics & 1u << metric)) {
      metric++;
   }
   return metric;
}

/* Does the code check refuse what is built of `spoiled`, if it builds? */
static void refuse(const struct benchmark *spoiled, const char *what)
{
   const struct compiler_options options = {.keep_atomics = true};
   struct compiler_result results[2] = {0};
   struct bench_variant variants[2];
   unsigned expected, found;
   bool built = true;
   char why[512] = "";

   metric_variants(spoiled, first_metric(spoiled), variants);
   for (unsigned i = 0; i < 2; i++) {
      built &= bench_build(spoiled, &variants[i], &options, &results[i]) == 0;
   }
   CHECK(built, "%s/%s, %s: %s", spoiled->group, spoiled->name, what,
         results[0].log != NULL ? results[0].log : "not built");
   if (built) {
      const struct agx_program *const programs[2] = {results[0].programs[0], results[1].programs[0]};

      CHECK(!codecheck_pair(spoiled, variants, programs, &expected, &found, why, sizeof(why)) &&
                strstr(why, "invalid codegen") != NULL,
            "%s/%s, %s: accepted", spoiled->group, spoiled->name, what);
   }
   compiler_result_finish(&results[0]);
   compiler_result_finish(&results[1]);
}

static nir_def *build_operand(nir_builder *b, const struct bench_nir_step *step)
{
   (void)b;
   return step->operands[step->index % BENCH_OPERANDS];
}

static nir_def *build_constant(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_imm_intN_t(b, 1 + step->index, step->value->bit_size);
}

static nir_def *build_nothing(nir_builder *b, const struct bench_nir_step *step)
{
   (void)b;
   return step->value;
}

static void spoil_nir(const struct benchmark *benchmark)
{
   static const struct {
      const char *what;
      nir_def *(*build)(nir_builder *b, const struct bench_nir_step *step);
   } ways[] = {
       {"an operand for the operation", build_operand},
       {"a constant for the operation", build_constant},
       {"no operation", build_nothing},
   };

   for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
      struct bench_chain chain = *benchmark->chain;
      struct benchmark spoiled = *benchmark;

      chain.build = ways[i].build;
      spoiled.chain = &chain;
      refuse(&spoiled, ways[i].what);
   }
}

static void spoil_assembly(const struct benchmark *benchmark)
{
   static const char *const lines[] = {"ldimm r[4 + c], 1", "mov r[4 + c], r8", ""};

   for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
      struct bench_chain chain = *benchmark->chain;
      struct benchmark spoiled = *benchmark;

      chain.agx = lines[i];
      spoiled.chain = &chain;
      refuse(&spoiled, lines[i][0] != '\0' ? lines[i] : "no operation");
   }
}

/* Another kernel of the same file, built as often: what a compiler might have made of it. */
static void spoil_source(const struct benchmark *benchmark)
{
   for (size_t i = 0; i < bench_count(); i++) {
      const struct benchmark *other = bench_at(i);

      if (other->source != NULL && !strcmp(other->source, benchmark->source) && other->chain != NULL &&
          other->codegen.sequence != NULL &&
          (benchmark->codegen.sequence == NULL || strcmp(other->codegen.sequence, benchmark->codegen.sequence) != 0) &&
          !memcmp(other->variants, benchmark->variants, sizeof(other->variants))) {
         struct benchmark spoiled = *benchmark;

         spoiled.kernel = other->kernel;
         refuse(&spoiled, other->kernel);
         return;
      }
   }
}

static void spoil_all(struct seen *seen)
{
   for (size_t i = 0; i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);
      const bool chain = benchmark->chain != NULL && benchmark->skip == NULL && benchmark->control.repetitions == 0;

      if (benchmark->source != NULL && chain) {
         spoil_source(benchmark);
         seen->source++;
      } else if (chain && benchmark->chain->agx != NULL) {
         spoil_assembly(benchmark);
         seen->assembly++;
      } else if (chain && benchmark->chain->build != NULL) {
         spoil_nir(benchmark);
         seen->nir++;
      }
   }
}

/* Every operation that a mix can hold: with a pass less, and taken for another. */
static void spoil_mixes(struct seen *seen)
{
   for (size_t i = 0; i < bench_operation_count(); i++) {
      const struct bench_operation *operation = bench_operation_at(i);
      struct compiler_result result = {0};
      struct bench_mix mix, more;
      unsigned expected, found;
      char text[96], why[320];

      if (operation->text == NULL) {
         continue;
      }
      /* By its section too: simd and quad share names. */
      snprintf(text, sizeof(text), "%s%s%s", operation->section, operation->section[0] != '\0' ? "/" : "",
               operation->name);
      bool good = bench_mix_parse(text, 2, 0, &mix, why, sizeof(why)) == 0 && bench_mix_build(&mix, 4, &result) == 0;
      CHECK(good, "%s: %s", text, why);
      if (good) {
         const struct agx_program *program = result.programs[0];

         CHECK(bench_mix_check(&mix, 4, program, &expected, &found, why, sizeof(why)), "%s: %s", text, why);
         CHECK(!bench_mix_check(&mix, 5, program, &expected, &found, why, sizeof(why)), "%s, a pass less", text);
         snprintf(text + strlen(text), sizeof(text) - strlen(text), ";IADD32");
         good = bench_mix_parse(text, 2, 0, &more, why, sizeof(why)) == 0;
         CHECK(good && !bench_mix_check(&more, 4, program, &expected, &found, why, sizeof(why)), "%s, an addition less",
               text);
         seen->mixes++;
      }
      compiler_result_finish(&result);
   }
}

int main(void)
{
   struct seen seen = {0};

   spoil_all(&seen);
   spoil_mixes(&seen);
   printf("%u of NIR, %u of assembly, %u of OpenCL C, %u operations of mixes\n", seen.nir, seen.assembly, seen.source,
          seen.mixes);
   CHECK(seen.nir > 50 && seen.assembly > 20 && seen.source > 30 && seen.mixes > 80, "a kind is missing");
   return check_result();
}
