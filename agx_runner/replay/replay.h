/* SPDX-License-Identifier: MIT
 *
 * agx-runner replay: runs saved jobs again and compares the memory that they leave.
 */
#ifndef AGX_RUNNER_REPLAY_H
#define AGX_RUNNER_REPLAY_H

#include "agx_runner/terminal/values.h"

/* paths: saved jobs, or folders of them. Prints a line for each. Returns EXIT_FAILED if a job ended differently than
 * when it was saved. */
int replay_run(const char *device, const struct string_list *paths, double seconds);

struct replay;
/* Prints the findings of a virtual device's checks (option check=), a line each. Returns EXIT_FAILED if there are
 * any. */
int replay_findings(const char *path, const struct replay *replay);

#endif
