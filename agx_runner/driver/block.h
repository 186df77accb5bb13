/* SPDX-License-Identifier: MIT
 *
 * The argument block of a launch: which of its bytes are which argument, found by what the arguments were.
 */
#ifndef AGX_RUNNER_DRIVER_BLOCK_H
#define AGX_RUNNER_DRIVER_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct driver_placed {
   const uint8_t *bytes; /* of the argument as the block has it; NULL: threadgroup memory, whose place is not known */
   uint32_t size;
   bool found;
   uint32_t offset; /* where it was found */
};

/* Finds the arguments in a block in which they lie in order, at their natural alignment or better; a driver leaves out
 * those that the program does not read. Returns how many were found by their bytes. */
unsigned driver_block_place(const uint8_t *block, size_t size, struct driver_placed *arguments, size_t count);

#endif
