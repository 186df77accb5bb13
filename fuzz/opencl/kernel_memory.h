/* SPDX-License-Identifier: MIT
 *
 * The memory of a generated kernel in OpenCL C: slots of the same size for its outputs and its inputs, followed by
 * buffers that it reads and writes (arguments.h), and its arguments. A vector of three is stored as three numbers.
 */
#ifndef AGX_RUNNER_FUZZ_OPENCL_KERNEL_MEMORY_H
#define AGX_RUNNER_FUZZ_OPENCL_KERNEL_MEMORY_H

#include "fuzz/opencl/program.h"
#include "fuzz/nir/memory.h"
#include "isa/program.h"

#define KERNEL_SLOT_BYTES (OCL_LANES * OCL_WIDTH * 8u)
#define KERNEL_OUTPUT_BYTES (OCL_OUTPUTS * KERNEL_SLOT_BYTES)
#define KERNEL_INPUT_BYTES ((OCL_INPUTS + OCL_GLOBALS) * KERNEL_SLOT_BYTES)
#define KERNEL_ARGUMENTS (OCL_OUTPUTS + OCL_INPUTS + OCL_GLOBALS + OCL_SCALARS)

/* Stores a number of a type in memory. */
void kernel_put(uint8_t *to, uint8_t base, uint64_t value);
uint64_t kernel_get(const uint8_t *from, uint8_t base);
struct ocl_argument;
/* Stores what an argument holds before a launch. */
void kernel_put_argument(uint8_t *to, const struct ocl_program *kernel, const struct ocl_argument *argument);
/* Reads what an output holds. */
void kernel_get_output(const struct ocl_program *kernel, uint32_t output, const uint8_t *from,
                       uint64_t value[OCL_LANES][OCL_WIDTH]);
/* Fills KERNEL_INPUT_BYTES with all inputs. */
void kernel_fill_inputs(const struct ocl_program *kernel, uint8_t *bytes);
/* Fills the block of arguments; outputs and inputs are at those addresses. Returns false if an argument is none of
 * those of ocl_print(). */
bool kernel_set_arguments(const struct ocl_program *kernel, const struct agx_program *code, uint64_t outputs,
                          uint64_t inputs, uint8_t *block);

/* The same for the interpreter of NIR. */
struct kernel_memory {
   struct fuzz_memory memory;
   uint32_t offsets[KERNEL_ARGUMENTS]; /* offsets of the arguments in their block */
   uint8_t *bytes;                     /* inputs, then the block */
};
/* Returns false if kernel_set_arguments() would, or when out of memory. */
bool kernel_memory_make(struct kernel_memory *memory, const struct ocl_program *kernel, const struct agx_program *code,
                        uint64_t outputs, uint64_t inputs);
void kernel_memory_finish(struct kernel_memory *memory);

#endif
