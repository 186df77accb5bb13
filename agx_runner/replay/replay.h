/* SPDX-License-Identifier: MIT
 *
 * agx-runner replay: runs saved jobs again and compares what they leave in memory.
 */
#ifndef AGX_RUNNER_REPLAY_H
#define AGX_RUNNER_REPLAY_H

#include "agx_runner/terminal/values.h"

/* paths: saved jobs, or folders of them. Prints a line for each. The exit code: EXIT_FAILED where a job ended otherwise
 * than when it was saved. */
int replay_run(const char *device, const struct string_list *paths, double seconds);

struct replay;
/* Prints what the checks of a virtual device found (option check=), a line each. EXIT_FAILED where they found anything.
 */
int replay_findings(const char *path, const struct replay *replay);

#endif
