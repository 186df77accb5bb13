/* SPDX-License-Identifier: MIT
 *
 * The memory that the interpreter gives to a shader. No Mesa type is visible here.
 */
#ifndef COMPILER_FUZZ_MEMORY_H
#define COMPILER_FUZZ_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Pointers among the arguments are addresses from FUZZ_OUTPUT_BASE and FUZZ_INPUT_BASE on. */
#define FUZZ_OUTPUT_BASE UINT64_C(0x100000000)
#define FUZZ_INPUT_BASE UINT64_C(0x200000000)
#define FUZZ_WHY 96
struct fuzz_memory {
   const uint8_t *arguments; /* the argument block */
   size_t argument_bytes;
   const uint32_t *argument_offset; /* offsets in the block, by argument; NULL: no shader has argument variables */
   uint32_t argument_count;
   const uint8_t *inputs;
   size_t input_bytes, output_bytes;
   uint64_t lanes;            /* mask of one threadgroup, in one dimension */
   uint32_t dispatch_uniform; /* half uniform at which struct agx_dispatch_block begins; 0: there is none */
};

#endif
