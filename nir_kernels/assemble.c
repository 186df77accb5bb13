/* SPDX-License-Identifier: MIT
 *
 * Assembles a benchmark's .agx text into a compiler result. Invariant: text with an error gives no program, and
 * its first error is in the log.
 */
#include "nir_kernels/assemble.h"

#include <errno.h>

#include "compiler/api/result.h"

int bench_assemble(const char *name, const char *text, size_t size, const struct isa_asm_options *options,
                   struct compiler_result *result)
{
   struct isa_asm *assembler = isa_asm_create(options);
   struct isa_asm_result assembled = {0};
   char line[512];
   int ret = -ENOMEM;

   if (compiler_result_init(result) == 0 && assembler != NULL) {
      ret = isa_asm_program(assembler, text, size, &assembled);
   }
   if (ret == 0) {
      ret = compiler_result_add(result, assembled.program);
      assembled.program = NULL;
   } else if (ret == -EINVAL && assembled.diagnostic_count > 0) {
      isa_diagnostic_print(&assembled.diagnostics[0], name, line, sizeof(line));
      compiler_log(result, "%s\n", line);
   }
   isa_asm_result_finish(&assembled);
   isa_asm_destroy(assembler);
   return ret;
}
