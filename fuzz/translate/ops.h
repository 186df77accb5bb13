/* SPDX-License-Identifier: MIT
 *
 * The table of NIR ops, each as operations of OpenCL C.
 */
#ifndef AGX_RUNNER_FUZZ_TRANSLATE_OPS_H
#define AGX_RUNNER_FUZZ_TRANSLATE_OPS_H

/* An op of NIR as operations of OpenCL C, in the order of a stack machine. bits: of its first source. NULL: it has no
 * translation. Booleans are int, 0 or 1. A row has these words:
 *
 * - "ua", "ib", "fc": a source (a to d) as an unsigned number, a signed number, a float; "ua1": its component 1.
 * - "u#8", "i16#-1": a number of the first source's width, or of the width that is named. "u#w" is the first source's
 *   width, "u#m" that less one, "u#c" the bits below the component of the result that is wanted.
 * - "add": an operation, by its name in ocl_ops. "add:u32" names its result's type; "r" stands there for the width of
 *   the op's result, "s" for that of its first source. "!add" is computed here where all operands are numbers. */
const char *translate_op(const char *name, unsigned bits);
/* The rows one by one, for tests. NULL: no more. */
const char *translate_op_name(unsigned row);

#endif
