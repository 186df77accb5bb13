/* SPDX-License-Identifier: MIT
 *
 * A program's machine code as basic blocks, with the timing model's data about each instruction.
 */
#ifndef AGX_RUNNER_BLOCKS_H
#define AGX_RUNNER_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/program.h"
#include "vgpu/timing/cost.h"

/* A part of a program, decoded. */
struct blocks {
   uint32_t start, count;
   uint32_t *at;   /* byte offsets in the code, one more than there are instructions */
   bool *leader;   /* a block begins there */
   uint8_t *depth; /* number of enclosing loops */
   struct vgpu_cost *costs;
};

/* Decodes `size` bytes from `start`. Returns false when out of memory; blocks_finish() must follow in any case. */
bool blocks_decode(const struct agx_program *program, uint32_t start, uint32_t size, struct blocks *blocks);
void blocks_finish(struct blocks *blocks);
/* Returns the first instruction after the block that begins at `first`. */
uint32_t blocks_end(const struct blocks *blocks, uint32_t first);
/* Whether this block is the padding behind the program's end, which is never executed. */
bool blocks_is_padding(const struct blocks *blocks, uint32_t first);

/* Simdgroups of a scheduler: as many as this program's registers and threadgroup memory allow, and the most
 * possible. */
struct blocks_occupancy {
   uint32_t core; /* simdgroups of a core */
   unsigned scheduler, most;
};
struct blocks_occupancy blocks_occupancy(const struct agx_program *program);

#endif
