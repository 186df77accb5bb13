/* SPDX-License-Identifier: MIT
 *
 * Bytes -> text -> bytes on what Mesa really emits: every program of the catalogue, and every OpenCL C file given that
 * compiles (Piglit's, where it is there), becomes .agx text and is assembled again. Code and every other field
 * must be the same. Arguments: N, to take every N-th of both; then lists of .cl files, one path a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/api/compiler.h"
#include "isa/assembler/asm.h"
#include "isa/isa.h"
#include "nir_kernels/benchmark.h"
#include "tests/check.h"

struct count {
   size_t programs, instructions, unknown, skipped;
};

static void count_instructions(const uint8_t *code, size_t size, struct count *count)
{
   for (size_t at = 0; at < size;) {
      struct isa_insn insn;

      isa_decode(isa_set_default(), code + at, size - at, &insn);
      at += insn.length;
      count->instructions++;
      count->unknown += insn.row == NULL;
   }
}

static bool same_block(const void *a, const void *b, size_t size)
{
   return size == 0 || !memcmp(a, b, size);
}

static bool same_ranges(const struct agx_program *a, const struct agx_program *b)
{
   if (a->uniform_count != b->uniform_count || a->argument_count != b->argument_count) {
      return false;
   }
   for (size_t i = 0; i < a->uniform_count; i++) {
      const struct agx_uniform_range *x = &a->uniforms[i], *y = &b->uniforms[i];
      if (x->start != y->start || x->size != y->size || x->source != y->source || x->offset != y->offset) {
         return false;
      }
   }
   for (size_t i = 0; i < a->argument_count; i++) {
      const struct agx_argument *x = &a->arguments[i], *y = &b->arguments[i];
      if (x->kind != y->kind || x->offset != y->offset || x->size != y->size || x->read_only != y->read_only ||
          strcmp(x->name, y->name) != 0 || strcmp(x->type, y->type) != 0) {
         return false;
      }
   }
   return true;
}

static const char *difference(const struct agx_program *a, const struct agx_program *b)
{
   if (a->code_size != b->code_size || !same_block(a->code, b->code, a->code_size)) {
      return "code";
   }
   if (a->constants_size != b->constants_size || !same_block(a->constants, b->constants, a->constants_size)) {
      return "constants";
   }
   if (a->main_offset != b->main_offset || a->main_size != b->main_size || a->has_preamble != b->has_preamble ||
       a->preamble_offset != b->preamble_offset || a->preamble_size != b->preamble_size) {
      return "entries";
   }
   if (a->half_registers != b->half_registers || a->preamble_half_registers != b->preamble_half_registers ||
       a->uniform_halves != b->uniform_halves) {
      return "registers";
   }
   if (a->threadgroup_bytes != b->threadgroup_bytes || a->scratch_bytes != b->scratch_bytes ||
       a->preamble_scratch_bytes != b->preamble_scratch_bytes || a->argument_bytes != b->argument_bytes) {
      return "memory";
   }
   if (memcmp(a->workgroup_size, b->workgroup_size, sizeof(a->workgroup_size)) != 0 ||
       a->uses_atomics != b->uses_atomics || strcmp(a->name, b->name) != 0) {
      return "name, workgroup or atomics";
   }
   return same_ranges(a, b) ? NULL : "uniforms or arguments";
}

static void check_program(const struct isa_asm *assembler, const char *where, const struct agx_program *program,
                          struct count *count)
{
   struct isa_asm_result result = {0};
   size_t size;
   char *text = isa_program_text(assembler, program, &size);

   CHECK(text != NULL, "%s: no text", where);
   if (text != NULL && isa_asm_program(assembler, text, size, &result) == 0) {
      const char *wrong = difference(program, result.program);
      CHECK(wrong == NULL, "%s, kernel %s: %s differ", where, program->name, wrong);
   } else {
      CHECK(false, "%s, kernel %s: line %u: %s", where, program->name,
            result.diagnostic_count ? result.diagnostics[0].line : 0,
            result.diagnostic_count ? result.diagnostics[0].message : "no diagnostics");
   }
   isa_asm_result_finish(&result);
   free(text);
   count->programs++;
   count_instructions(program->code + program->main_offset, program->main_size, count);
   count_instructions(program->code + program->preamble_offset, program->preamble_size, count);
}

static void check_programs(const struct isa_asm *assembler, const char *where, struct compiler_result *result,
                           struct count *count)
{
   count->skipped += result->count == 0;
   for (size_t i = 0; i < result->count; i++) {
      check_program(assembler, where, result->programs[i], count);
   }
   compiler_result_finish(result);
}

static void check_catalogue(const struct isa_asm *assembler, size_t step, struct count *count)
{
   const struct compiler_options options = {0};
   const struct bench_variant variant = {.repeat = 8, .chains = 2};

   for (size_t i = 0; i < bench_count(); i += step) {
      struct compiler_result result = {0};

      (void)bench_build(bench_at(i), &variant, &options, &result);
      check_programs(assembler, bench_at(i)->name, &result, count);
   }
}

static void check_file(const struct isa_asm *assembler, const char *path, struct count *count)
{
   static char source[1 << 20];
   const struct compiler_options options = {0};
   struct compiler_result result = {0};
   FILE *file = fopen(path, "r");

   CHECK(file != NULL, "%s cannot be opened", path);
   if (file != NULL) {
      const size_t size = fread(source, 1, sizeof(source), file);
      fclose(file);
      (void)compiler_opencl(path, source, size, &options, &result);
      check_programs(assembler, path, &result, count);
   }
}

static void check_list(const struct isa_asm *assembler, const char *list, size_t step, struct count *count)
{
   char path[1024];
   size_t line = 0;
   FILE *file = fopen(list, "r");

   CHECK(file != NULL, "%s cannot be opened", list);
   while (file != NULL && fgets(path, sizeof(path), file) != NULL) {
      path[strcspn(path, "\n")] = '\0';
      if (line++ % step == 0) {
         check_file(assembler, path, count);
      }
   }
   if (file != NULL) {
      fclose(file);
   }
}

static void report(const char *what, const struct count *count)
{
   printf("%s: %zu programs, %zu instructions, %zu of them unknown; %zu sources gave no program; %u differ\n", what,
          count->programs, count->instructions, count->unknown, count->skipped, check_failures);
}

int main(int argc, char **argv)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   struct count catalogue = {0}, files = {0};
   const size_t step = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

   if (assembler == NULL || step == 0) {
      return 1;
   }
   check_catalogue(assembler, step, &catalogue);
   report("catalogue", &catalogue);
   for (int i = 2; i < argc; i++) {
      check_list(assembler, argv[i], step, &files);
   }
   if (argc > 2) {
      report("files", &files);
   }
   isa_asm_destroy(assembler);
   if (catalogue.programs == 0 || check_failures != 0 || catalogue.unknown + files.unknown != 0) {
      return 1;
   }
   return argc > 2 && files.programs == 0 ? 77 : 0; /* Piglit is not here: the second half was skipped */
}
