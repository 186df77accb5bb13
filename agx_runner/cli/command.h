/* SPDX-License-Identifier: MIT
 *
 * The commands: one row each in command.c, one file each (cmd_*.c).
 */
#ifndef AGX_RUNNER_COMMAND_H
#define AGX_RUNNER_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct options;

/* Bits for the option table. */
enum command_bit {
   COMMAND_DEVICES = 1,
   COMMAND_LIST = 2,
   COMMAND_DESCRIBE = 4,
   COMMAND_RUN = 8,
   COMMAND_EXEC = 16,
   COMMAND_COMPILE = 32,
   COMMAND_DISASM = 64,
   COMMAND_ASM = 128,
   COMMAND_PIGLIT = 256,
   COMMAND_COMPARE = 4096,
   COMMAND_HISTORY = 8192,
   COMMAND_REPORT = 16384,
   COMMAND_IMPORT = 65536,
   COMMAND_COMPLETION = 32768,
   COMMAND_SWEEP = 131072,
   COMMAND_SURVEY = 262144,
   COMMAND_CALIBRATE = 524288,
   COMMAND_FUZZ = 1048576,
   COMMAND_WITH_DEVICE = 16777216,
   COMMAND_EXPLAIN = 33554432,
   COMMAND_CORPUS = 67108864,
   COMMAND_REPLAY = 134217728,
};

/* Their compilations may come from the compilation cache. */
#define CACHED_COMMANDS                                                                                                \
   (COMMAND_RUN | COMMAND_SWEEP | COMMAND_PIGLIT | COMMAND_EXEC | COMMAND_EXPLAIN | COMMAND_COMPILE | COMMAND_DISASM | \
    COMMAND_CORPUS)

struct command {
   const char *name;
   enum command_bit bit;
   const char *operands; /* as usage shows them */
   unsigned operands_min, operands_max;
   const char *summary;
   int (*run)(const struct options *options); /* returns an enum exit_code */
};

/* The program's own: agx-runner's table stands in command.c, agx-fuzz's in fuzz/program/. */
extern const struct command commands[];
extern const unsigned command_count;

/* The row that both have. */
#define COMMAND_FUZZ_ROW(function)                                                                                     \
   {                                                                                                                   \
      "fuzz", COMMAND_FUZZ, "[PROGRAM.fuzz...]", 0, UINT_MAX,                                                          \
          "find miscompiles: generated programs, compiled, run, and compared with an interpreter of their NIR",        \
          function                                                                                                     \
   }

/* Runs the command that the words name, or prints the help or the version. Returns main()'s result. */
int command_main(int argc, char **argv);

const struct command *command_find(const char *name); /* NULL: none */
int command_version(FILE *file);

int cmd_devices(const struct options *options);
int cmd_list(const struct options *options);
int cmd_describe(const struct options *options);
int cmd_run(const struct options *options);
int cmd_exec(const struct options *options);
int cmd_explain(const struct options *options);
int cmd_corpus(const struct options *options);
int cmd_compile(const struct options *options);
int cmd_disasm(const struct options *options);
int cmd_piglit(const struct options *options);
int cmd_asm(const struct options *options);
int cmd_compare(const struct options *options);
int cmd_history(const struct options *options);
int cmd_completion(const struct options *options);
int cmd_report(const struct options *options);
int cmd_import(const struct options *options);
int cmd_sweep(const struct options *options);
int cmd_survey(const struct options *options);
int cmd_calibrate(const struct options *options);
int cmd_fuzz(const struct options *options);
int cmd_with_device(const struct options *options);
int cmd_replay(const struct options *options);
/* Saved jobs as operands (cmd_devices.c). */
enum saved_job_command { SAVED_JOB_DISASM, SAVED_JOB_EXPLAIN, SAVED_JOB_EXEC };
bool is_saved_job(const struct options *options); /* the first operand */
int cmd_saved_job(const struct options *options, enum saved_job_command command);

#endif
