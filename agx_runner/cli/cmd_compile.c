/* SPDX-License-Identifier: MIT
 *
 * compile: what the hardware is told of each kernel of a file, and its machine code. corpus: statistics of many
 * kernels.
 */
#include "agx_runner/program/corpus.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/cli/options.h"
#include "agx_runner/program/predict.h"
#include "agx_runner/program/program_file.h"
#include "agx_runner/terminal/runner.h"

int cmd_compile(const struct options *options)
{
   const char *path = options->operands.items[0];
   const struct compiler_options compiler_options = {.arguments = options->build_options};
   struct compiler_result compiled;
   int code = kernel_file_compile(path, &options->program, &compiler_options, &compiled);

   if (code == EXIT_OK) {
      const struct program_settings *settings = &options->program;

      code = options->predict
                 ? predict_write(&compiled, options->output)
                 : program_files_write(path, &compiled, program_form(settings, options->output, PROGRAM_LISTING),
                                       settings, options->output);
   }
   /* The other kernels have been shown. */
   if (code == EXIT_OK && options->program.kernel == NULL) {
      code = kernel_refused_code(&compiled, NULL);
   }
   compiler_result_finish(&compiled);
   return code;
}

int cmd_corpus(const struct options *options)
{
   const struct compiler_options compiler = {.arguments = options->build_options};
   const struct corpus_settings settings = {&options->operands, &options->program, &compiler, options->command_line,
                                            options->corpus_json};

   return corpus_write(&settings, options->output);
}
