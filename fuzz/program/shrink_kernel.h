/* SPDX-License-Identifier: MIT
 *
 * Shrinks a kernel that fails elsewhere: who started this program says of each smaller one whether it fails.
 */
#ifndef AGX_RUNNER_FUZZ_PROGRAM_SHRINK_KERNEL_H
#define AGX_RUNNER_FUZZ_PROGRAM_SHRINK_KERNEL_H

#include "fuzz/settings/settings.h"

/* What it is told of a kernel, one of these words a line. */
#define SHRINK_PASSES "passes"
#define SHRINK_BREAKS "breaks"   /* the compiler crashes, or the device reports a fault */
#define SHRINK_DIFFERS "differs" /* then the numbers of an argument and of a vector of it */

/* Shrinks the first kernel that the settings number. Each try is in NUMBER.cl of the folder; then a line is printed,
 * and a line is read. In the end the file has the smallest kernel that fails. Prints messages; returns an enum
 * exit_code. */
int fuzz_shrink_kernel(const struct fuzz_settings *settings);

#endif
