/* SPDX-License-Identifier: MIT
 *
 * The costs of an instruction in the timing model.
 */
#ifndef VGPU_COST_H
#define VGPU_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "vgpu/timing/timing_params.h"

#define VGPU_COST_READS 18 /* half registers: a store of 4 words with base and index reads the most */
#define VGPU_COST_WRITES 8

enum vgpu_cost_kind {
   VGPU_COST_PLAIN,
   VGPU_COST_CONTROL, /* the simdgroup issues nothing until its latency is over */
   VGPU_COST_ASYNC,   /* readers of its result wait for a scoreboard slot */
   VGPU_COST_WAIT,
   VGPU_COST_BARRIER,
   VGPU_COST_STOP,
};

/* Units of the complex pipe. Changing from one to the other costs time. */
enum vgpu_unit {
   VGPU_UNIT_NONE,    /* another pipe, or a sine: no change is counted */
   VGPU_UNIT_INTEGER, /* multiplications, shifts, conversions */
   VGPU_UNIT_TRANSCENDENTAL,
};

struct vgpu_cost {
   uint8_t kind;   /* enum vgpu_cost_kind */
   uint8_t pipe;   /* enum vgpu_pipe */
   uint8_t port;   /* the pipe that it passes through and occupies, or a port of the complex pipe */
   uint8_t slot;   /* scoreboard slot: 0 or 1 */
   uint8_t unit;   /* enum vgpu_unit */
   bool wide;      /* an operand has 32 bits or more */
   bool access;    /* it consumes an access of the simdgroup's address stream */
   uint8_t length; /* bytes of code */
   /* PLAIN, without an access, on its own pipe: only its simdgroup and its scheduler matter to its time */
   bool simple;
   bool splits; /* it writes one half of a register other than r0 */
   uint8_t read_count, write_count;
   uint8_t
       /* how many of `reads` matter while both halves of every register other than r0 have the same state */
       few_reads;
   uint8_t reads[VGPU_COST_READS]; /* half registers; second halves whose first half is also read come last */
   uint8_t writes[VGPU_COST_WRITES];
   uint32_t interval, issue; /* ticks */
   uint16_t latency;
   uint16_t bypass;    /* ticks that a result takes to reach a reader on another pipe, beyond the latency */
   uint16_t forwarded; /* its latency, if readers on the fast pipe may stall for its result; else 0 */
   uint32_t numbered;  /* all ones if its result stores the writer's number; else 0 */
};

/* What readers need to know of a half register. All zero: it was never written. */
struct vgpu_result {
   uint64_t ready;   /* tick at which a reader on another pipe can issue */
   uint32_t writer;  /* number of the simdgroup's instruction that wrote it, if that used the fast pipe; else 0 */
   uint16_t latency; /* its writer's latency, if a reader on the fast pipe may stall for it; else 0 */
   uint16_t bypass;  /* its writer's vgpu_cost.bypass: a reader on the writer's pipe can issue earlier by that */
};
/* number of a simdgroup's first instruction, so that number 0 is too far away to forward */
#define VGPU_FIRST (VGPU_FORWARD_DISTANCE + 1u)

static inline struct vgpu_result vgpu_result_of(const struct vgpu_cost *writer, uint32_t number, uint64_t ready)
{
   return (struct vgpu_result){ready + writer->bypass, number & writer->numbered, writer->forwarded, writer->bypass};
}

/* Returns the tick at which a reader of `result` can issue. Only the result of a scan has a bypass time. */
static inline uint64_t vgpu_operand_ready(const struct vgpu_cost *reader, const struct vgpu_result *operand)
{
   return reader->pipe == VGPU_PIPE_CROSS ? operand->ready - operand->bypass : operand->ready;
}

/* Whether all schedulers of a core use this port. */
static inline bool vgpu_is_shared(unsigned port)
{
   return port >= VGPU_PIPE_OWN && port < VGPU_PIPES;
}

static inline unsigned vgpu_pipe_of(unsigned port)
{
   return port < VGPU_PIPES ? port : VGPU_PIPE_COMPLEX;
}

/* Returns the ticks that an issued instruction may wait in the queue of this pipe. */
static inline uint32_t vgpu_queue_ticks(const struct vgpu_params *params, unsigned port)
{
   if (vgpu_is_shared(port)) {
      return 0;
   }
   return params->core[port == VGPU_PIPE_FAST ? VGPU_CORE_FAST_QUEUE : VGPU_CORE_OTHER_QUEUE];
}

/* Returns the ticks that the complex pipe loses before this instruction. Updates *unit, the unit that the pipe used
 * last. */
static inline uint32_t vgpu_switch_ticks(const struct vgpu_params *params, const struct vgpu_cost *cost, uint8_t *unit)
{
   if (cost->unit == VGPU_UNIT_NONE) {
      return 0;
   }
   bool changed = *unit != VGPU_UNIT_NONE && *unit != cost->unit;
   *unit = cost->unit;
   return changed ? params->core[VGPU_CORE_SWITCH] : 0;
}

/* Returns the ticks by which an instruction at `port` may begin before this one, of the complex pipe, has left it. */
static inline uint32_t vgpu_overlap(const struct vgpu_params *params, const struct vgpu_cost *cost, unsigned port)
{
   const bool has = cost->port == VGPU_PORT_RECIPROCAL || cost->port == VGPU_PORT_ROOT;
   return has && port >= VGPU_PIPES && port != cost->port ? params->core[VGPU_CORE_OVERLAP] : 0;
}

/* When the operands of an instruction allow it to issue, and by how many ticks they stall its pipe. */
struct vgpu_operands {
   uint64_t ready;
   uint32_t stall;
};

/* Returns the ticks for which a reader on the fast pipe stalls for the longest forwarding latency of these operands. */
static inline uint32_t vgpu_forwarding_stall(const struct vgpu_params *params, const struct vgpu_cost *reader,
                                             unsigned count, const struct vgpu_result *registers)
{
   uint32_t latency = reader->latency, bypass = 0;
   for (unsigned i = 0; i < count; i++) {
      const struct vgpu_result *operand = &registers[reader->reads[i]];
      latency = operand->latency > latency ? operand->latency : latency;
      bypass = operand->bypass > bypass ? operand->bypass : bypass;
   }
   const uint32_t excess = latency - reader->latency; /* one of the two latencies applies to an operand */
   const uint32_t ticks = (bypass > excess ? bypass : excess) * params->core[VGPU_CORE_FORWARDING] / 100;
   const uint32_t most = params->forward[reader->wide][1];
   return ticks < most ? ticks : most;
}

/* For the simdgroup's instruction `number`. `registers`: the simdgroup's half registers; the first `count` of
 * reader->reads are examined. The nearest writer and the longest forwarding latency count. vgpu/timing/timing_params.h
 * has the rules of stalls. */
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

/* Whether the operation appends to its simdgroup's address stream (vgpu/timing/memory/accesses.h). */
bool vgpu_is_access(enum isa_op op);
/* Computes the costs of one instruction with these parameters. */
void vgpu_cost_of(const struct isa_insn *insn, const struct vgpu_params *params, struct vgpu_cost *cost);

#endif
