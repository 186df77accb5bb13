/* SPDX-License-Identifier: MIT
 *
 * GLSL's words for types and operations.
 */
#ifndef AGX_RUNNER_FUZZ_GLSL_WORDS_H
#define AGX_RUNNER_FUZZ_GLSL_WORDS_H

#include "fuzz/opencl/ops.h"

const char *glsl_type_name(struct ocl_type type);
/* Whether GLSL can say an operation, in most types. */
bool glsl_has(const struct ocl_op *op);
/* The text of an operation, in which $a, $b, $c are the operands; print.c has the other letters. */
const char *glsl_format(const struct ocl_op *op, const struct ocl_node *node, struct ocl_type first);

#endif
