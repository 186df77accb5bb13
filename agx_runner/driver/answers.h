/* SPDX-License-Identifier: MIT
 *
 * The answers of kernels through two Mesas' drivers, beside each other.
 */
#ifndef AGX_RUNNER_DRIVER_ANSWERS_H
#define AGX_RUNNER_DRIVER_ANSWERS_H

#include "agx_runner/program/program_settings.h"
#include "agx_runner/results/result.h"

/* Launches the kernels of both runs, whose results name their files, with the same generated arguments, and sets
 * whether the answers of the second run are those of the first one. Kernels whose arguments cannot be generated, and
 * those that fault with both, stay unchecked. mesas: as --mesa takes them. build_options: NULL: none. Prints messages;
 * returns an enum exit_code. */
int driver_answers_compare(const char *const mesas[2], const char *build_options, struct result_run runs[2]);

#endif
