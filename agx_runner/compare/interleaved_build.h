/* SPDX-License-Identifier: MIT
 *
 * A build of agx-runner, this one or another, for interleaving: a process measures, and its result file is read.
 */
#ifndef AGX_RUNNER_INTERLEAVED_BUILD_H
#define AGX_RUNNER_INTERLEAVED_BUILD_H

#include <signal.h>
#include <stdbool.h>

#include "agx_runner/results/result.h"

/* most words of a command line, including the program and the final NULL */
#define INTERLEAVED_BUILD_WORDS_MAX 80
#define INTERLEAVED_BUILD_ITSELF "/proc/self/exe" /* this program, even if its file has been replaced */

struct interleaved_builds {
   char *folder, *results, *messages; /* a temporary folder, and the files of a process in it */
   sigset_t before;                   /* the signal mask before the caller blocked some; the processes get it */
   double deadline;                   /* seconds of the monotonic clock; INFINITY: no limit */
};

/* Whether the program can be executed. Returns EXIT_OK, or EXIT_INVALID with a message. */
int interleaved_build_check(const char *program);

/* seconds: time limit of all processes, 0: none. From here to interleaved_builds_finish() SIGINT, SIGTERM and SIGHUP
 * end the process. Prints messages; returns an enum exit_code; interleaved_builds_finish() must follow in any case. */
int interleaved_builds_start(struct interleaved_builds *builds, double seconds);
void interleaved_builds_finish(struct interleaved_builds *builds);

/* Runs `program run WORDS...` and reads its results. The function sets words[0] and words[1]; NULL ends the words, with
 * room for four more behind it. EXIT_OK: result_run_finish() must follow; *absent: the build knows none of the
 * benchmarks, and the run is empty. Otherwise it prints a message that names the program as `label`, and returns an
 * enum exit_code. */
int interleaved_build_run(const struct interleaved_builds *builds, const char *program, const char *label,
                          const char **words, struct result_run *run, bool *absent);

#endif
