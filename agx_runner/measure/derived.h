/* SPDX-License-Identifier: MIT
 *
 * Figures that follow from others of the same run: ratios of two rows, and the size of the register file.
 */
#ifndef AGX_RUNNER_DERIVED_H
#define AGX_RUNNER_DERIVED_H

#include "agx_runner/results/result.h"

/* Adds a row for whatever the run's rows allow, unless it is there. False: out of memory. */
bool derived_add(struct result_run *run);

#endif
