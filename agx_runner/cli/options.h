/* SPDX-License-Identifier: MIT
 *
 * The command line. One table (options.c) says what there is; parsing and --help both come from it.
 */
#ifndef AGX_RUNNER_OPTIONS_H
#define AGX_RUNNER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "agx_runner/cli/command.h"

enum piglit_format { PIGLIT_FORMAT_SUMMARY, PIGLIT_FORMAT_JSON, PIGLIT_FORMAT_PIGLIT };
enum clock_source { CLOCK_AUTO, CLOCK_INFER, CLOCK_NOMINAL };
extern const char *const clock_names[]; /* as the option takes them; NULL ends it */

struct string_list {
   const char **items;
   size_t count;
};

struct dimensions {
   uint32_t size[3]; /* 0,0,0: not given */
   uint32_t count;   /* numbers that were given */
};

struct options {
   const char *device;
   uint32_t samples;
   uint64_t seed;
   const char *output; /* NULL: stdout */
   uint32_t format;    /* enum result_format */
   uint32_t clock;     /* enum clock_source */
   double timeout;     /* seconds */
   const char *kernel;
   const char *build_options;
   struct string_list defines; /* constants for the assembler */
   uint32_t syntax;            /* enum isa_syntax */
   bool hex, stats, program, long_forms, full, predict;
   struct string_list mixes;
   uint32_t ilp, simds; /* 0: not given */
   const char *plot;    /* NULL: none */
   struct string_list buffers, values, locals, dumps, prints;
   struct dimensions grid, group;
   uint32_t repeat;
   uint32_t jobs;          /* 0: one a core */
   uint32_t piglit_format; /* enum piglit_format */
   double file_timeout;    /* seconds */
   const char *interleave; /* another agx-runner; NULL: none */
   struct string_list fail_on;
   uint32_t compare_format; /* enum compare_format */
   bool across;
   const char *sweep;                              /* table of a sweep, for report; NULL: none */
   const char *store;                              /* file of runs; NULL: none */
   const char *expect;                             /* folder of expectation files; NULL: none */
   const char *results, *resume;                   /* folders; NULL: none */
   const char *fails, *skips, *flakes;             /* files; NULL: none */
   double test_timeout, idle_timeout, run_timeout; /* seconds; run_timeout 0: none */
   uint32_t reruns;                                /* of a test that fails unexpectedly */

   struct string_list operands;
   int argc; /* what was parsed, the command first */
   char **argv;
   const char *command_line; /* as it was given, words joined by spaces */
};

/* An enum exit_code, or OPTIONS_RUN: go on. options_finish() must follow in any case. */
#define OPTIONS_RUN (-1)
int options_parse(const struct command *command, int argc, char **argv, struct options *options);
void options_finish(struct options *options);

/* The help of one command; NULL: of the program. */
void options_help(const struct command *command, FILE *file);

/* One row of the table, for who writes completions. */
struct option_view {
   char letter;                       /* 0: none */
   const char *name, *metavar, *help; /* metavar NULL: it takes nothing */
   const char *const *choices;        /* NULL: no fixed set */
};
void options_each(const struct command *command, void (*visit)(void *data, const struct option_view *option),
                  void *data);

/* Whole numbers in decimal or 0x; false when text is no such number or outside min..max. */
bool options_number(const char *text, uint64_t min, uint64_t max, uint64_t *value);

#endif
