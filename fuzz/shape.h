/* SPDX-License-Identifier: MIT
 *
 * The shape of a shrunk program: its ops, without data. A program that holds a shape that was found before most likely
 * fails for the same cause.
 */
#ifndef AGX_RUNNER_FUZZ_SHAPE_H
#define AGX_RUNNER_FUZZ_SHAPE_H

#include <stddef.h>

#include "fuzz/nir/program.h"

/* "iand(ushr(_,_),#)" of every effect of the program: the same for programs that differ in data only. */
void fuzz_shape(const void *program, char *text, size_t size);
/* Whether what the program's output `output` is computed from holds the whole of a shrunk program. */
bool fuzz_contains(const struct fuzz_program *program, uint32_t output, const struct fuzz_program *shrunk);

#endif
