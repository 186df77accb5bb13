/* SPDX-License-Identifier: MIT
 *
 * A generated program in NIR, said again as a kernel in OpenCL C.
 */
#ifndef AGX_RUNNER_FUZZ_TRANSLATE_H
#define AGX_RUNNER_FUZZ_TRANSLATE_H

#include "agx_runner/fuzz/opencl/program.h"
#include "compiler/fuzz/program.h"

/* Where the kernel has the program's constants. Clang folds what it sees; NIR first folds what private memory holds. A
 * choice between a number and the same number becomes a constant when nir_opt_algebraic runs. */
enum translate_constants {
   TRANSLATE_LITERALS,
   TRANSLATE_PRIVATE,
   TRANSLATE_CHOSEN,
   TRANSLATE_ARGUMENTS,
   TRANSLATE_CONSTANTS
};

/* How a program is said. There are several ways, because clang makes other NIR of a kernel than the program is. */
struct translate_way {
   enum translate_constants constants;
   /* Operators on 8 and 16 bits are those of vectors of two, and a choice is select(): C computes scalars of these
    * sizes in int. */
   bool vectors;
   bool
       rounded; /* the kernel forbids contraction, so that sums and products may be rounded; NIR's ops are exact then */
   bool simdgroup; /* all lanes of the simdgroup, not the one alone */
};

/* The ways one by one, the simplest first. False: there are no more. */
bool translate_way(unsigned number, struct translate_way *way);

#define TRANSLATE_WHY 96

/* Says a program. lane: the one whose answer is wrong. expected: what the program must store, so that a kernel with
 * another answer is refused; NULL: not known. False: `why` says what cannot be said. */
bool translate_program(const struct fuzz_program *program, uint32_t lane, const struct fuzz_outputs *expected,
                       const struct translate_way *way, struct ocl_program *kernel, char why[TRANSLATE_WHY]);

/* translate_ops.c. An op of NIR as operations of OpenCL C, in the order of a stack machine. bits: of its first source.
 * NULL: it cannot be said.
 *
 *    ua ib fc     a source (a to d) as an unsigned number, a signed number, a float; ua1: its component 1
 *    u#8 i16#-1   a number of the width of the first source, or of the width that is named. u#w: the first source's
 * width; u#m: that less one; u#c: the bits below the component of the result that is wanted add          an operation,
 * by its name in ocl_ops; :u32 the type of its result, with r: of the result's width, s: of the first source's; with !
 * in front it is computed here where all operands are numbers
 *
 * Booleans are int, 0 or 1. */
const char *translate_op(const char *name, unsigned bits);
/* The rows one by one, for tests. NULL: no more. */
const char *translate_op_name(unsigned row);

#endif
