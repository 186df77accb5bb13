/* SPDX-License-Identifier: MIT
 *
 * The interface between the two halves of compiler/lines: NIR's half finds a place for each NIR instruction, the
 * backend's half tracks the places to the machine code.
 */
#ifndef COMPILER_LINES_TABLE_H
#define COMPILER_LINES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/nir/nir.h"

/* A place in the source: a number for compiler_lines_place(), or 0 for none. */
typedef uint32_t compiler_place;

/* A mark is place * 2, plus this bit if the place is that of a neighbouring instruction. */
#define COMPILER_INFERRED 1u

bool compiler_lines_is_on(void);
/* The instruction's mark; 0: it has no place. */
uint32_t compiler_lines_of(const nir_instr *instr);

/* Records that the machine code at that byte of the binary comes from that place. */
void compiler_lines_add(uint32_t offset, compiler_place place, bool inferred);

/* Returns the name of the operation of the SPIR-V instruction at that word, if the compiler makes several instructions
 * of it; NULL: it does not. */
const char *compiler_lines_operation(const uint32_t *words, size_t count, size_t word);

/* Frees the state of the backend's half. */
void compiler_lines_backend_stop(void);

#endif
