/* SPDX-License-Identifier: MIT
 *
 * What each value of a program's final NIR is in each lane. No Mesa type shows here.
 */
#ifndef COMPILER_FUZZ_VALUES_H
#define COMPILER_FUZZ_VALUES_H

#include <stdlib.h>

#include "compiler/fuzz/program.h"

/* A component of a value of NIR, or a register that an instruction reads or writes: in each lane the numbers that it
 * was, one after the other. */
struct fuzz_series {
   uint32_t bits;
   bool moved; /* it is made of the bits of other values as they are, or extended: machine code may have nothing for it
                */
   uint32_t count[FUZZ_LANES]; /* how often it was computed */
   uint32_t capacity;          /* of those */
   uint64_t *value;            /* [time * FUZZ_LANES + lane] */
   uint8_t *certainty;         /* enum fuzz_certainty */
};

/* False: out of memory. */
bool fuzz_series_add(struct fuzz_series *series, uint32_t lane, uint64_t value, uint8_t certainty);
void fuzz_series_finish(struct fuzz_series *series);

struct fuzz_values {
   struct fuzz_series *items;
   size_t count, capacity;
   bool complete; /* false: the interpreter met something that it does not know, or memory was short */
};
void fuzz_values_finish(struct fuzz_values *values);

/* Where the buffers of a program lie. */
struct fuzz_addresses {
   uint64_t outputs, inputs, memory;
};

/* Compiles as fuzz_compile() does, and gives what NIR computes after the last pass, with those addresses. Mesa's global
 * state is used: call it in a process of its own. */
int fuzz_compile_values(const struct fuzz_program *program, const struct compiler_options *options,
                        const struct fuzz_addresses *addresses, struct fuzz_outputs *expected,
                        struct fuzz_values *values, struct compiler_result *result);

#endif
