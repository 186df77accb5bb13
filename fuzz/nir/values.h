/* SPDX-License-Identifier: MIT
 *
 * The numbers of each value of a program's final NIR in each lane. No Mesa type is visible here.
 */
#ifndef COMPILER_FUZZ_VALUES_H
#define COMPILER_FUZZ_VALUES_H

#include <stdlib.h>

#include "fuzz/nir/program.h"

/* The meaning of a series of the final NIR. */
enum fuzz_series_kind {
   FUZZ_SERIES_VALUE,     /* a component of a value */
   FUZZ_SERIES_CONDITION, /* of an if: 1 bit */
   FUZZ_SERIES_DEVICE,    /* the address of a store or an atomic, in device memory */
   FUZZ_SERIES_SHARED,    /* the same in threadgroup memory: an offset */
   FUZZ_SERIES_LOAD,      /* the address of a load from device memory */
   FUZZ_SERIES_LOCAL,     /* of one from threadgroup memory: an offset */
};

/* A component of a NIR value, or a register that an instruction reads or writes: for each lane the numbers that it had,
 * in order. */
struct fuzz_series {
   uint32_t bits;
   uint8_t kind;   /* enum fuzz_series_kind */
   const void *of; /* identifies the NIR value; NULL: it is a register */
   /* it consists of unchanged or extended bits of other values, or was always the unchanged operand of a bit operation
    * with a constant: machine code may have no instruction for it */
   bool moved;
   uint32_t count[FUZZ_LANES]; /* how often it was computed */
   uint32_t capacity;          /* allocated numbers for each lane */
   uint64_t *value;            /* [time * FUZZ_LANES + lane] */
   uint8_t *certainty;         /* enum fuzz_certainty */
};

/* Returns false when out of memory. */
bool fuzz_series_add(struct fuzz_series *series, uint32_t lane, uint64_t value, uint8_t certainty);
void fuzz_series_finish(struct fuzz_series *series);

struct fuzz_values {
   struct fuzz_series *items;
   size_t count;
};
void fuzz_values_finish(struct fuzz_values *values);

/* Addresses of the buffers of a program. */
struct fuzz_addresses {
   uint64_t outputs, inputs, memory;
};

/* A run of the interpreter whose values are recorded. */
struct fuzz_watch {
   struct fuzz_addresses at;
   struct fuzz_values *values; /* they are appended to the existing ones */
   uint32_t first;             /* number of lane 0 among the recorded lanes */
};

/* The NIR of a program or a kernel after Mesa's last pass. `compile` is called twice in this process, with `data`, and
 * must do the same both times. It uses Mesa's global state: call it in a separate process. NULL: nothing was compiled,
 * or memory ran out. */
struct fuzz_final;
struct fuzz_final *fuzz_final_make(void (*compile)(void *data), void *data);
void fuzz_final_free(struct fuzz_final *final);
/* fuzz_interpret() and fuzz_interpret_memory(), of interpret.h, of that NIR. */
void fuzz_final_run(const struct fuzz_final *final, const struct fuzz_program *program, const struct fuzz_watch *watch,
                    struct fuzz_outputs *expected);
struct fuzz_memory;
bool fuzz_final_run_memory(const struct fuzz_final *final, const struct fuzz_memory *memory,
                           const struct fuzz_watch *watch, uint8_t *outputs, uint8_t *certainty);

#endif
