/* SPDX-License-Identifier: MIT
 *
 * compile: what the hardware is told of each kernel of a file, and its machine code.
 */
#include "agx_runner/kernel_file.h"
#include "agx_runner/listing.h"
#include "agx_runner/options.h"
#include "agx_runner/output.h"
#include "agx_runner/runner.h"

static int write_listing(const struct options *options, const struct compiler_result *compiled)
{
   struct output output;
   int code = output_open(&output, options->output);

   for (size_t i = 0; code == EXIT_OK && i < compiled->count; i++) {
      if (i > 0) {
         fputc('\n', output.file);
      }
      if (listing_program(compiled->programs[i], output.file) < 0) {
         code = complain(EXIT_FAILED, "out of memory");
      }
   }
   if (code == EXIT_OK) {
      code = output_commit(&output);
   }
   output_discard(&output);
   return code;
}

int cmd_compile(const struct options *options)
{
   const struct compiler_options compiler_options = {.arguments = options->build_options};
   struct compiler_result compiled;
   int code = kernel_file_compile(options->operands.items[0], &compiler_options, &compiled);

   if (code == EXIT_OK) {
      code = write_listing(options, &compiled);
   }
   compiler_result_finish(&compiled);
   return code;
}
