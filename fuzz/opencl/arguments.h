/* SPDX-License-Identifier: MIT
 *
 * The arguments of a kernel, in their order: outputs, inputs, those that it reads and writes in global memory, values.
 * A sampler (ocl_has_sampler()) follows.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_ARGUMENTS_H
#define AGX_RUNNER_FUZZ_OPENCL_ARGUMENTS_H

#include "fuzz/opencl/program.h"

struct ocl_argument {
   enum ocl_kind kind; /* OCL_OUTPUT, OCL_INPUT, OCL_SCALAR; OCL_READ: it is read and written */
   const char *name;   /* is followed by the slot: "out3" */
   uint32_t slot;
   struct ocl_type type;
   uint32_t count; /* of vectors */
};

struct ocl_arguments {
   struct ocl_argument item[OCL_OUTPUTS + OCL_INPUTS + OCL_GLOBALS + OCL_SCALARS];
   unsigned count;
};

void ocl_list_arguments(const struct ocl_program *program, struct ocl_arguments *list);
/* Returns what it holds before a launch: of the program, or in `values`. */
const uint64_t (*ocl_argument_data(const struct ocl_program *program, const struct ocl_argument *argument,
                                   uint64_t values[OCL_GLOBAL_ELEMENTS][OCL_WIDTH]))[OCL_WIDTH];

/* Whether a node reads or writes elements of an object. */
bool ocl_is_access(const struct ocl_node *node);

#endif
