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
   bool simple;    /* nothing outside its simdgroup and its scheduler matters to it: PLAIN, no access, own pipe */
   bool splits;    /* it writes a half of a register, other than r0, without the other half */
   uint8_t read_count, write_count;
   uint8_t
       few_reads; /* so many of `reads` are enough while both halves of all registers, other than r0, are the same */
   uint8_t reads[VGPU_COST_READS]; /* half registers: at the end second halves whose first half is there, too */
   uint8_t writes[VGPU_COST_WRITES];
   uint32_t interval, issue; /* ticks */
   uint16_t latency;
   uint16_t bypass;    /* ticks that a result takes to reach a reader on another pipe, beyond the latency */
   uint16_t forwarded; /* the latency, if readers of its result on the fast pipe may have to wait for it; else 0 */
   uint32_t numbered;  /* all bits, if its result keeps the writer's number; else 0 */
};

/* What a half register holds, for its readers. All zero: it was never written. */
struct vgpu_result {
   uint64_t ready;   /* when a reader on another pipe can issue, ticks */
   uint32_t writer;  /* number of the simdgroup's instruction that wrote it, if that used the fast pipe; else 0 */
   uint16_t latency; /* its latency, if a reader on the fast pipe may have to wait for it; else 0 */
   uint16_t bypass;  /* its vgpu_cost.bypass: a reader on its writer's pipe can issue so much earlier */
};
#define VGPU_FIRST (VGPU_FORWARD_DISTANCE + 1u) /* number of a simdgroup's first instruction: 0 is far from all */

static inline struct vgpu_result vgpu_result_of(const struct vgpu_cost *writer, uint32_t number, uint64_t ready)
{
   return (struct vgpu_result){ready + writer->bypass, number & writer->numbered, writer->forwarded, writer->bypass};
}

/* When a reader of it can issue, ticks. Only the result of a scan has a bypass time. */
static inline uint64_t vgpu_operand_ready(const struct vgpu_cost *reader, const struct vgpu_result *operand)
{
   return reader->pipe == VGPU_PIPE_CROSS ? operand->ready - operand->bypass : operand->ready;
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

/* When an instruction can issue for its operands, and by how many ticks it stalls its pipe. */
struct vgpu_operands {
   uint64_t ready;
   uint32_t stall;
};

/* Ticks for which a reader on the fast pipe stalls for the longest forwarding latency of these operands. */
static inline uint32_t vgpu_forwarding_stall(const struct vgpu_params *params, const struct vgpu_cost *reader,
                                             unsigned count, const struct vgpu_result *registers)
{
   uint32_t latency = reader->latency, bypass = 0;
   for (unsigned i = 0; i < count; i++) {
      const struct vgpu_result *operand = &registers[reader->reads[i]];
      latency = operand->latency > latency ? operand->latency : latency;
      bypass = operand->bypass > bypass ? operand->bypass : bypass;
   }
   const uint32_t excess = latency - reader->latency; /* an operand has one of the two */
   const uint32_t ticks = (bypass > excess ? bypass : excess) * params->core[VGPU_CORE_FORWARDING] / 100;
   const uint32_t most = params->forward[reader->wide][1];
   return ticks < most ? ticks : most;
}

/* Of the simdgroup's instruction of that number. `registers`: the simdgroup's half registers, of which the first
 * `count` of reader->reads are looked at. The nearest operand counts, and the longest forwarding latency. The rules of
 * stalls stand in vgpu/timing/timing_params.h. */
static inline struct vgpu_operands vgpu_operands_of(const struct vgpu_params *params, const struct vgpu_cost *reader,
                                                    unsigned count, uint32_t number,
                                                    const struct vgpu_result *registers)
{
   const uint8_t *read = reader->reads, *const end = read + count;
   struct vgpu_operands operands = {0, 0};
   if (reader->pipe != VGPU_PIPE_FAST) {
      for (; read < end; read++) {
         const uint64_t time = vgpu_operand_ready(reader, &registers[*read]);
         operands.ready = time > operands.ready ? time : operands.ready;
      }
      return operands;
   }
   uint32_t distance = UINT32_MAX;
   bool forwards = false;
   for (; read < end; read++) {
      const struct vgpu_result *operand = &registers[*read];
      const uint32_t behind = number - operand->writer;
      operands.ready = operand->ready > operands.ready ? operand->ready : operands.ready;
      distance = behind < distance ? behind : distance;
      forwards |= (operand->latency | (uint32_t)operand->bypass << 16) > reader->latency;
   }
   operands.stall = distance <= VGPU_FORWARD_DISTANCE ? params->forward[reader->wide][distance] : 0;
   if (forwards) {
      const uint32_t stall = vgpu_forwarding_stall(params, reader, count, registers);
      operands.stall = stall > operands.stall ? stall : operands.stall;
   }
   return operands;
}

/* Does it append to its simdgroup's address stream (vgpu/timing/memory/accesses.h)? */
bool vgpu_is_access(enum isa_op op);
/* The costs of one instruction with these parameters. */
void vgpu_cost_of(const struct isa_insn *insn, const struct vgpu_params *params, struct vgpu_cost *cost);

#endif
