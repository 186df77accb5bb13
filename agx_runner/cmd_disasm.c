/* SPDX-License-Identifier: MIT
 *
 * disasm: machine code as text, from a file of nothing else or from what a kernel compiles to.
 */
#include <stdlib.h>

#include "agx_runner/kernel_file.h"
#include "agx_runner/listing.h"
#include "agx_runner/options.h"
#include "agx_runner/output.h"
#include "agx_runner/runner.h"

static int disassemble(const struct options *options, const uint8_t *code, size_t size)
{
   struct output output;
   int exit_code = output_open(&output, options->output);

   if (exit_code == EXIT_OK && listing_code(code, size, 0, output.file) < 0) {
      exit_code = complain(EXIT_FAILED, "out of memory");
   }
   if (exit_code == EXIT_OK) {
      exit_code = output_commit(&output);
   }
   output_discard(&output);
   return exit_code;
}

int cmd_disasm(const struct options *options)
{
   const char *path = options->operands.items[0];
   uint8_t *data;
   size_t size;
   int code = file_read(path, &data, &size);

   if (code != EXIT_OK) {
      return code;
   }
   if (kernel_file_is_source(path, data, size)) {
      code = cmd_compile(options);
   } else if (size == 0) {
      code = complain(EXIT_FAILED, "%s: is empty", path);
   } else {
      code = disassemble(options, data, size);
   }
   free(data);
   return code;
}
