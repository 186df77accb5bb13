/* SPDX-License-Identifier: MIT
 *
 * The command line of a command: what it is called, its operands, its table of options, and the struct that the
 * values go to. A program has one of them for each command.
 */
#ifndef AGX_RUNNER_OPTIONS_H
#define AGX_RUNNER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "agx_runner/options/rows.h"
#include "agx_runner/terminal/values.h"

/* The command line without its options. The first member of each command's struct. */
struct command_line {
   struct string_list operands;
   int argc; /* what was parsed, the command first */
   char **argv;
   char *text; /* "agx-runner", and the words of argv */
};

struct command {
   const char *name;
   const char *operands; /* as usage shows them */
   unsigned operands_min, operands_max;
   const char *summary;
   const struct option_row *rows;
   size_t size;                     /* size of the command's struct */
   bool reads_input;                /* without an operand: standard input, as operand "-" */
   bool starts_program;             /* what follows the first operand belongs to the program that is started */
   int (*run)(const void *options); /* takes the command's struct; returns an enum exit_code */
};

/* Parses argv, the command first, into the struct at `options`, of command->size bytes. An enum exit_code; or
 * OPTIONS_RUN: go on; or OPTIONS_VERSION: print the version and stop. Messages and --help are printed.
 * options_finish() must follow in any case. */
#define OPTIONS_RUN (-1)
#define OPTIONS_VERSION (-2)
int options_parse(const struct command *command, int argc, char **argv, void *options);
void options_finish(const struct command *command, void *options);

/* The help of one command, and of a program with several of them. */
void options_help(const struct command *command, FILE *file);
void options_help_program(const struct command *const *commands, size_t count, FILE *file);

#endif
