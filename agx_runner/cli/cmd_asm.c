/* SPDX-License-Identifier: MIT
 *
 * asm: AGX assembly to machine code.
 */
#include "agx_runner/cli/options.h"
#include "agx_runner/program/assembly.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/program/program_file.h"
#include "agx_runner/terminal/runner.h"

int cmd_asm(const struct options *options)
{
   const char *path = options->operands.items[0];
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
