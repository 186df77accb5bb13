/* SPDX-License-Identifier: MIT
 *
 * The catalogue as a whole: its groups in order, and what all benchmarks are built and checked by.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/api/result.h"
#include "nir_kernels/assemble.h"
#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"
#include "nir_kernels/nir_request.h"
#include "util/array.h"

/* In the order of nir_kernels/meson.build. */
static const struct {
   const struct bench_group *group;
   bool brief; /* all of it is measured when no names are given */
} groups[] = {
#define GROUP(name, brief) {&bench_##name, brief},
    BENCH_GROUPS(GROUP)
#undef GROUP
};
#define GROUP_COUNT ARRAY_COUNT(groups)

/* Benchmarks of the other groups that are measured when `run` gets no pattern: one or two of each kind, as group/name.
 */
static const char *const brief_names[] = {
    "float/rcp32",
    "float/rsqrt32",
    "float/exp2-32",
    "float/to-i32",
    "float/fcmpsel32",
    "float/sin32",
    "float/div32",
    "float/div32-listed",
    "float/precise-sqrt32",
    "float/sin-pt-1",
    "int/iadd16",
    "int/imad32",
    "int/imul-32-32-64",
    "int/bitextract32",
    "int/popcount32",
    "int/rotate32",
    "int/imul64",
    "int/iadd64",
    "int/iadd64-listed",
    "simd/sum-f32",
    "simd/sum-i32",
    "simd/prefix-esum-f32",
    "simd/prefix-isum-f32-agx",
    "simd/rotate32",
    "simd/matmul8x8-f16",
    "quad/broadcast32",
    "quad/sum-f32",
    "quad/prefix-esum-f32",
    "quad/ballot",
    "control/loop16-1440",
    "control/loop32-1440",
    "atomic/add-own",
    "atomic/add-one",
    "atomic/local-add-own",
    "memory/chase-4k",
    "memory/chase-256k",
    "memory/local-chase",
    "memory/local-stride-1",
};

/* The OpenCL C files, as nir_kernels/meson.build has them compiled. */
extern const struct compiler_module bench_modules[];
extern const size_t bench_modules_size;

size_t bench_count(void)
{
   size_t count = 0;

   for (size_t i = 0; i < GROUP_COUNT; i++) {
      count += groups[i].group->count;
   }
   return count;
}

const struct benchmark *bench_at(size_t index)
{
   for (size_t i = 0; i < GROUP_COUNT; i++) {
      if (index < groups[i].group->count) {
         return &groups[i].group->benchmarks[index];
      }
      index -= groups[i].group->count;
   }
   return NULL;
}

static bool is_named_brief(const struct benchmark *benchmark)
{
   const size_t group = strlen(benchmark->group);

   for (size_t i = 0; i < ARRAY_COUNT(brief_names); i++) {
      if (!strncmp(brief_names[i], benchmark->group, group) && brief_names[i][group] == '/' &&
          !strcmp(brief_names[i] + group + 1, benchmark->name)) {
         return true;
      }
   }
   return false;
}

bool bench_is_brief(size_t index)
{
   const struct benchmark *benchmark = bench_at(index);

   if (benchmark != NULL && is_named_brief(benchmark)) {
      return true;
   }
   for (size_t i = 0; i < GROUP_COUNT; i++) {
      if (index < groups[i].group->count) {
         return groups[i].brief;
      }
      index -= groups[i].group->count;
   }
   return false;
}

static int build_assembly(const struct benchmark *benchmark, const struct bench_variant *variant,
                          const struct compiler_options *options, struct compiler_result *result)
{
   const struct isa_asm_define coherent = {"COHERENT", options->atomic_coherency};
   const struct isa_asm_options asm_options = {.defines = &coherent, .define_count = 1};
   char *text =
       benchmark->text != NULL ? benchmark->text(benchmark, variant) : bench_chain_agx(benchmark->chain, variant);
   const int ret = text == NULL ? -ENOMEM : bench_assemble(benchmark->name, text, strlen(text), &asm_options, result);

   free(text);
   return ret;
}

static bench_module_compiler *module_compiler; /* NULL: the linked compiler */

void bench_set_module_compiler(bench_module_compiler *compile)
{
   module_compiler = compile;
}

const struct compiler_module *bench_module(const char *source)
{
   for (size_t i = 0; i < bench_modules_size; i++) {
      if (!strcmp(bench_modules[i].name, source)) {
         return &bench_modules[i];
      }
   }
   return NULL;
}

static int build_source(const struct benchmark *benchmark, const char *kernel, const struct compiler_options *options,
                        struct compiler_result *result)
{
   const struct compiler_module *module = bench_module(benchmark->source);
   struct compiler_options only = *options;

   only.kernel = kernel;
   if (module == NULL) {
      return -EINVAL;
   }
   const int ret = module_compiler != NULL
                       ? module_compiler(module, kernel, result)
                       : compiler_spirv(benchmark->source, module->words, module->size, &only, result);
   return ret < 0 ? ret : result->count == 1 ? 0 : -EINVAL;
}

/* source.clh makes four kernels of each chain: throughput and latency, shorter and longer. */
static int build_source_chain(const struct benchmark *benchmark, const struct bench_variant *variant,
                              const struct compiler_options *options, struct compiler_result *result)
{
   const enum bench_metric metric = variant->chains > 1 ? BENCH_THROUGHPUT : BENCH_LATENCY;
   const unsigned least = benchmark->variants[metric].repeat;
   char kernel[64];

   if (variant->repeat != least && variant->repeat != 2 * least) {
      return -EINVAL;
   }
   snprintf(kernel, sizeof(kernel), "%s_%c%u", benchmark->kernel, metric == BENCH_THROUGHPUT ? 't' : 'l',
            variant->repeat / least);
   return build_source(benchmark, kernel, options, result);
}

int bench_build(const struct benchmark *benchmark, const struct bench_variant *variant,
                const struct compiler_options *options, struct compiler_result *result)
{
   *result = (struct compiler_result){0};
   if (benchmark->skip != NULL) {
      return -EINVAL;
   }
   const bool assembly = benchmark->text != NULL ||
                         (benchmark->source == NULL && benchmark->chain != NULL && benchmark->chain->agx != NULL);
   /* The control kernels belong to the measuring of others: their loop is not what is asked about. */
   const bool control = (benchmark->metrics & 1u << BENCH_CONTROL) != 0;
   if (module_compiler != NULL && benchmark->source == NULL && !assembly && !control) {
      const int ret = compiler_result_init(result);
      return ret < 0 ? ret
                     : compiler_refuse(result, REFUSAL_RUNNER,
                                       "gives kernels in OpenCL C to a driver, and this one is built in NIR");
   }
   if (assembly) {
      return build_assembly(benchmark, variant, options, result);
   }
   if (benchmark->source != NULL) {
      return benchmark->chain == NULL ? build_source(benchmark, benchmark->kernel, options, result)
                                      : build_source_chain(benchmark, variant, options, result);
   }
   return bench_nir_compile(benchmark, variant, options, result);
}

unsigned bench_expected(const struct benchmark *benchmark, const struct bench_variant *variant)
{
   return variant->repeat * variant->chains * benchmark->codegen.per_operation;
}

bool bench_matches(const struct bench_codegen *codegen, const struct isa_insn *insn)
{
   unsigned registers = 0;

   if (insn->row == NULL || insn->op != codegen->op ||
       (codegen->bits != 0 && (insn->dst.kind != ISA_REG || insn->dst.size != codegen->bits))) {
      return false;
   }
   for (unsigned i = 0; i < ISA_MAX_SOURCES; i++) {
      registers += insn->src[i].kind == ISA_REG;
   }
   return codegen->registers == BENCH_ANY || registers == codegen->registers;
}
