/* SPDX-License-Identifier: MIT
 *
 * Compiles a generated program and computes its expected outputs. Invariant: these are computed from the NIR as it was
 * built, before any pass of Mesa's.
 */
#include "fuzz/nir/build.h"
#include "fuzz/nir/interpret.h"
#include "fuzz/nir/registers.h"
#include "compiler/api/stage.h"

struct job {
   const struct fuzz_program *program;
   struct fuzz_outputs *expected; /* NULL: not requested */
};

static void build_and_interpret(nir_builder *b, const void *data)
{
   const struct job *job = data;

   fuzz_build(b, job->program);
   if (job->expected != NULL) {
      nir_index_ssa_defs(b->impl);
      compiler_stage(COMPILER_STAGE_START); /* nothing of Mesa's compiler has run: a hang is the interpreter's */
      fuzz_interpret(b->shader, job->program, NULL, job->expected);
      compiler_stage(COMPILER_STAGE_NIR);
      if (job->expected->derived) { /* the reference must be certain */
         job->expected->valid = false;
         snprintf(job->expected->why, sizeof(job->expected->why), "undefined address, condition or memory");
      }
   }
}

static const struct compiler_nir_info kernel = {
    .name = "fuzz",
    .workgroup_size = {FUZZ_LANES, 1, 1},
    .arguments = fuzz_argument_list,
    .argument_count = FUZZ_ARGUMENTS,
};

void fuzz_evaluate(const struct fuzz_program *program, struct fuzz_outputs *expected)
{
   const struct job job = {program, expected};

   expected->valid = false;
   fuzz_build_only(build_and_interpret, &job);
}

int fuzz_compile(const struct fuzz_program *program, const struct compiler_options *options,
                 struct fuzz_outputs *expected, struct compiler_result *result)
{
   return fuzz_compile_built(program, build_and_interpret, &(struct job){program, expected}, options, result);
}

int fuzz_compile_built(const struct fuzz_program *program, compiler_nir_build *build, const void *data,
                       const struct compiler_options *options, struct compiler_result *result)
{
   fuzz_registers_set(program->registers);
   const int ret = compiler_nir(&kernel, build, data, options, result);
   fuzz_registers_set(FUZZ_REGISTERS_ALL);
   return ret;
}

void fuzz_build_only(compiler_nir_build *build, const void *data)
{
   const struct compiler_options options = {0};

   (void)compiler_nir_build_only(&kernel, build, data, &options);
}
