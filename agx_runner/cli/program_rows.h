/* SPDX-License-Identifier: MIT
 *
 * The options that make a program of a kernel's file, for every command that takes one.
 */
#ifndef AGX_RUNNER_PROGRAM_ROWS_H
#define AGX_RUNNER_PROGRAM_ROWS_H

#include "agx_runner/options/options.h"
#include "agx_runner/program/program_settings.h"

struct source_options {
   struct program_settings program;
   const char *build_options; /* NULL: none */
};

/* Groups of rows. */
extern const struct option_row source_rows[];   /* of struct source_options: compiling and assembling */
extern const struct option_row assembly_rows[]; /* of struct program_settings: assembling */
extern const struct option_row listing_rows[];  /* of struct program_settings: what is shown of a program */
extern const struct option_info option_program;

/* The work of compile on one file (cmd_compile.c), for disasm too. predict: writes the prediction of the timing model
 * instead of the code. An enum exit_code. */
int compile_file(const char *path, const struct source_options *source, bool predict, const char *output);

#endif
