/* SPDX-License-Identifier: MIT
 *
 * What the files that shrink kernels share. Invariant: `best` fails.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_SHRINK_H
#define AGX_RUNNER_FUZZ_OPENCL_SHRINK_H

#include "fuzz/opencl/ops.h"

struct shrink {
   struct ocl_program *best;
   struct ocl_program next; /* the one that is tried */
   ocl_fails *fails;
   void *data;
   uint32_t lane;
   unsigned attempts;
};

/* `next` becomes `best`, to be changed and tried. */
struct ocl_program *ocl_shrink_begin(struct shrink *shrink);
/* Takes `next` over if it fails. */
bool ocl_shrink_try(struct shrink *shrink);

/* A node becomes an input that holds this value in all lanes. False: there is no room for one. */
bool ocl_shrink_input(struct ocl_program *program, uint32_t index, const uint64_t value[OCL_WIDTH]);

/* The end of a block, and its else (or UINT32_MAX). UINT32_MAX: it has no end. */
uint32_t ocl_end_of(const struct ocl_program *program, uint32_t start, uint32_t *otherwise);

/* shrink_data.c. Smaller objects and numbers. */
bool ocl_shrink_objects(struct shrink *shrink);
bool ocl_shrink_numbers(struct shrink *shrink);

/* shrink_loop.c. One branch in a loop takes the place of many branches. */
bool ocl_shrink_to_loop(struct shrink *shrink);
/* Loops with a constant count of turns get the largest one, so that the rest may be less. */
bool ocl_shrink_more_turns(struct shrink *shrink);
/* Vectors get the widest type, so that fewer of them are enough. */
bool ocl_shrink_widest(struct shrink *shrink);
/* What arrays are given is stored to outputs instead, so that the arrays can go. */
bool ocl_shrink_stores(struct shrink *shrink);
/* Vectors that variables hold become inputs, and the backend has few registers, so that these spill without the
 * branches that set variables. */
bool ocl_shrink_variables(struct shrink *shrink);
/* Vectors of two types become vectors of one, so that one declaration is enough. */
bool ocl_shrink_types(struct shrink *shrink);
/* Outputs that stand in one block become one: their sum. */
bool ocl_shrink_outputs(struct shrink *shrink);
/* Structs get their first values from a list, and where more than one output is needed beside them, one gets the sum.
 */
bool ocl_shrink_records(struct shrink *shrink);
/* Where an array is written, it is read instead, in the sum that the next output gets. */
bool ocl_shrink_array_writes(struct shrink *shrink);

#endif
