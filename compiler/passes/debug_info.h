/* SPDX-License-Identifier: MIT
 *
 * Removal of debug information from SPIR-V, except for source lines.
 */
#ifndef COMPILER_DEBUG_INFO_H
#define COMPILER_DEBUG_INFO_H

#include <stddef.h>
#include <stdint.h>

/* Removes the instructions of debug information's extended sets ("OpenCL.DebugInfo.100", "SPIRV.debug"), and their
 * names. OpLine and OpString remain. SPIRV-LLVM-Translator writes such instructions where the validator forbids them.
 *
 * Returns 1 and a new module (release it with free()), 0 if there is nothing to remove or the module is not well
 * formed, or -ENOMEM. */
int compiler_debug_info_strip(const uint32_t *words, size_t count, uint32_t **stripped, size_t *stripped_count);

#endif
