/* SPDX-License-Identifier: MIT
 *
 * disasm, explain and exec of a saved job. Each runs the job as replay does. All print messages and return an enum
 * exit_code.
 */
#ifndef AGX_RUNNER_REPLAY_JOB_COMMANDS_H
#define AGX_RUNNER_REPLAY_JOB_COMMANDS_H

#include "agx_runner/explain/explain.h"
#include "agx_runner/program/program_settings.h"
#include "agx_runner/terminal/values.h"

struct job_settings {
   const char *path;
   const char *device;                     /* "auto": a virtual one of the chip class on which the job was saved */
   double seconds;                         /* time limit of the job */
   const struct program_settings *program; /* kernel: the GPU address of one of its programs; NULL: all */
   const char *output;                     /* NULL: stdout */
};

/* A saved job has its program, buffers and grid, and comes alone. option: what was given that goes with kernels only;
 * NULL: nothing. */
int job_check_command(const struct string_list *operands, const char *option);

/* Its programs, in the order of their first launches. */
int job_disasm(const struct job_settings *settings);

struct job_explain_settings {
   enum output_format format;
   unsigned timeline;
   const char *event_trace; /* NULL: none */
   const char *name;        /* of the job's program, where it has one only; NULL: its address */
};
/* Explains its programs, the one with the longest time first: the longest launch of each. */
int job_explain(const struct job_settings *settings, const struct job_explain_settings *explain);

struct job_exec_settings {
   const struct string_list *prints, *dumps; /* "N", "N=FILE": a buffer's number */
   bool check;                               /* with all checks of a virtual device */
};
/* Prints the buffers that it changed. */
int job_exec(const struct job_settings *settings, const struct job_exec_settings *exec);

#endif
