/* SPDX-License-Identifier: MIT
 *
 * Source lines of machine code. SPIR-V names a line for each of its instructions (OpLine); Mesa drops the lines before
 * its AGX backend. These functions keep a separate table of Mesa's instructions, and update it through all passes.
 * Invariant: the table does not influence the compilation: the machine code is the same with and without it.
 *
 * The linker redirects the functions that make, insert, copy and remove NIR instructions, and four passes of the
 * backend, to this room (--wrap in compiler/meson.build). They are internal to Mesa and known for Mesa 25.0 only: with
 * another version, programs have no lines.
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
   const char *file; /* valid until compiler_lines_stop() */
   uint32_t line, column;
};

/* Starts a new, empty table for the kernel that spirv_to_nir() makes next, with its option debug_info. Returns false if
 * this build does not support lines, or when out of memory; the compilation then continues without them. */
bool compiler_lines_start(const uint32_t *words, size_t count);
/* Removes the debug information from a shader that spirv_to_nir() has made. */
void compiler_lines_strip(struct nir_shader *nir);
/* Adds the lines to the program of the kernel that was compiled since the start. Returns 0 or -ENOMEM. */
int compiler_lines_fill(struct agx_program *program);
/* Returns the place in the source of an instruction. Returns false if it is not known, or no table was started. */
bool compiler_lines_find(const struct nir_instr *instr, struct compiler_source_place *place);
/* Ends and frees the table. */
void compiler_lines_stop(void);

#endif
