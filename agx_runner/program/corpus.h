/* SPDX-License-Identifier: MIT
 *
 * Statistics of many kernels, by which two builds of the compiler can be compared.
 */
#ifndef AGX_RUNNER_CORPUS_H
#define AGX_RUNNER_CORPUS_H

#include <stdbool.h>

#include "agx_runner/program/program_settings.h"
#include "agx_runner/results/result.h"
#include "agx_runner/terminal/values.h"
#include "compiler/api/compiler.h"

struct corpus_settings {
   const struct string_list *paths; /* files and folders */
   const struct program_settings *program;
   const struct compiler_options *compiler;
   const char *command_line;
   const char *mesa;   /* version of the Mesa whose drivers compile (program->mesa); NULL: the linked one compiles */
   unsigned shard, of; /* every file of that number from 1 to `of`; 0, 0: all */
   bool json;          /* write a result file for `compare`; otherwise text */
};

/* Compiles all kernels and writes their statistics to `output` (NULL: stdout). A kernel that does not become a program
 * is a result with the reason. Returns an enum exit_code. */
int corpus_write(const struct corpus_settings *settings, const char *output);

/* Compiles all kernels. A kernel that does not become a program is a result with the reason. Returns an enum exit_code;
 * EXIT_OK also where files have errors. result_run_finish() must follow in any case. */
int corpus_collect(const struct corpus_settings *settings, struct result_run *run);

#endif
