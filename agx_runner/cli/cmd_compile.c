/* SPDX-License-Identifier: MIT
 *
 * compile: the machine code of each kernel of a file, and the settings that the hardware needs for it. corpus:
 * statistics of many kernels.
 */
#include <limits.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/cli/program_rows.h"
#include "agx_runner/cli/shared/shard.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/results/environment.h"
#include "agx_runner/program/corpus.h"
#include "agx_runner/program/kernel_file.h"
#include "agx_runner/program/predict.h"
#include "agx_runner/program/program_file.h"
#include "agx_runner/terminal/runner.h"
#include "drivers/find.h"

struct compile_options {
   struct command_line line;
   struct source_options source;
   bool predict;
   const char *output; /* NULL: stdout */
};

#define FIELD(member) .field = offsetof(struct compile_options, member)
/* clang-format off */
static const struct option_row compile_rows[] = {
   {&option_kernel, FIELD(source.program.kernel)},
   {.group = source_rows, FIELD(source)},
   {OPTION(.name = "predict", .kind = KIND_FLAG,
           .help = "print what the timing model predicts for each basic block (its bound and its cycles) instead of the "
                   "machine code"), FIELD(predict)},
   {.group = listing_rows, FIELD(source.program)},
   {&option_output, FIELD(output)},
   {0},
};
/* clang-format on */
#undef FIELD

int compile_file(const char *path, const struct source_options *source, bool predict, const char *output)
{
   const struct program_settings *settings = &source->program;
   const struct compiler_options compiler_options = {.arguments = source->build_options};
   struct compiler_result compiled;
   int code = kernel_file_compile(path, settings, &compiler_options, &compiled);

   if (code == EXIT_OK) {
      code = predict ? predict_write(&compiled, output)
                     : program_files_write(path, &compiled, program_form(settings, output, PROGRAM_LISTING), settings,
                                           output);
   }
   /* The other kernels have been shown. */
   if (code == EXIT_OK && settings->kernel == NULL) {
      code = kernel_refused_code(&compiled, NULL);
   }
   compiler_result_finish(&compiled);
   return code;
}

static int cmd_compile(const void *data)
{
   const struct compile_options *options = data;

   return compile_file(options->line.operands.items[0], &options->source, options->predict, options->output);
}

const struct command command_compile = {
    .name = "compile",
    .operands = "FILE.cl|FILE.spv|FILE.agx",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "compile, and show the launch parameters and the machine code",
    .rows = compile_rows,
    .size = sizeof(struct compile_options),
    .run = cmd_compile,
};

struct corpus_options {
   struct command_line line;
   struct source_options source;
   const char *shard;  /* shard_parse() */
   bool json;          /* a result file, not text */
   const char *output; /* NULL: stdout */
};

#define FIELD(member) .field = offsetof(struct corpus_options, member)
/* clang-format off */
static const struct option_row corpus_rows[] = {
   {&option_kernel, FIELD(source.program.kernel)},
   {.group = source_rows, FIELD(source)},
   {&option_shard, FIELD(shard)},
   {OPTION(.name = "json", .kind = KIND_FLAG,
           .help = "write a result file, which compare reads, instead of text"), FIELD(json)},
   {&option_output, FIELD(output)},
   {0},
};
/* clang-format on */

static int cmd_corpus(const void *data)
{
   const struct corpus_options *options = data;
   const struct compiler_options compiler = {.arguments = options->source.build_options};
   char version[MESA_WORD];
   struct shard shard;
   int code = shard_parse(options->shard, &shard);
   const struct corpus_settings settings = {.paths = &options->line.operands,
                                            .program = &options->source.program,
                                            .compiler = &compiler,
                                            .command_line = options->line.text,
                                            .shard = shard.number,
                                            .of = shard.of,
                                            .json = options->json,
                                            .mesa = mesa_version(options->source.program.mesa, version)};

   code = code == EXIT_OK ? compiler_choose(options->source.program.compiler)
                          : code; /* before the header, which names it */
   return code == EXIT_OK ? corpus_write(&settings, options->output) : code;
}

const struct command command_corpus = {
    .name = "corpus",
    .operands = "DIR|FILE...",
    .operands_min = 1,
    .operands_max = UINT_MAX,
    .summary = "compile all kernels of files and folders, and show statistics of each; compare takes two such files",
    .rows = corpus_rows,
    .size = sizeof(struct corpus_options),
    .run = cmd_corpus,
};
