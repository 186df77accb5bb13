/* SPDX-License-Identifier: MIT
 *
 * Figures that are derived from others of the same run: ratios of two rows, and the size of the register file.
 */
#ifndef AGX_RUNNER_DERIVED_H
#define AGX_RUNNER_DERIVED_H

#include "agx_runner/results/result.h"

/* Adds the derived rows that the run's rows allow, unless they exist. Returns false when out of memory. */
bool derived_add(struct result_run *run);

#endif
