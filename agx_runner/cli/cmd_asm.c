/* SPDX-License-Identifier: MIT
 *
 * asm: AGX assembly to machine code.
 */
#include "agx_runner/cli/command.h"
#include "agx_runner/cli/program_rows.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/program/assembly.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/program/program_file.h"
#include "agx_runner/terminal/runner.h"

struct asm_options {
   struct command_line line;
   struct program_settings program;
   bool hex;
   const char *output; /* NULL: stdout */
};

#define FIELD(member) .field = offsetof(struct asm_options, member)
/* clang-format off */
static const struct option_row rows[] = {
   {.group = assembly_rows, FIELD(program)},
   {&option_hex, FIELD(hex)},
   {.group = listing_rows, FIELD(program)},
   {&option_output, FIELD(output)},
   {0},
};
/* clang-format on */

static int cmd_asm(const void *data)
{
   const struct asm_options *options = data;
   const char *path = options->line.operands.items[0];
   struct compiler_result assembled;

   if (options->hex) {
      return assembly_to_hex(path, &options->program, options->output);
   }
   int code = kernel_file_assemble(path, &options->program, &assembled);
   if (code == EXIT_OK) {
      code = program_files_write(path, &assembled, program_form(&options->program, options->output, PROGRAM_CODE),
                                 &options->program, options->output);
   }
   compiler_result_finish(&assembled);
   return code;
}

const struct command command_asm = {
    .name = "asm",
    .operands = "[FILE]",
    .operands_min = 0,
    .operands_max = 1,
    .summary = "assemble AGX assembly to machine code; without FILE, standard input",
    .rows = rows,
    .size = sizeof(struct asm_options),
    .reads_input = true,
    .run = cmd_asm,
};
