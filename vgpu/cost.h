/* SPDX-License-Identifier: MIT
 *
 * What the timing model knows of an instruction of a program.
 */
#ifndef VGPU_COST_H
#define VGPU_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "vgpu/timing_params.h"

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
   uint8_t port; /* the pipe that it goes through, which takes nothing else meanwhile */
   uint8_t slot; /* scoreboard: 0, 1 */
   bool wide;    /* an operand has 32 bits or more */
   uint8_t read_count, write_count;
   uint8_t reads[VGPU_COST_READS]; /* half registers */
   uint8_t writes[VGPU_COST_WRITES];
   uint32_t interval, issue; /* ticks */
   uint16_t latency;
   uint16_t leave; /* added to the latency for a reader on another pipe, ticks */
};

/* When a result is there for a reader: `ready` is for one on the pipe of its writer, which only that of a scan has to
 * leave. */
static inline uint64_t vgpu_operand_ready(const struct vgpu_cost *cost, uint64_t ready, uint32_t leave)
{
   return cost->pipe == VGPU_PIPE_CROSS ? ready : ready + leave;
}

/* The latency of a result that another instruction of the fast pipe may have to wait for, ticks. 0: the result comes
 * from elsewhere and is in the register file when its reader issues, which costs the reader nothing more. */
static inline uint16_t vgpu_forward_latency(const struct vgpu_cost *cost)
{
   return cost->pipe == VGPU_PIPE_FAST ? cost->latency : 0;
}

/* How much longer an instruction holds its scheduler for one operand, ticks: `distance` instructions after the one that
 * wrote it, whose vgpu_forward_latency is given. See vgpu/timing_params.h. */
static inline uint32_t vgpu_operand_hold(const struct vgpu_cost *cost, uint32_t distance, uint32_t latency)
{
   if (cost->pipe != VGPU_PIPE_FAST || latency == 0) {
      return 0;
   }
   const uint16_t *forward = vgpu_forward[cost->wide];
   uint32_t near = distance <= VGPU_FORWARD_DISTANCE ? forward[distance] : 0;
   uint32_t late = latency > cost->latency ? latency - cost->latency : 0;
   late = late * vgpu_core_rows[VGPU_CORE_LATE].value / 100;
   late = late < forward[1] ? late : forward[1];
   return late > near ? late : near;
}

void vgpu_cost_of(const struct isa_insn *insn, struct vgpu_cost *cost);

#endif
