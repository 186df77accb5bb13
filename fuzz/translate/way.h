/* SPDX-License-Identifier: MIT
 *
 * The ways to translate a program.
 */
#ifndef AGX_RUNNER_FUZZ_TRANSLATE_WAY_H
#define AGX_RUNNER_FUZZ_TRANSLATE_WAY_H

#include <stdbool.h>

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

#endif
