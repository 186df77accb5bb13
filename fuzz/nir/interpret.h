/* SPDX-License-Identifier: MIT
 *
 * An interpreter of NIR, which computes what a program must store. It defines what the fuzzer tests, so it is simple:
 * it walks the control flow with a mask of lanes, and leaves arithmetic to nir_eval_const_opcode().
 */
#ifndef COMPILER_FUZZ_INTERPRET_H
#define COMPILER_FUZZ_INTERPRET_H

#include "compiler/nir/nir.h"

#include "fuzz/nir/memory.h"
#include "fuzz/nir/program.h"
#include "fuzz/nir/values.h"

/* Runs the shader on the program's data, at any stage of Mesa's AGX compiler. outputs->valid is false, with the reason
 * in outputs->why, if the shader contains something that the interpreter does not support. watch: NULL: values are not
 * recorded. */
void fuzz_interpret(const nir_shader *nir, const struct fuzz_program *program, const struct fuzz_watch *watch,
                    struct fuzz_outputs *outputs);

/* The same for a kernel: the bytes that it stores to its outputs, and the certainty of each. Returns false with what is
 * not supported in `why`, which is empty for a library; with `watch` also if a branch, an address or memory depends on
 * a FUZZ_DERIVED value. */
bool fuzz_interpret_memory(const nir_shader *nir, const struct fuzz_memory *memory, const struct fuzz_watch *watch,
                           uint8_t *outputs, uint8_t *certainty, char why[FUZZ_WHY]);

#endif
