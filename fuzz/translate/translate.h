/* SPDX-License-Identifier: MIT
 *
 * Translates a generated NIR program to a kernel in OpenCL C.
 */
#ifndef AGX_RUNNER_FUZZ_TRANSLATE_TRANSLATE_H
#define AGX_RUNNER_FUZZ_TRANSLATE_TRANSLATE_H

#include "fuzz/opencl/program.h"
#include "fuzz/nir/program.h"

/* Where the kernel has the program's constants. Clang folds visible constants; constants in private memory are first
 * folded by NIR. A choice between two equal numbers becomes a constant when nir_opt_algebraic runs. */
enum translate_constants {
   TRANSLATE_LITERALS,
   TRANSLATE_PRIVATE,
   TRANSLATE_CHOSEN,
   TRANSLATE_ARGUMENTS,
   TRANSLATE_CONSTANTS
};

/* How a program is translated. There are several ways, because clang makes other NIR from a kernel than the program
 * has. */
struct translate_way {
   enum translate_constants constants;
   /* Operators on 8 and 16 bits use vectors of two, and a choice is select(), because C computes scalars of these sizes
    * in int. */
   bool vectors;
   bool rounded;   /* the kernel forbids contraction, so that sums and products are rounded as NIR's exact ops are */
   bool simdgroup; /* all lanes of the simdgroup, not only the one */
};

#define TRANSLATE_WHY 96 /* bytes */

/* Enumerates the ways, the simplest first. Returns false if there are no more. */
bool translate_way(unsigned number, struct translate_way *way);

/* Translates a program. lane: the one whose answer is wrong. expected: what the program must store, so that a kernel
 * with another answer is refused; NULL: not known. Returns false with what has no translation in `why`. */
bool translate_program(const struct fuzz_program *program, uint32_t lane, const struct fuzz_outputs *expected,
                       const struct translate_way *way, struct ocl_program *kernel, char why[TRANSLATE_WHY]);

#endif
