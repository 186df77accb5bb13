/* SPDX-License-Identifier: MIT
 *
 * --results and --resume, for every command that runs units: the folder is opened, and a run is resumed with the
 * command line that it was started with.
 */
#ifndef AGX_RUNNER_KEPT_H
#define AGX_RUNNER_KEPT_H

#include "agx_runner/cli/options.h"
#include "agx_runner/process/results_dir.h"

/* Calls execute() with the folder that the options name (NULL: none), and with the options that count: of a resumed run
 * its own, but for format and output. Messages are printed; an enum exit_code. */
int kept_run(const struct options *options, int (*execute)(const struct options *options, struct results_dir *dir));

#endif
