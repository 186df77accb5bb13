/* SPDX-License-Identifier: MIT
 *
 * Interface of the files that evaluate a kernel. Invariant: a lane that is not in `mask` changes nothing.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_MACHINE_H
#define AGX_RUNNER_FUZZ_OPENCL_MACHINE_H

#include "fuzz/opencl/ops.h"

#define OCL_ELEMENTS 8 /* most elements of an object */

struct ocl_block {
   uint32_t start;             /* node of the if or loop */
   uint32_t outer;             /* lanes that are active outside */
   uint32_t taken;             /* of an if: the lanes that took it */
   uint32_t broken, continued; /* of a loop */
   uint32_t round;
   uint32_t rounds[OCL_LANES];
   uint8_t end; /* the kind of node that ends it */
   bool loop;
};

struct ocl_machine {
   struct ocl_program *program;
   struct ocl_outputs *outputs;
   uint64_t value[OCL_NODES][OCL_LANES][OCL_WIDTH];
   uint64_t memory[OCL_OBJECTS][OCL_ELEMENTS][OCL_LANES][OCL_WIDTH];
   struct ocl_block blocks[OCL_DEPTH + 1];
   unsigned depth;
   uint32_t mask;
   bool again; /* a guard has changed a value */
};

/* evaluate_blocks.c. Returns false if the node is in no such block, or in too many. */
bool ocl_open_block(struct ocl_machine *machine, uint32_t index);
bool ocl_leave_loop(struct ocl_machine *machine, const struct ocl_node *node);
bool ocl_next_case(struct ocl_machine *machine, const struct ocl_node *node);
/* Returns where execution continues behind an else or an end. UINT32_MAX: as above. */
uint32_t ocl_close_block(struct ocl_machine *machine, uint32_t index);
void ocl_run_turn(struct ocl_machine *machine, uint32_t index);

#endif
