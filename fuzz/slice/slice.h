/* SPDX-License-Identifier: MIT
 *
 * A run of a program that a device gets wrong: from the wrong store back through the instructions that it depends on,
 * until their results are values of the final NIR.
 */
#ifndef AGX_RUNNER_FUZZ_SLICE_H
#define AGX_RUNNER_FUZZ_SLICE_H

#include "fuzz/slice/trace.h"
#include "fuzz/nir/values.h"

#define CULPRITS_MOST 6 /* instructions that are marked: of more than that, none is */

/* Which instructions are wrong. */
struct culprits {
   uint32_t count;                 /* 1: that one; more: one of them; 0: not known */
   uint32_t offset[CULPRITS_MOST]; /* of the instructions in the program's code, bytes, rising */
};

struct slice_input {
   const struct agx_program *code; /* what ran */
   struct trace trace;
   struct fuzz_values values; /* of the final NIR */
   uint64_t address;          /* of the first byte that is wrong */
   uint32_t launch, lane;     /* whose byte it is */
   uint8_t expected;          /* what it must be */
   uint64_t good;             /* lanes in which all that the program stores is right */
   uint64_t cut;              /* lanes that take a wrong branch: what they do behind it is not in the trace */
};

/* The instructions of which one is wrong. Changes the trace. False: memory is short. */
bool slice_find(struct slice_input *input, struct culprits *culprits);
void slice_input_finish(struct slice_input *input);

#endif
