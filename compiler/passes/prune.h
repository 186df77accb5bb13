/* SPDX-License-Identifier: MIT
 *
 * Removal of functions that no kernel calls, from SPIR-V before linking. The time of the linker and the validator
 * grows with the module, and most of a large include file is not called.
 */
#ifndef COMPILER_PRUNE_H
#define COMPILER_PRUNE_H

#include <stddef.h>
#include <stdint.h>

/* Removes every function that no entry point reaches, and the names and decorations of its contents.
 *
 * Returns 1 and a new module (release it with free()), 0 if there is nothing to remove or the module has an instruction
 * that this pass does not handle, or -ENOMEM. */
int compiler_prune(const uint32_t *words, size_t count, uint32_t **pruned, size_t *pruned_count);

#endif
