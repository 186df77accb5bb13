/* SPDX-License-Identifier: MIT
 *
 * What the two halves of compiler/lines share: NIR's half finds a place for each NIR instruction, the backend's half
 * carries places on to machine code.
 */
#ifndef COMPILER_LINES_TABLE_H
#define COMPILER_LINES_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/nir/nir.h"

/* A place in the source: a number for compiler_lines_place(), or 0 for none. */
typedef uint32_t compiler_place;

bool compiler_lines_is_on(void);
compiler_place compiler_lines_of(const nir_instr *instr);

/* Machine code at that byte of the binary comes from that place. */
void compiler_lines_add(uint32_t offset, compiler_place place, bool inferred);

/* Ends what the backend's half holds. */
void compiler_lines_backend_stop(void);

#endif
