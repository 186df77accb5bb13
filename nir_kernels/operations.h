/* SPDX-License-Identifier: MIT
 *
 * The operations that a mix can be made of, named as results/reference/instr.csv names them: single instructions, and
 * sequences in which several do one thing (a 64-bit addition, a sine). They are assembled, not compiled, so that
 * nothing is folded, reordered or chosen differently.
 */
#ifndef NIR_KERNELS_OPERATIONS_H
#define NIR_KERNELS_OPERATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

#define BENCH_OPERATION_KINDS 6 /* different instructions of an operation */

/* The instructions that the code check counts. */
struct bench_operation_part {
   uint8_t op;    /* enum isa_op */
   uint8_t bits;  /* of the destination */
   uint8_t count; /* 0: no more parts */
};

struct bench_operation {
   const char *section; /* of instr.csv; "" where it has no such row */
   const char *name;
   uint8_t state;   /* 32-bit registers that hold the chain from one operation to the next */
   uint8_t scratch; /* and those that it needs besides */
   /* Lines, each ended by a newline. @0..@9 stand for the number of a register of the chain's own, state first (an
    * even one for @0); @k..@n for those of four operands that all chains share. NULL: the instructions of the published
    * row are unknown. `why` says so, and the operation cannot be part of a mix. */
   const char *text;
   struct bench_operation_part parts[BENCH_OPERATION_KINDS];
   const char *why; /* a sequence: where its instructions come from; NULL for a single instruction */
};

size_t bench_operation_count(void);
const struct bench_operation *bench_operation_at(size_t index);

/* Finds NAME or SECTION/NAME, upper or lower case. If several sections have NAME, the first one counts. NULL: none. */
const struct bench_operation *bench_operation_find(const char *name, size_t length);
/* The names that look most like it, at most three, separated by ", ". */
void bench_operation_nearest(const char *name, size_t length, char *text, size_t size);

#endif
