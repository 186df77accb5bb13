/* SPDX-License-Identifier: MIT
 *
 * Names of OpenCL C's functions as people write them.
 */
#ifndef COMPILER_MANGLED_H
#define COMPILER_MANGLED_H

#include <stddef.h>

/* "_Z4fmodDv4_DhS_" becomes "fmod(half4, half4)". clang and SPIRV-LLVM-Translator mangle the names as the Itanium C++
 * ABI has it, section 5.1. Another name stays as it is, and parameters that are not understood become "...". */
void compiler_demangle(const char *name, char *text, size_t size);

#endif
