/* SPDX-License-Identifier: MIT
 *
 * Names and lines of functions in a SPIR-V module, for messages. A module that is not well formed has none.
 */
#ifndef COMPILER_FUNCTIONS_H
#define COMPILER_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "compiler/refusal/refusal.h"

/* Finds the name of the function that contains this byte of the module. */
void compiler_function_of_byte(const uint32_t *words, size_t count, size_t byte, struct refusal *why);

/* Completes the place: finds the function from the line, or takes the kernel's first line if no line is known. */
void compiler_function_of_line(const uint32_t *words, size_t count, struct refusal *why);

#endif
