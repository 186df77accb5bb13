/* SPDX-License-Identifier: MIT
 *
 * What each value of a program's final NIR is in each lane. No Mesa type shows here.
 */
#ifndef COMPILER_FUZZ_VALUES_H
#define COMPILER_FUZZ_VALUES_H

#include <stdlib.h>

#include "fuzz/nir/program.h"

/* What a series of the final NIR is. */
enum fuzz_series_kind {
   FUZZ_SERIES_VALUE,     /* a component of a value */
   FUZZ_SERIES_CONDITION, /* of an if: 1 bit */
   FUZZ_SERIES_DEVICE,    /* the address of a store or an atomic, in device memory */
   FUZZ_SERIES_SHARED,    /* the same in threadgroup memory: an offset */
   FUZZ_SERIES_LOAD,      /* the address of a load from device memory */
   FUZZ_SERIES_LOCAL,     /* of one from threadgroup memory: an offset */
};

/* A component of a value of NIR, or a register that an instruction reads or writes: in each lane the numbers that it
 * was, one after the other. */
struct fuzz_series {
   uint32_t bits;
   uint8_t kind;   /* enum fuzz_series_kind */
   const void *of; /* what stands for the value of NIR; NULL: it is a register */
   bool moved; /* it is made of the bits of other values as they are, or extended, or was always an operand as it is, of
                  an operation with a constant on bits: machine code may have nothing for it */
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

/* The NIR of a program or a kernel after the last pass of Mesa's. `compile` is called twice in this process, with
 * `data`, and does the same both times. Mesa's global state is used: call it in a process of its own. NULL: nothing was
 * compiled, or memory was short. */
struct fuzz_final;
struct fuzz_final *fuzz_final_make(void (*compile)(void *data), void *data);
void fuzz_final_free(struct fuzz_final *final);
/* What it computes of a program's data, with buffers at those addresses. */
void fuzz_final_run(const struct fuzz_final *final, const struct fuzz_program *program,
                    const struct fuzz_addresses *addresses, struct fuzz_outputs *expected, struct fuzz_values *values);
/* The same of a kernel's: the bytes that it stores, and their enum fuzz_certainty. Its values are added to those that
 * are there; lane 0 is `first` among them. False: it is not known. */
struct fuzz_memory;
bool fuzz_final_run_memory(const struct fuzz_final *final, const struct fuzz_memory *memory,
                           const struct fuzz_addresses *addresses, uint32_t first, uint8_t *outputs, uint8_t *certainty,
                           struct fuzz_values *values);

#endif
