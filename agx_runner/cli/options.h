/* SPDX-License-Identifier: MIT
 *
 * The command line. One table (options_table.c) describes all options; parsing, --help and completions read it.
 */
#ifndef AGX_RUNNER_OPTIONS_H
#define AGX_RUNNER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/launch/exec.h"
#include "agx_runner/process/run_settings.h"
#include "agx_runner/program/program_settings.h"
#include "agx_runner/terminal/values.h"

enum piglit_format {
   PIGLIT_FORMAT_SUMMARY,
   PIGLIT_FORMAT_JSON,
   PIGLIT_FORMAT_CSV,
   PIGLIT_FORMAT_JUNIT,
   PIGLIT_FORMAT_TAP,
   PIGLIT_FORMAT_MARKDOWN,
   PIGLIT_FORMAT_PIGLIT
};

/* What the command line asks for. The rooms below get a member, never this. */
struct options {
   struct run_settings run;         /* device and measuring; also what exec, sweep and piglit take of it */
   struct program_settings program; /* what is made from kernel files */
   struct exec_settings exec;
   const char *output; /* NULL: stdout */
   uint32_t format;    /* enum result_format */
   const char *build_options;
   bool hex, full, fit, predict, show_clock;
   bool hazardous; /* of run and survey: what may hang or reset the GPU is asked for */
   struct string_list mixes;
   uint32_t ilp, simds;    /* 0: not given */
   const char *plot;       /* NULL: none */
   uint32_t jobs;          /* 0: one a core */
   uint32_t piglit_format; /* enum piglit_format */
   bool no_cache;          /* compile everything */
   bool check;             /* exec, piglit: all checks of a virtual device */
   double file_timeout;    /* seconds */
   double try_seconds;     /* of processor time */
   double idle_seconds;
   const char *interleave; /* another agx-runner; NULL: none */
   struct string_list fail_on;
   uint32_t compare_format;     /* enum compare_format */
   struct string_list findings; /* of compare: files of other programs */
   bool across;
   const char *sweep;                  /* table of a sweep, for report; NULL: none */
   struct string_list explained;       /* pages of explain, for report */
   const char *store;                  /* file of runs; NULL: none */
   const char *expect;                 /* folder of expectation files; NULL: none */
   const char *resume;                 /* folder; NULL: none */
   const char *fails, *skips, *flakes; /* files; NULL: none */

   uint64_t count;                 /* of fuzz: programs; 0: no limit */
   uint64_t first;                 /* of fuzz: number of the first program */
   double seconds;                 /* of fuzz; 0: not given */
   const char *against;            /* of fuzz: another device; NULL: none */
   const char *corpus;             /* of fuzz: folder; NULL: none */
   const char *known;              /* of fuzz: file of signatures; NULL: none */
   uint32_t explain_format;        /* enum explain_format */
   bool corpus_json;               /* of corpus: a result file, not text */
   uint32_t timeline;              /* of explain: simdgroups; 0: none */
   bool no_simulations;            /* of explain */
   const char *event_trace;        /* of explain: file; NULL: none */
   const char *schedule;           /* of explain: file for the better order; NULL: none */
   bool schedules;                 /* of explain: rank kernels, run none */
   const char *schedules_baseline; /* of explain --schedules: file of another compiler's; NULL: none */
   const char *loop_counts;        /* of explain --static: "N,..."; NULL: the kernel is run */
   uint32_t fuzz_format;           /* enum fuzz_format */
   uint32_t language;              /* of fuzz: enum fuzz_language */
   bool no_repairs;                /* of fuzz: none of agx-runner's repairs of the front end and the backend */

   const char *folder; /* of a survey; NULL: survey-CHIP */
   bool list_steps;    /* of survey */
   bool stats;         /* of with-device */
   const char *trace;  /* of with-device: folder; NULL: none */
   const char *record; /* of with-device: folder; NULL: none */

   struct string_list operands;
   int argc; /* what was parsed, the command first */
   char **argv;
   const char *command_line; /* as it was given, words joined by spaces */
};

/* An enum exit_code, or OPTIONS_RUN: go on. options_finish() must follow in any case. */
#define OPTIONS_RUN (-1)
int options_parse(const struct command *command, int argc, char **argv, struct options *options);
void options_finish(struct options *options);

/* Of a command's options those that another agx-runner must have to measure alike (not `stays`), as words of its
 * command line. EXIT_OK, or EXIT_FAILED with a message; options_forward_finish() must follow in any case. */
int options_forward(const struct command *command, const struct options *options, struct string_list *words);
void options_forward_finish(struct string_list *words);

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

#endif
