/* SPDX-License-Identifier: MIT
 *
 * Shrinking: the smallest program that still fails.
 */
#ifndef AGX_RUNNER_FUZZ_SHRINK_H
#define AGX_RUNNER_FUZZ_SHRINK_H

#include "fuzz/nir/program.h"

/* Whether a program fails in the way that is looked for. */
typedef bool fuzz_fails(const struct fuzz_program *program, void *data);

/* Changes `program`, which fails, into a smaller one that fails. `difference`: where it fails; NULL: everywhere (a
 * crash). */
void fuzz_shrink(struct fuzz_program *program, const struct fuzz_difference *difference, fuzz_fails *fails, void *data);

#endif
