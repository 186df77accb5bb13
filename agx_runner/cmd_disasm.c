/* SPDX-License-Identifier: MIT
 *
 * disasm: machine code as text: of a file of nothing else, of what a kernel's source becomes, of lines of hex.
 */
#include <stdlib.h>

#include "agx_runner/assembly.h"
#include "agx_runner/kernel_file.h"
#include "agx_runner/program_file.h"
#include "agx_runner/runner.h"

static int disassemble(const char *path, const uint8_t *code, size_t size, const struct options *options)
{
   const enum program_form form = program_form(options, PROGRAM_LISTING);

   if (size == 0) {
      return complain(EXIT_FAILED, "%s: is empty", path);
   }
   if (form == PROGRAM_TEXT || form == PROGRAM_CODE) {
      return complain(EXIT_INVALID, "%s: bare machine code says nothing of registers, uniforms and arguments, which a "
                                    "program has; --program takes .agx, .cl or .spv",
                      path);
   }
   return code_write(code, size, form, options);
}

int cmd_disasm(const struct options *options)
{
   const char *path = options->operands.items[0];
   uint8_t *data;
   size_t size;

   if (options->hex) {
      return assembly_from_hex(path, options);
   }
   int code = file_read(path, &data, &size);
   if (code != EXIT_OK) {
      return code;
   }
   code = kernel_file_is_source(path, data, size) ? cmd_compile(options) : disassemble(path, data, size, options);
   free(data);
   return code;
}
