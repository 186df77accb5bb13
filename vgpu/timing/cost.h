/* SPDX-License-Identifier: MIT
 *
 * What the timing model knows of an instruction of a program.
 */
#ifndef VGPU_COST_H
#define VGPU_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "vgpu/timing/timing_params.h"

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

/* Units of the complex pipe that it does not change between for nothing. */
enum vgpu_unit {
   VGPU_UNIT_ANY, /* none of them */
   VGPU_UNIT_MULTIPLIER,
   VGPU_UNIT_TRANSCENDENTAL,
};

struct vgpu_cost {
   uint8_t kind;   /* enum vgpu_cost_kind */
   uint8_t pipe;   /* enum vgpu_pipe */
   uint8_t port;   /* the pipe that it goes through, which takes nothing else meanwhile */
   uint8_t slot;   /* scoreboard: 0, 1 */
   uint8_t unit;   /* enum vgpu_unit */
   bool wide;      /* an operand has 32 bits or more */
   bool access;    /* it takes an access from the simdgroup's address stream */
   uint8_t length; /* bytes of code */
   uint8_t read_count, write_count;
   uint8_t reads[VGPU_COST_READS]; /* half registers */
   uint8_t writes[VGPU_COST_WRITES];
   uint32_t interval, issue; /* ticks */
   uint16_t latency;
   uint16_t bypass; /* ticks that a result takes to reach a reader on another pipe, beyond the latency */
};

/* What a half register holds, for its readers. All zero: it was never written. */
struct vgpu_result {
   uint64_t ready;   /* when a reader on its writer's own pipe can issue, ticks */
   uint32_t writer;  /* number of the simdgroup's instruction that wrote it, if that used the fast pipe; else 0 */
   uint16_t latency; /* its latency, if a reader on the fast pipe may have to wait for it; else 0 */
   uint16_t bypass;  /* its vgpu_cost.bypass */
};
#define VGPU_FIRST (VGPU_FORWARD_DISTANCE + 1u) /* number of a simdgroup's first instruction: 0 is far from all */

static inline struct vgpu_result vgpu_result_of(const struct vgpu_cost *writer, uint32_t number, uint64_t ready)
{
   bool fast = writer->pipe == VGPU_PIPE_FAST, forwarded = fast || writer->pipe == VGPU_PIPE_COMPLEX;
   return (struct vgpu_result){ready, fast ? number : 0, forwarded ? writer->latency : 0, writer->bypass};
}

/* When a reader of it can issue, ticks. Only the result of a scan has a bypass time. */
static inline uint64_t vgpu_operand_ready(const struct vgpu_cost *reader, const struct vgpu_result *operand)
{
   return reader->pipe == VGPU_PIPE_CROSS ? operand->ready : operand->ready + operand->bypass;
}

/* Ticks that an issued instruction may wait in front of this pipe. */
static inline uint32_t vgpu_queue_ticks(const struct vgpu_params *params, unsigned port)
{
   if (port >= VGPU_PIPE_OWN) {
      return 0;
   }
   return params->core[port == VGPU_PIPE_FAST ? VGPU_CORE_FAST_QUEUE : VGPU_CORE_OTHER_QUEUE];
}

/* Ticks that the complex pipe loses before this instruction. *unit: the last that the pipe used; it is updated. */
static inline uint32_t vgpu_switch_ticks(const struct vgpu_params *params, const struct vgpu_cost *cost, uint8_t *unit)
{
   if (cost->unit == VGPU_UNIT_ANY) {
      return 0;
   }
   bool changed = *unit != VGPU_UNIT_ANY && *unit != cost->unit;
   *unit = cost->unit;
   return changed ? params->core[VGPU_CORE_SWITCH] : 0;
}

/* Ticks that the simdgroup's instruction of that number stalls its pipe for one operand. The rules stand in
 * vgpu/timing/timing_params.h. */
static inline uint32_t vgpu_operand_stall(const struct vgpu_params *params, const struct vgpu_cost *reader,
                                          uint32_t number, const struct vgpu_result *operand)
{
   if (reader->pipe != VGPU_PIPE_FAST) {
      return 0;
   }
   const uint16_t *forward = params->forward[reader->wide];
   uint32_t distance = number - operand->writer;
   uint32_t near = distance <= VGPU_FORWARD_DISTANCE ? forward[distance] : 0;
   uint32_t excess = operand->latency > reader->latency ? (uint32_t)operand->latency - reader->latency : 0;
   excess += operand->bypass;
   if (excess == 0) {
      return near;
   }
   uint32_t stall = excess * params->core[VGPU_CORE_FORWARDING] / 100;
   stall = stall < forward[1] ? stall : forward[1];
   return stall > near ? stall : near;
}

/* Does it append to its simdgroup's address stream (vgpu/timing/memory/accesses.h)? */
bool vgpu_is_access(enum isa_op op);
/* The costs of one instruction with these parameters. */
void vgpu_cost_of(const struct isa_insn *insn, const struct vgpu_params *params, struct vgpu_cost *cost);

#endif
