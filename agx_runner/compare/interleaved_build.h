/* SPDX-License-Identifier: MIT
 *
 * A build of agx-runner, this one or another, under interleaving: a process measures, and its result file is read.
 */
#ifndef AGX_RUNNER_INTERLEAVED_BUILD_H
#define AGX_RUNNER_INTERLEAVED_BUILD_H

#include <signal.h>
#include <stdbool.h>

#include "agx_runner/results/result.h"

#define INTERLEAVED_BUILD_WORDS_MAX 80            /* of a command line, the program and the final NULL among them */
#define INTERLEAVED_BUILD_ITSELF "/proc/self/exe" /* this program, also when its file has been replaced */

struct interleaved_builds {
   char *folder, *results, *messages; /* a temporary folder, and what a process leaves there */
   sigset_t before;                   /* signals that the caller has blocked; the processes get this mask */
   double deadline;                   /* seconds of the monotonic clock; INFINITY: none */
};

/* Can this be run at all? EXIT_OK, or EXIT_INVALID with a message. */
int interleaved_build_check(const char *program);

/* seconds: for all builds, 0 for as long as they take. From here to interleaved_builds_finish() SIGINT, SIGTERM and
 * SIGHUP end the process. A message and an enum exit_code; interleaved_builds_finish() must follow in any case. */
int interleaved_builds_start(struct interleaved_builds *builds, double seconds);
void interleaved_builds_finish(struct interleaved_builds *builds);

/* Runs `program run WORDS...` (words[0] and words[1] are set here, and NULL ends them; room for four more words must be
 * behind that) and reads its results. EXIT_OK: result_run_finish() must follow; *absent: it knows none of the
 * benchmarks, and the run is empty. Else a message that names the program as `label`, and an enum exit_code. */
int interleaved_build_run(const struct interleaved_builds *builds, const char *program, const char *label,
                          const char **words, struct result_run *run, bool *absent);

#endif
