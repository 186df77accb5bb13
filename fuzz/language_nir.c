/* SPDX-License-Identifier: MIT
 *
 * The table of programs in NIR. The interpreter that says what is right needs Mesa, so that it runs with the attempt,
 * and a program is complete as it was generated.
 */
#include <stddef.h>

#include "compiler/api/stage.h"
#include "fuzz/coverage.h"
#include "fuzz/language.h"
#include "fuzz/nir/generate/generate.h"
#include "fuzz/slice/culprits.h"

/* Rules take turns with expression graphs and programs with control flow. */
static void generate(void *program, const struct fuzz_settings *settings, uint64_t index, uint64_t seed)
{
   static const enum fuzz_family families[] = {FUZZ_RULE, FUZZ_RANDOM, FUZZ_RULE, FUZZ_CONTROL};
   const uint32_t rules = fuzz_rule_count();
   /* A prime step: the first rules of a run are of all tables. Each seed starts with another rule, so that short runs
    * with several seeds reach them all. */
   const uint64_t step = index / 2 + settings->seed * 797;

   fuzz_generate(program, seed, families[index % 4], rules != 0 ? (int32_t)(step * 1009 % rules) : -1);
}

static int compile(void *program, const struct compiler_options *options, struct compiler_result *result)
{
   return fuzz_compile(program, options, NULL, result);
}

static uint32_t size_of(const void *data)
{
   const struct fuzz_program *program = data;
   uint32_t ops = 0;

   for (uint32_t i = 0; i < program->count; i++) {
      ops += program->nodes[i].kind == FUZZ_CONST || program->nodes[i].kind == FUZZ_INPUT ? 0 : 1;
   }
   return ops;
}

static uint32_t only_output(const struct fuzz_program *program)
{
   for (uint32_t i = 0; i < program->count; i++) {
      if (program->nodes[i].kind == FUZZ_OUTPUT) {
         return program->nodes[i].slot;
      }
   }
   return FUZZ_OUTPUTS;
}

static bool contains(const void *large, const void *small)
{
   return fuzz_contains(large, only_output(large), small);
}

static bool next_difference(const void *program, const struct attempt_result *result, uint32_t first,
                            const struct fuzz_program *shapes, uint32_t count, struct fuzz_difference *difference)
{
   uint32_t shape = 0;

   do {
      if (!fuzz_differ_from(&result->expected.program, &result->found, first, difference)) {
         return false;
      }
      first = difference->output + 1;
      for (shape = 0; shape < count && !fuzz_contains(program, difference->output, &shapes[shape]); shape++) {
      }
   } while (shape < count);
   return true;
}

/* A rule that has fired is not asked again. */
static void cover(const void *data, uint8_t *rules)
{
   const struct fuzz_program *program = data;

   if (program->rule >= 0 && program->rule < FUZZ_RULES && rules[program->rule] != RULE_FIRED) {
      compiler_stage(COMPILER_STAGE_NIR);
      const bool fires = fuzz_rule_fires(program);
      compiler_stage(COMPILER_STAGE_DONE);
      rules[program->rule] = fires ? RULE_FIRED : program->rule_outputs != 0 ? RULE_TRIED : RULE_IMPOSSIBLE;
   }
}

static void write_program(FILE *file, const void *program, const union fuzz_expected *expected, const char *title)
{
   (void)expected;
   fprintf(file, "# %s\n", title);
   (void)fuzz_write(file, program);
}

const struct language language_nir = {
    .name = "nir",
    .title = "NIR",
    .prefix = "",
    .suffix = ".fuzz",
    .bytes = sizeof(struct fuzz_program),
    .generate = generate,
    .attempt = attempt,
    .compile = compile,
    .shrink = fuzz_shrink,
    .blame = fuzz_blame_nir,
    .slice = slice_program,
    .outputs = offsetof(struct fuzz_program, outputs),
    .registers = offsetof(struct fuzz_program, registers),
    .size = size_of,
    .shape = fuzz_shape,
    .contains = contains,
    .next_difference = next_difference,
    .cover = cover,
    .translated = true,
    .print = fuzz_print,
    .write = write_program,
};
