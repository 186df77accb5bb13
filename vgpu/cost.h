/* SPDX-License-Identifier: MIT
 *
 * What the timing model knows of an instruction of a program.
 */
#ifndef VGPU_COST_H
#define VGPU_COST_H

#include <stdint.h>

#include "isa/isa.h"

#define VGPU_COST_READS 18 /* half registers: the widest is a store of 4 words with base and index */
#define VGPU_COST_WRITES 8

enum vgpu_cost_kind {
   VGPU_COST_PLAIN,
   VGPU_COST_CONTROL, /* nothing of the simdgroup issues before its latency is over */
   VGPU_COST_ASYNC,   /* its result is waited for on a scoreboard slot */
   VGPU_COST_WAIT,
   VGPU_COST_BARRIER,
   VGPU_COST_STOP,
};

struct vgpu_cost {
   uint8_t kind; /* enum vgpu_cost_kind */
   uint8_t pipe; /* enum vgpu_pipe */
   uint8_t slot; /* scoreboard: 0, 1 */
   uint8_t read_count, write_count;
   uint8_t reads[VGPU_COST_READS]; /* half registers */
   uint8_t writes[VGPU_COST_WRITES];
   uint32_t interval, latency; /* ticks */
};

void vgpu_cost_of(const struct isa_insn *insn, struct vgpu_cost *cost);

#endif
