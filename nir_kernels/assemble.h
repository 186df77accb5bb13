/* SPDX-License-Identifier: MIT
 *
 * Assembles .agx text into the compiler's result type, so that benchmarks handle assembled and compiled code the same
 * way.
 */
#ifndef NIR_KERNELS_ASSEMBLE_H
#define NIR_KERNELS_ASSEMBLE_H

#include "compiler/api/compiler.h"
#include "isa/assembler/asm.h"

/* Fills result with the program of an .agx text; messages call the text `name`. options may be NULL. 0, -ENOMEM, or
 * -EINVAL: the result's log holds the first error. compiler_result_finish() is due in any case. */
int bench_assemble(const char *name, const char *text, size_t size, const struct isa_asm_options *options,
                   struct compiler_result *result);

#endif
