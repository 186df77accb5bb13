/* SPDX-License-Identifier: MIT
 *
 * A program's machine code as basic blocks, with what the timing model knows of each instruction.
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
   uint32_t *at;   /* bytes into the code, one more than there are instructions */
   bool *leader;   /* a block begins there */
   uint8_t *depth; /* loops that the instruction stands in */
   struct vgpu_cost *costs;
};

/* `size` bytes from `start`. False: out of memory; blocks_finish() must follow in any case. */
bool blocks_decode(const struct agx_program *program, uint32_t start, uint32_t size, struct blocks *blocks);
void blocks_finish(struct blocks *blocks);
/* The first instruction after the block that begins at `first`. */
uint32_t blocks_end(const struct blocks *blocks, uint32_t first);
/* Is this block the padding behind the program's end, which nothing runs? */
bool blocks_is_padding(const struct blocks *blocks, uint32_t first);

/* Simdgroups of a scheduler: that this program's registers and threadgroup memory allow, and the most there can be. */
struct blocks_occupancy {
   uint32_t core; /* simdgroups of a core */
   unsigned scheduler, most;
};
struct blocks_occupancy blocks_occupancy(const struct agx_program *program);

#endif
