/* SPDX-License-Identifier: MIT
 *
 * Runs one launch on a virtual device that records, and writes where its modelled time goes.
 */
#ifndef AGX_RUNNER_EXPLAIN_LAUNCH_H
#define AGX_RUNNER_EXPLAIN_LAUNCH_H

#include "agx_runner/launch/exec.h"
#include "agx_runner/measure/session.h"
#include "agx_runner/program/program_settings.h"
#include "compiler/api/compiler.h"

struct explain_launch_settings {
   const char *path; /* of the kernel's file */
   const struct program_settings *program;
   const struct compiler_options *compiler;
   enum output_format format;
   uint32_t timeline; /* simdgroups; 0: none */
   bool no_simulations;
   const char *trace;    /* file; NULL: none */
   const char *schedule; /* file for the better order; NULL: none */
   const char *output;   /* NULL: stdout */
};

/* The modelled time of the program by instruction. Prints messages; returns an enum exit_code. */
int explain_launch(struct exec *exec, struct session *session, const struct explain_launch_settings *settings);

#endif
