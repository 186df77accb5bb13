/* SPDX-License-Identifier: MIT
 *
 * disasm: machine code as text. The code is in a file of its own, in lines of hex, in a saved job, or compiled from a
 * kernel's source.
 */
#include <stdlib.h>
#include <string.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/program_rows.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/program/assembly.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/program/program_file.h"
#include "agx_runner/replay/job_commands.h"
#include "agx_runner/replay/job_file.h"
#include "agx_runner/terminal/runner.h"
#include "isa/isa.h"

#define JOB_SECONDS 60 /* for a saved job: disasm has no --timeout */

struct disasm_options {
   struct command_line line;
   struct source_options source;
   bool hex;
   const char *output; /* NULL: stdout */
};

#define FIELD(member) .field = offsetof(struct disasm_options, member)
/* clang-format off */
static const struct option_row rows[] = {
   {&option_kernel, FIELD(source.program.kernel)},
   {.group = source_rows, FIELD(source)},
   {&option_hex, FIELD(hex)},
   {.group = listing_rows, FIELD(source.program)},
   {&option_output, FIELD(output)},
   {0},
};
/* clang-format on */

/* Where the last instruction begins if the code ends before it does, else `size`. *length: what it would have, were the
 * missing bytes zero. */
static size_t find_cut(const struct isa_set *set, const uint8_t *code, size_t size, unsigned *length)
{
   struct isa_insn insn;

   for (size_t at = 0; at < size; at += insn.length) {
      isa_decode(set, code + at, size - at, &insn);
      if (insn.row == NULL && size - at < ISA_MAX_LENGTH) {
         uint8_t longer[2 * ISA_MAX_LENGTH] = {0};
         struct isa_insn whole;
         memcpy(longer, code + at, size - at);
         isa_decode(set, longer, sizeof(longer), &whole);
         if (whole.row != NULL && whole.length > size - at) {
            *length = whole.length;
            return at;
         }
      }
   }
   return size;
}

/* Zeros decode as a jump that no known program has (spec/isa.md 1.1), so they are shown as a gap, not as code. */
static bool is_zero(const uint8_t *code, size_t size)
{
   return code[0] == 0 && memcmp(code, code + 1, size - 1) == 0;
}

static int disassemble(const char *path, const uint8_t *code, size_t size, const struct disasm_options *options)
{
   const enum program_form form = program_form(&options->source.program, options->output, PROGRAM_LISTING);

   if (size == 0) {
      return complain(EXIT_FAILED, "%s: is empty", path);
   }
   if (is_zero(code, size)) {
      return complain(EXIT_FAILED, "%s: %zu bytes, all of them zero: no machine code", path, size);
   }
   if (form == PROGRAM_TEXT || form == PROGRAM_CODE) {
      return complain(EXIT_INVALID,
                      "%s: bare machine code says nothing of registers, uniforms and arguments, which a "
                      "program has; --program takes .agx, .cl or .spv",
                      path);
   }
   const struct isa_set *set = isa_set_default(); /* bare code does not say what it is in */
   unsigned length = 0;
   const size_t cut = find_cut(set, code, size, &length);
   if (cut == size) {
      return code_write(set, code, size, form, &options->source.program, options->output);
   }
   if (options->output ==
       NULL) { /* after an error an output file stays as it was; standard output shows what could be decoded */
      (void)code_write(set, code, size, form, &options->source.program, options->output);
   }
   return complain(EXIT_FAILED, "%s: the last instruction, at byte %zu, is cut off: %zu of %u bytes are there", path,
                   cut, size - cut, length);
}

static int disassemble_job(const struct disasm_options *options)
{
   const struct job_settings settings = {.path = options->line.operands.items[0],
                                         .device = "auto",
                                         .seconds = JOB_SECONDS,
                                         .program = &options->source.program,
                                         .output = options->output};
   const int code =
       job_check_command(&options->line.operands, options->source.build_options != NULL ? "--options" : NULL);

   return code == EXIT_OK ? job_disasm(&settings) : code;
}

static int cmd_disasm(const void *given)
{
   const struct disasm_options *options = given;
   const char *path = options->line.operands.items[0];
   uint8_t *data;
   size_t size;

   if (options->hex) {
      return assembly_from_hex(path, &options->source.program, options->output);
   }
   if (saved_job_is(path)) {
      return disassemble_job(options);
   }
   int code = file_read(path, &data, &size);
   if (code != EXIT_OK) {
      return code;
   }
   code = kernel_file_is_source(path, data, size) ? compile_file(path, &options->source, false, options->output)
                                                  : disassemble(path, data, size, options);
   free(data);
   return code;
}

const struct command command_disasm = {
    .name = "disasm",
    .operands = "[FILE]",
    .operands_min = 0,
    .operands_max = 1,
    .summary =
        "disassemble machine code, or the program of a source file or of a saved job; without FILE, standard input",
    .rows = rows,
    .size = sizeof(struct disasm_options),
    .reads_input = true,
    .run = cmd_disasm,
};
