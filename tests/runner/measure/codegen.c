/* SPDX-License-Identifier: MIT
 *
 * The code check: every benchmark of the catalogue passes, and every way to spoil one is seen.
 */
#include "compiler/nir.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/codecheck.h"
#include "agx_runner/results/published.h"
#include "agx_runner/measure/measure.h"
#include "agx_runner/results/reference.h"
#include "nir_kernels/chain.h"
#include "tests/check.h"

struct outcome {
   bool built, accepted;
   unsigned expected, found;
   char why[1024];
};

/* Builds `as_built` and checks it as if it were `as_meant`. */
static struct outcome try(const struct benchmark *benchmark, const struct bench_variant as_built[2],
                          const struct bench_variant as_meant[2])
{
   const struct compiler_options options = {.keep_atomics = true};
   struct compiler_result compiled[2] = {0};
   struct outcome outcome = {.built = true};

   for (unsigned i = 0; i < 2; i++) {
      outcome.built = outcome.built && bench_build(benchmark, &as_built[i], &options, &compiled[i]) == 0;
   }
   if (outcome.built) {
      const struct agx_program *const programs[2] = {compiled[0].programs[0], compiled[1].programs[0]};

      outcome.accepted = codecheck_pair(benchmark, as_meant, programs, &outcome.expected, &outcome.found, outcome.why,
                                        sizeof(outcome.why));
   } else {
      fprintf(stderr, "%s", compiled[0].log);
   }
   for (unsigned i = 0; i < 2; i++) {
      compiler_result_finish(&compiled[i]);
   }
   return outcome;
}

/* Built once each: the two programs, and each with a repetition less. An OpenCL C file contains the two alone. A
 * program of which a whole dispatch is timed has a fixed number of repetitions. */
struct programs {
   struct compiler_result meant[2], less[2];
   bool built, has_less;
};

static bool build(const struct benchmark *benchmark, const struct bench_variant *variant,
                  struct compiler_result *result)
{
   const struct compiler_options options = {.keep_atomics = true};
   const bool built = bench_build(benchmark, variant, &options, result) == 0;

   if (!built) {
      fprintf(stderr, "%s/%s: %s\n", benchmark->group, benchmark->name,
              result->log != NULL ? result->log : "not built");
   }
   return built;
}

static bool same_code(const struct compiler_result *one, const struct compiler_result *other)
{
   const struct agx_program *a = one->programs[0], *b = other->programs[0];

   return a->code_size == b->code_size && memcmp(a->code, b->code, a->code_size) == 0;
}

static struct programs build_all(const struct benchmark *benchmark, const struct bench_variant meant[2])
{
   const bool fixed = benchmark->source != NULL || benchmark->metrics & 1u << BENCH_DISPATCH;
   struct programs programs = {.built = true, .has_less = !fixed && meant[0].repeat > 1};

   for (unsigned side = 0; side < 2; side++) {
      struct bench_variant less = meant[side];

      less.repeat--;
      less.steps -= meant[side].steps == meant[side].repeat;
      programs.built &= build(benchmark, &meant[side], &programs.meant[side]) &&
                        (!programs.has_less || build(benchmark, &less, &programs.less[side]));
   }
   /* Assembly whose loop has a fixed body is the same with a repetition less. */
   programs.has_less = programs.has_less && programs.built &&
                       (benchmark->scale == BENCH_SCALE_REPEAT || !same_code(&programs.meant[0], &programs.less[0]));
   return programs;
}

static struct outcome check(const struct benchmark *benchmark, const struct bench_variant meant[2],
                            const struct compiler_result *first, const struct compiler_result *second)
{
   const struct agx_program *const pair[2] = {first->programs[0], second->programs[0]};
   struct outcome outcome = {.built = true};

   outcome.accepted =
       codecheck_pair(benchmark, meant, pair, &outcome.expected, &outcome.found, outcome.why, sizeof(outcome.why));
   return outcome;
}

/* The same as a repetition lost in the code: the check is told of one more. It serves kernels of OpenCL C too, of which
 * none with a repetition less is built. */
static void test_lost(const char *name, const struct benchmark *benchmark, const struct bench_variant meant[2],
                      const struct compiler_result built[2])
{
   const bool one_program = benchmark->scale != BENCH_SCALE_REPEAT;

   for (unsigned side = 0; side < 2; side++) {
      struct bench_variant more[2] = {meant[0], meant[1]};

      for (unsigned i = one_program ? 0 : side; i <= side; i++) {
         more[i].repeat++;
         more[i].steps += more[i].steps < more[i].repeat;
      }
      if (one_program) {
         more[1] = more[0];
      }
      const struct outcome outcome = check(benchmark, more, &built[0], &built[1]);
      CHECK(!outcome.accepted && strstr(outcome.why, "invalid codegen") != NULL, "%s, one lost on side %u: %s", name,
            side, outcome.why);
   }
}

static void test_benchmark(const struct benchmark *benchmark, enum bench_metric metric)
{
   const struct bench_codegen *codegen = &benchmark->codegen;
   struct bench_variant meant[2];
   char name[96];

   metric_name(benchmark, metric, name, sizeof(name));
   metric_variants(benchmark, metric, meant);
   struct programs programs = build_all(benchmark, meant);
   CHECK(programs.built, "%s", name);
   if (programs.built) {
      struct compiler_result *const m = programs.meant, *const l = programs.less;
      struct outcome outcome = check(benchmark, meant, &m[0], &m[1]);

      CHECK(outcome.accepted, "%s: %s", name, outcome.why);
      CHECK((codegen->sequence != NULL || outcome.expected == bench_expected(benchmark, &meant[0])) &&
                outcome.found >= outcome.expected && outcome.found <= outcome.expected + codegen->slack,
            "%s: %u of %u", name, outcome.found, outcome.expected);
      if (benchmark->scale == BENCH_SCALE_REPEAT) {
         outcome = check(benchmark, meant, &m[0], &m[0]);
         CHECK(!outcome.accepted && strstr(outcome.why, "invalid codegen") != NULL, "%s, the shorter program twice: %s",
               name, outcome.why);
      }
      test_lost(name, benchmark, meant, m);
      for (unsigned side = 0; programs.has_less && side < 2; side++) {
         outcome = check(benchmark, meant, side == 0 ? &l[0] : &m[0], side == 1 ? &l[1] : &m[1]);
         CHECK(!outcome.accepted && strstr(outcome.why, "invalid codegen") != NULL, "%s, one less on side %u: %s", name,
               side, outcome.why);
      }
   }
   for (unsigned side = 0; side < 2; side++) {
      compiler_result_finish(&programs.meant[side]);
      compiler_result_finish(&programs.less[side]);
   }
}

static void test_catalogue(void)
{
   for (size_t i = 0; i < bench_count(); i++) {
      for (enum bench_metric metric = 0; metric < BENCH_METRIC_COUNT; metric++) {
         /* A raw latency's programs are the latency's. */
         if (bench_at(i)->skip == NULL && bench_is_timed(metric) && metric != BENCH_RAW_LATENCY &&
             bench_at(i)->metrics & 1u << metric) {
            test_benchmark(bench_at(i), metric);
         }
      }
   }
}

/* The metrics of the row that a benchmark measures, or that an entry gives a reason not to; the closest likeness. */
static unsigned covered(const struct reference *row, enum reference_likeness *closest)
{
   unsigned metrics = 0;

   *closest = REFERENCE_LIKENESS_COUNT;
   for (size_t i = 0; i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);
      struct published published;

      if (benchmark->reference == NULL || strcmp(benchmark->reference, row->name) != 0) {
         continue;
      }
      (void)published_find(benchmark, BENCH_THROUGHPUT, &published);
      metrics |= benchmark->skip != NULL ? UINT32_MAX : benchmark->metrics;
      *closest = published.likeness < *closest ? published.likeness : *closest;
   }
   return metrics;
}

/* Each published figure has a benchmark, or an entry that says why not; and each reference is a row. */
static void test_references(void)
{
   unsigned rows[REFERENCE_LIKENESS_COUNT + 1] = {0};

   CHECK(reference_count == 141, "%u rows in instr.csv", reference_count);
   for (unsigned i = 0; i < reference_count; i++) {
      const struct reference *row = &reference_table[i];
      const unsigned wanted = 1u << BENCH_THROUGHPUT | (isnan(row->latency) ? 0u : 1u << BENCH_LATENCY) |
                              (isnan(row->raw_latency) ? 0u : 1u << BENCH_RAW_LATENCY);
      enum reference_likeness closest;
      const unsigned metrics = covered(row, &closest);

      CHECK((metrics & wanted) == wanted, "%s: of the metrics 0x%x there are benchmarks for 0x%x", row->name, wanted,
            metrics);
      rows[closest]++;
      if (closest == REFERENCE_OTHER_SEQUENCE) {
         printf("%s: no benchmark of the published instructions\n", row->name);
      }
   }
   for (unsigned i = 0; i < REFERENCE_LIKENESS_COUNT; i++) {
      printf("%u rows: %s\n", rows[i], reference_likeness_names[i]);
   }
   for (size_t i = 0; i < bench_count(); i++) {
      const char *reference = bench_at(i)->reference;

      CHECK(reference == NULL || reference_find(reference) != NULL, "%s/%s: %s", bench_at(i)->group, bench_at(i)->name,
            reference);
   }
}

/* Without patterns, every group has a say; a name that is spelt wrong would go unnoticed. */
static void test_brief(void)
{
   static const char *const least[] = {"float/fadd32",         "float/div32-listed", "int/imul64",
                                       "simd/matmul8x8-f16",   "quad/sum-f32",       "control/loop32-1440",
                                       "atomic/local-add-own", "example/saxpy"};
   unsigned brief = 0;

   for (size_t i = 0; i < bench_count(); i++) {
      brief += bench_is_brief(i);
   }
   CHECK(brief >= 40 && brief <= 80, "%u benchmarks in a brief run", brief);
   for (size_t j = 0; j < ARRAY_SIZE(least); j++) {
      bool found = false;

      for (size_t i = 0; i < bench_count(); i++) {
         char name[96];

         snprintf(name, sizeof(name), "%s/%s", bench_at(i)->group, bench_at(i)->name);
         found |= bench_is_brief(i) && !strcmp(name, least[j]);
      }
      CHECK(found, "%s is not in a brief run", least[j]);
   }
}

/* Whether a figure may stand beside the published one: only where both are about the same instructions. */
static void test_likeness(void)
{
   static const struct {
      const char *group, *name;
      enum reference_likeness likeness;
   } cases[] = {
       {"float", "fadd32", REFERENCE_SAME_INSTRUCTION},    /* one instruction, here and there */
       {"float", "div32", REFERENCE_OTHER_SEQUENCE},       /* a Newton step more than RECIP32 + FMUL32 */
       {"int", "bitwise-add32", REFERENCE_OTHER_SEQUENCE}, /* BITWISE32 + ADD32, but in Mesa's order */
       {"int", "bitwise-add32-listed", REFERENCE_SAME_SEQUENCE},
       {"float", "div32-listed", REFERENCE_SAME_SEQUENCE},
       {"float", "libclc-exp2-32", REFERENCE_OTHER_SEQUENCE}, /* a polynomial, and one instruction there */
       {"float", "exp32", REFERENCE_UNKNOWN_SEQUENCE},        /* sequences.csv has no row for it */
       {"simd", "prefix-isum-f32", REFERENCE_OTHER_SEQUENCE}, /* in Mesa's order */
       {"simd", "prefix-isum-f32-agx", REFERENCE_SAME_SEQUENCE},
   };

   for (size_t i = 0; i < bench_count(); i++) {
      const struct benchmark *benchmark = bench_at(i);
      struct published published;

      for (size_t j = 0; j < ARRAY_SIZE(cases); j++) {
         if (!strcmp(benchmark->group, cases[j].group) && !strcmp(benchmark->name, cases[j].name)) {
            CHECK(published_find(benchmark, BENCH_THROUGHPUT, &published) && published.likeness == cases[j].likeness,
                  "%s/%s: %s", benchmark->group, benchmark->name, reference_likeness_names[published.likeness]);
         }
      }
      CHECK(!benchmark->codegen.listed || benchmark->codegen.sequence != NULL, "%s/%s lists no sequence",
            benchmark->group, benchmark->name);
   }
}

/* Chains that the compiler sees through, or that hold more than they say. */
static nir_def *build_folded(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_iadd_imm(b, step->value, 3);
}

static nir_def *build_cancelled(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_ixor(b, step->value, step->operands[0]);
}

static nir_def *build_more(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_ixor(b, nir_imul(b, step->value, step->operands[0]), step->operands[1]);
}

static nir_def *build_fused(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_iadd(b, nir_imul(b, step->value, step->operands[0]), step->operands[1]);
}

static nir_def *build_twice(nir_builder *b, const struct bench_nir_step *step)
{
   return nir_iadd(b, nir_iadd(b, step->value, step->operands[0]), step->operands[1]);
}

static nir_def *build_dead(nir_builder *b, const struct bench_nir_step *step)
{
   (void)b;
   return step->operands[0];
}

static void test_spoiled(void)
{
   static const struct {
      const char *what, *name, *why;
      nir_def *(*build)(nir_builder *b, const struct bench_nir_step *step);
   } cases[] = {
       {"additions of a constant become one", "iadd32", "expected 64 iadd, found 0", build_folded},
       {"xor with the same twice is nothing", "bitwise32", "expected 64 bitop, found", build_cancelled},
       {"a multiplication and an addition are one instruction", "imul32", "expected 64 imadd, found 0", build_fused},
       {"an exclusive or hides behind each multiplication", "imul32", "differ by", build_more},
       {"two additions a step", "iadd32", "expected 64 iadd, found 128", build_twice},
       {"the value does not depend on the chain", "iadd32", "expected 64 iadd, found 0", build_dead},
   };

   for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
      for (size_t j = 0; j < bench_count(); j++) {
         struct benchmark benchmark = *bench_at(j);

         if (strcmp(benchmark.group, "int") != 0 || strcmp(benchmark.name, cases[i].name) != 0) {
            continue;
         }
         struct bench_chain chain = *benchmark.chain;
         struct bench_variant variants[2];

         chain.build = cases[i].build;
         benchmark.chain = &chain;
         metric_variants(&benchmark, BENCH_THROUGHPUT, variants);
         const struct outcome outcome = try(&benchmark, variants, variants);
         CHECK(outcome.built && !outcome.accepted && strstr(outcome.why, cases[i].why) != NULL, "%s: %s", cases[i].what,
               outcome.why);
      }
   }
}

int main(void)
{

   test_references();
   test_likeness();
   test_brief();
   test_catalogue();
   test_spoiled();
   return check_result();
}
