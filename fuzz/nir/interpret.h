/* SPDX-License-Identifier: MIT
 *
 * What a program must store: an interpreter of NIR. It defines what the fuzzer tests, so it is plain: it walks the
 * control flow with a mask of lanes, and leaves arithmetic to nir_eval_const_opcode().
 */
#ifndef COMPILER_FUZZ_INTERPRET_H
#define COMPILER_FUZZ_INTERPRET_H

#include "compiler/nir/nir.h"

#include "fuzz/nir/memory.h"
#include "fuzz/nir/program.h"
#include "fuzz/nir/values.h"

/* Runs the shader on the program's data, at any stage of Mesa's AGX compiler. outputs->valid is false, and
 * outputs->why says why, when it holds what the interpreter does not know. */
void fuzz_interpret(const nir_shader *nir, const struct fuzz_program *program, struct fuzz_outputs *outputs);

/* The same with buffers at these addresses, and with all values that it computes on the way. */
void fuzz_interpret_values(const nir_shader *nir, const struct fuzz_program *program,
                           const struct fuzz_addresses *addresses, struct fuzz_outputs *outputs,
                           struct fuzz_values *values);

/* The same of a kernel: its outputs' bytes, and how certain each is. Its values are added to those that are there,
 * where lane 0 is lane `first`. False: it holds what is not known, or a branch, an address or memory depends on what is
 * FUZZ_DERIVED. */
bool fuzz_interpret_memory_values(const nir_shader *nir, const struct fuzz_memory *memory,
                                  const struct fuzz_addresses *addresses, uint32_t first, uint8_t *outputs,
                                  uint8_t *certainty, struct fuzz_values *values);

/* What the shader stores to its outputs, and how certain each byte is. False: `why` says what is not known; it is empty
 * for a library. */
bool fuzz_interpret_memory(const nir_shader *nir, const struct fuzz_memory *memory, uint8_t *outputs,
                           uint8_t *certainty, char why[FUZZ_WHY]);

#endif
