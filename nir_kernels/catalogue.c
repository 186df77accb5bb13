/* SPDX-License-Identifier: MIT
 *
 * The catalogue as a whole: its groups in order, and what all benchmarks are built and checked by.
 */
#include <errno.h>
#include <string.h>

#include "nir_kernels/chain.h"
#include "nir_kernels/groups.h"
#include "nir_kernels/mix.h"

static const struct bench_group *const groups[] = {&bench_float, &bench_int, &bench_simd, &bench_atomic,
                                                   &bench_example};
#define GROUP_COUNT (sizeof(groups) / sizeof(groups[0]))

/* The OpenCL C files, as nir_kernels/meson.build has them compiled. */
extern const struct compiler_module bench_modules[];
extern const size_t bench_modules_size;

size_t bench_count(void)
{
   size_t count = 0;

   for (size_t i = 0; i < GROUP_COUNT; i++) {
      count += groups[i]->count;
   }
   return count;
}

const struct benchmark *bench_at(size_t index)
{
   for (size_t i = 0; i < GROUP_COUNT; i++) {
      if (index < groups[i]->count) {
         return &groups[i]->benchmarks[index];
      }
      index -= groups[i]->count;
   }
   return NULL;
}

/* Keeps the one kernel of that name. */
static int select_kernel(struct compiler_result *result, const char *name)
{
   for (size_t i = 0; i < result->count; i++) {
      if (!strcmp(result->programs[i]->name, name)) {
         struct agx_program *program = result->programs[i];

         result->programs[i] = result->programs[0];
         result->programs[0] = program;
         while (result->count > 1) {
            agx_program_destroy(result->programs[--result->count]);
         }
         return 0;
      }
   }
   return -EINVAL;
}

int bench_build(const struct benchmark *benchmark, const struct bench_variant *variant,
                const struct compiler_options *options, struct compiler_result *result)
{
   if (benchmark->mix != NULL) {
      return bench_mix_build(benchmark->mix, variant->repeat, result);
   }
   if (benchmark->chain != NULL) {
      const struct bench_chain_job job = {benchmark, *variant};
      const struct compiler_nir_info info = {
          .name = benchmark->name, .arguments = bench_chain_arguments, .argument_count = benchmark->argument_count};

      return compiler_nir(&info, bench_chain_build, &job, options, result);
   }
   for (size_t i = 0; i < bench_modules_size; i++) {
      const struct compiler_module *module = &bench_modules[i];

      if (!strcmp(module->name, benchmark->source)) {
         const int ret = compiler_spirv(benchmark->source, module->words, module->size, options, result);
         return ret < 0 ? ret : select_kernel(result, benchmark->kernel);
      }
   }
   *result = (struct compiler_result){0};
   return -EINVAL;
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
   return registers == codegen->registers;
}
