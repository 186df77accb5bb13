/* SPDX-License-Identifier: MIT
 *
 * A build of agx-runner, this one or another, under interleaving: a process measures, and its result file is read.
 */
#ifndef AGX_RUNNER_TURN_H
#define AGX_RUNNER_TURN_H

#include <signal.h>
#include <stdbool.h>

#include "agx_runner/results/result.h"

#define TURN_WORDS_MAX 80            /* of a command line, the program and the final NULL among them */
#define TURN_ITSELF "/proc/self/exe" /* this program, also when its file has been replaced */

struct turns {
   char *folder, *results, *messages; /* a temporary folder, and what a turn leaves there */
   sigset_t before;                   /* signals blocked for who called, and so for the processes */
   double deadline;                   /* seconds of the monotonic clock; INFINITY: none */
};

/* Can this be run at all? EXIT_OK, or EXIT_INVALID with a message. */
int turn_check(const char *program);

/* seconds: for all turns, 0 for as long as they take. From here to turns_finish() SIGINT, SIGTERM and SIGHUP end the
 * turn. A message and an enum exit_code; turns_finish() must follow in any case. */
int turns_start(struct turns *turns, double seconds);
void turns_finish(struct turns *turns);

/* Runs `program run WORDS...` (words[0] and words[1] are set here, and NULL ends them; room for four more words must be
 * behind that) and reads its results. EXIT_OK: result_run_finish() must follow; *absent: it knows none of the
 * benchmarks, and the run is empty. Else a message that names the program as `label`, and an enum exit_code. */
int turn_take(const struct turns *turns, const char *program, const char *label, const char **words,
              struct result_run *run, bool *absent);

#endif
