/* SPDX-License-Identifier: MIT
 *
 * Translates a generated NIR program to a kernel in OpenCL C.
 */
#ifndef AGX_RUNNER_FUZZ_TRANSLATE_TRANSLATE_H
#define AGX_RUNNER_FUZZ_TRANSLATE_TRANSLATE_H

#include "fuzz/opencl/program.h"
#include "fuzz/translate/way.h"
#include "fuzz/nir/program.h"

#define TRANSLATE_WHY 96 /* bytes */

/* Enumerates the ways, the simplest first. Returns false if there are no more. */
bool translate_way(unsigned number, struct translate_way *way);

/* Translates a program. lane: the one whose answer is wrong. expected: what the program must store, so that a kernel
 * with another answer is refused; NULL: not known. Returns false with what has no translation in `why`. */
bool translate_program(const struct fuzz_program *program, uint32_t lane, const struct fuzz_outputs *expected,
                       const struct translate_way *way, struct ocl_program *kernel, char why[TRANSLATE_WHY]);

#endif
