/* SPDX-License-Identifier: MIT
 *
 * Slices a run of a program that a device gets wrong: from the wrong store back through the instructions on which it
 * depends, until their results are values of the final NIR.
 */
#ifndef AGX_RUNNER_FUZZ_SLICE_H
#define AGX_RUNNER_FUZZ_SLICE_H

#include "fuzz/slice/trace.h"
#include "fuzz/nir/values.h"

#define CULPRITS_MOST 6 /* most marked instructions: if there are more, none is marked */

/* The wrong instructions. */
struct culprits {
   uint32_t count;                 /* 1: that one; more: one of them; 0: not known */
   uint32_t offset[CULPRITS_MOST]; /* byte offsets of the instructions in the program's code, ascending */
};

struct slice_input {
   const struct agx_program *code; /* the program that ran */
   struct trace trace;
   struct fuzz_values values; /* values of the final NIR */
   uint64_t address;          /* address of the first wrong byte */
   uint32_t launch, lane;     /* the launch and lane to which the byte belongs */
   uint8_t expected;          /* its expected value */
   uint64_t good;             /* lanes in which everything that the program stores is right */
   /* lanes that take a wrong branch: the trace does not contain what they do afterwards */
   uint64_t cut;
};

/* Finds the instructions one of which is wrong. Changes the trace. Returns false when out of memory. */
bool slice_find(struct slice_input *input, struct culprits *culprits);
void slice_input_finish(struct slice_input *input);

#endif
