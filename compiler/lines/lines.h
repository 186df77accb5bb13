/* SPDX-License-Identifier: MIT
 *
 * Source lines of machine code. SPIR-V names a line for each of its instructions (OpLine); Mesa drops them before its
 * AGX backend. These functions keep a table beside Mesa's instructions instead, and follow it through all passes.
 * Invariant: the table is beside the compilation, never in it. The machine code is the same with and without.
 *
 * The linker sends the calls that make, insert, copy and remove NIR instructions here, and those of four passes of the
 * backend (--wrap in compiler/meson.build). They are internal to Mesa: only Mesa 25.0 has been looked at, and with
 * another one programs have no lines.
 */
#ifndef COMPILER_LINES_H
#define COMPILER_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/program.h"

struct nir_shader;
struct nir_instr;

struct compiler_source_place {
   const char *file; /* lives until compiler_lines_stop() */
   uint32_t line, column;
};

/* Starts a new, empty table: of the kernel that spirv_to_nir() makes next, with its option debug_info. False: this
 * build cannot follow lines, or there is no memory; the compilation then goes on without. */
bool compiler_lines_start(const uint32_t *words, size_t count);
/* Removes the debug information from a shader that spirv_to_nir() has made. */
void compiler_lines_strip(struct nir_shader *nir);
/* Gives the program of the kernel that was compiled since the start its lines. 0 or -ENOMEM. */
int compiler_lines_fill(struct agx_program *program);
/* Where in the source an instruction comes from. False: it is not known, or no table was started. */
bool compiler_lines_find(const struct nir_instr *instr, struct compiler_source_place *place);
/* Ends and frees the table. */
void compiler_lines_stop(void);

#endif
