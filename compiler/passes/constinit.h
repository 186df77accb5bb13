/* SPDX-License-Identifier: MIT
 *
 * Repair of SPIR-V from clang 15: docs/mesa-bugs.md 6.
 */
#ifndef COMPILER_CONSTINIT_H
#define COMPILER_CONSTINIT_H

#include <stddef.h>
#include <stdint.h>

/* Moves module-scope variables of storage class Function, which SPIR-V forbids, to UniformConstant, with all pointers
 * derived from them, if each of them has an initialiser and is only read.
 *
 * Returns 1 and a new module (release it with free()), 0 if there is nothing to do or it is not safe, or -ENOMEM. */
int compiler_constinit_mend(const uint32_t *words, size_t count, uint32_t **mended, size_t *mended_count);

#endif
