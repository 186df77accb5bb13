/* SPDX-License-Identifier: MIT
 *
 * A folder of .agx programs, or of collected ones, as a run: a result for each with its static counts and without
 * figures.
 */
#ifndef AGX_RUNNER_PROGRAM_FOLDER_H
#define AGX_RUNNER_PROGRAM_FOLDER_H

#include "agx_runner/program/program_settings.h"
#include "agx_runner/results/result.h"

/* Reads the folder and those in it; names are paths below it. Messages are printed; an enum exit_code, EXIT_INVALID
 * where there is no program. On success result_run_finish() must follow. */
int program_folder_load(const char *path, const struct program_settings *settings, const char *command_line,
                        struct result_run *run);

#endif
