/* SPDX-License-Identifier: MIT
 *
 * Names of OpenCL C's functions in readable form.
 */
#ifndef COMPILER_MANGLED_H
#define COMPILER_MANGLED_H

#include <stddef.h>

/* Converts "_Z4fmodDv4_DhS_" to "fmod(half4, half4)". clang and SPIRV-LLVM-Translator mangle names by the Itanium C++
 * ABI, section 5.1. Other names remain unchanged, and unknown parameters become "...". */
void compiler_demangle(const char *name, char *text, size_t size);

#endif
