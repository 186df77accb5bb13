/* SPDX-License-Identifier: MIT
 *
 * What the unit tests of the fuzzer share: checks that count, and programs made by hand.
 */
#ifndef TESTS_FUZZING_CHECK_H
#define TESTS_FUZZING_CHECK_H

#include "compiler/nir/nir.h"

#include "fuzz/nir/generate/generate.h"
#include "fuzz/nir/program.h"
#include "tests/compiler/programs.h"

static inline uint16_t add(struct fuzz_program *program, struct fuzz_node node)
{
   program->outputs += node.kind == FUZZ_OUTPUT ? 1 : 0;
   program->nodes[program->count] = node;
   return (uint16_t)program->count++;
}

/* Input `slot`, whose value is `step * lane + first`. */
static inline uint16_t add_input(struct fuzz_program *program, uint8_t bits, uint64_t first, uint64_t step)
{
   const uint32_t slot = program->inputs++;

   for (uint32_t lane = 0; lane < FUZZ_LANES; lane++) {
      program->input[slot][lane] = first + step * lane;
   }
   return add(program, (struct fuzz_node){.kind = FUZZ_INPUT, .bits = bits, .components = 1, .slot = (uint16_t)slot});
}

static inline uint16_t add_constant(struct fuzz_program *program, uint8_t bits, uint64_t value)
{
   return add(program, (struct fuzz_node){.kind = FUZZ_CONST, .bits = bits, .components = 1, .value = value});
}

static inline uint16_t add_alu(struct fuzz_program *program, nir_op op, uint8_t bits, uint16_t a, uint16_t b)
{
   return add(program, (struct fuzz_node){.kind = FUZZ_ALU,
                                          .bits = bits,
                                          .components = 1,
                                          .exact = 1,
                                          .op = (uint16_t)op,
                                          .sources = {{a, 0}, {b, 0}}});
}

static inline void add_output(struct fuzz_program *program, uint16_t node)
{
   const struct fuzz_node output = {.kind = FUZZ_OUTPUT,
                                    .bits = program->nodes[node].bits,
                                    .components = 1,
                                    .slot = (uint16_t)program->outputs,
                                    .sources = {{node, 0}}};

   add(program, output);
}

#endif
