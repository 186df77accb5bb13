/* SPDX-License-Identifier: MIT
 *
 * Shrinks OpenCL C kernels that fail, and the interface of the files that do so. Invariant: `best` fails.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_SHRINK_H
#define AGX_RUNNER_FUZZ_OPENCL_SHRINK_H

#include "fuzz/nir/program.h"
#include "fuzz/opencl/ops.h"

/* Changes a kernel that fails into a smaller one that fails. difference: where it fails; NULL: everywhere (a crash). */
void ocl_shrink(void *program, const struct fuzz_difference *difference, fuzz_fails *fails, void *data);

struct shrink {
   struct ocl_program *best;
   struct ocl_program next; /* the kernel that is being tried */
   fuzz_fails *fails;
   void *data;
   uint32_t lane;
   unsigned attempts;
};

/* Copies `best` to `next`, to be changed and tried. */
struct ocl_program *ocl_shrink_begin(struct shrink *shrink);
/* Makes `next` the best one if it fails. */
bool ocl_shrink_try(struct shrink *shrink);

/* Replaces a node by an input with this value in all lanes. Returns false if there is no room for one. */
bool ocl_shrink_input(struct ocl_program *program, uint32_t index, const uint64_t value[OCL_WIDTH]);

/* Returns the end of a block, and its else (or UINT32_MAX). UINT32_MAX: it has no end. */
uint32_t ocl_end_of(const struct ocl_program *program, uint32_t start, uint32_t *otherwise);

/* shrink_data.c. Tries smaller objects and numbers. */
bool ocl_shrink_objects(struct shrink *shrink);
bool ocl_shrink_numbers(struct shrink *shrink);

/* shrink_loop.c. Replaces many branches by one branch in a loop. */
bool ocl_shrink_to_loop(struct shrink *shrink);
/* Gives loops with a constant iteration count the largest one, so that other parts may be smaller. */
bool ocl_shrink_more_turns(struct shrink *shrink);
/* Gives vectors the widest type, so that fewer of them suffice. */
bool ocl_shrink_widest(struct shrink *shrink);
/* Stores the values of arrays to outputs instead, so that the arrays can be removed. */
bool ocl_shrink_stores(struct shrink *shrink);
/* Turns vectors of variables into inputs, and gives the backend few registers, so that these spill without the branches
 * that assign variables. */
bool ocl_shrink_variables(struct shrink *shrink);
/* Turns vectors of two types into one type, so that one declaration suffices. */
bool ocl_shrink_types(struct shrink *shrink);
/* Replaces the outputs of one block by one: their sum. */
bool ocl_shrink_outputs(struct shrink *shrink);
/* Gives structs their initial values by a list; if more than one output is needed besides, one gets the sum. */
bool ocl_shrink_records(struct shrink *shrink);
/* Replaces each write to an array by a read, which is added to the next output. */
bool ocl_shrink_array_writes(struct shrink *shrink);

#endif
