/* SPDX-License-Identifier: MIT
 *
 * How fast one core disassembles and assembles: Mesa's test data over and over (its branches left out: they go to
 * places that are not there). Prints both speeds; fails when either is below what this project promises.
 */
#include "isa/assembler/asm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COPIES 2000
#define RUNS 5
#define DISASSEMBLE_MIN 3e6 /* instructions a second */
#define ASSEMBLE_MIN 5e5    /* lines a second */

static double now(void)
{
   struct timespec time;
   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
   return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The lines that assemble by themselves, COPIES times. */
static char *make_text(const struct isa_asm *assembler, FILE *file, size_t *size, size_t *lines)
{
   char *text = NULL, line[512];
   FILE *once = open_memstream(&text, size);

   *lines = 0;
   while (once != NULL && fgets(line, sizeof(line), file) != NULL) {
      uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
      struct isa_diagnostic wrong;
      struct isa_insn insn;
      const char *start = strchr(line, ' ');
      int length = start == NULL ? -1 : isa_asm_line(assembler, start, strlen(start) - 1, bytes, &wrong);
      if (length > 0) {
         isa_decode(isa_set_default(), bytes, (size_t)length, &insn);
         if (!isa_is_branch(&insn)) {
            fputs(start, once);
            ++*lines;
         }
      }
   }
   if (once == NULL || fclose(once) != 0) {
      return NULL;
   }
   char *all = malloc(*size * COPIES);
   for (size_t i = 0; i < COPIES && all != NULL; i++) {
      memcpy(all + i * *size, text, *size);
   }
   free(text);
   *size *= COPIES;
   *lines *= COPIES;
   return all;
}

static double assemble(const struct isa_asm *assembler, const char *text, size_t size, struct agx_program **program)
{
   struct isa_asm_result result;
   double start = now();
   int code = isa_asm_program(assembler, text, size, &result);
   double seconds = now() - start;

   if (code == 0) {
      agx_program_destroy(*program);
      *program = result.program;
      result.program = NULL;
   }
   isa_asm_result_finish(&result);
   return seconds;
}

static double disassemble(const struct agx_program *program, size_t *instructions, size_t *characters)
{
   double start = now();
   struct isa_insn insn;
   char text[256];

   *instructions = *characters = 0;
   for (size_t at = 0; at < program->code_size; at += insn.length) {
      isa_decode(program->set, program->code + at, program->code_size - at, &insn);
      *characters += (size_t)isa_print(&insn, ISA_SYNTAX_MESA, text, sizeof(text));
      ++*instructions;
   }
   return now() - start;
}

int main(int argc, char **argv)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
   size_t size = 0, lines = 0, instructions = 0, characters = 0;
   struct agx_program *program = NULL;
   double assembling = 1e9, disassembling = 1e9;

   if (assembler == NULL || file == NULL) {
      fprintf(stderr, "usage: isa_speed mesa_disasm_sample.txt\n");
      return 1;
   }
   char *text = make_text(assembler, file, &size, &lines);
   fclose(file);
   for (unsigned i = 0; i < RUNS && text != NULL; i++) {
      double seconds = assemble(assembler, text, size, &program);
      assembling = seconds < assembling ? seconds : assembling;
   }
   for (unsigned i = 0; i < RUNS && program != NULL; i++) {
      double seconds = disassemble(program, &instructions, &characters);
      disassembling = seconds < disassembling ? seconds : disassembling;
   }
   free(text);
   isa_asm_destroy(assembler);
   if (program == NULL || instructions != lines || characters == 0) {
      printf("the text does not assemble to one instruction a line: %zu lines, %zu instructions\n", lines,
             instructions);
      agx_program_destroy(program);
      return 1;
   }
   agx_program_destroy(program);
   printf("disassembling: %.2f million instructions a second (%zu)\n", 1e-6 * (double)instructions / disassembling,
          instructions);
   printf("assembling: %.2f million lines a second (%zu)\n", 1e-6 * (double)lines / assembling, lines);
   return (double)instructions / disassembling < DISASSEMBLE_MIN || (double)lines / assembling < ASSEMBLE_MIN;
}
