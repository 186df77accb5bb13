/* SPDX-License-Identifier: MIT
 *
 * In what way a program is translated.
 */
#ifndef AGX_RUNNER_FUZZ_TRANSLATE_WAY_H
#define AGX_RUNNER_FUZZ_TRANSLATE_WAY_H

#include <stdbool.h>

/* Where the kernel has the program's constants. Clang folds what it sees; NIR first folds what private memory holds. A
 * choice between a number and the same number becomes a constant when nir_opt_algebraic runs. */
enum translate_constants {
   TRANSLATE_LITERALS,
   TRANSLATE_PRIVATE,
   TRANSLATE_CHOSEN,
   TRANSLATE_ARGUMENTS,
   TRANSLATE_CONSTANTS
};

/* How a program is translated. There are several ways, because clang makes other NIR of a kernel than the program is.
 */
struct translate_way {
   enum translate_constants constants;
   /* Operators on 8 and 16 bits are those of vectors of two, and a choice is select(): C computes scalars of these
    * sizes in int. */
   bool vectors;
   bool
       rounded; /* the kernel forbids contraction, so that sums and products may be rounded; NIR's ops are exact then */
   bool simdgroup; /* all lanes of the simdgroup, not the one alone */
};

#endif
