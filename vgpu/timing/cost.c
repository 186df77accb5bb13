/* SPDX-License-Identifier: MIT
 *
 * Computes the costs of a decoded instruction from the parameters: its pipe, its latency, and the half registers that
 * it reads and writes. Invariant: every instruction has a cost, even an unknown one.
 */
#include "vgpu/timing/cost.h"

#include <string.h>

#include "isa/formats.h"
#include "vgpu/launch.h"
#include "vgpu/timing/timing_params.h"

#define HALF_REGISTERS 256

static void add(uint8_t *list, uint8_t *count, unsigned most, unsigned half, unsigned halves)
{
   for (unsigned i = 0; i < halves && half + i < HALF_REGISTERS; i++) {
      if (!memchr(list, (int)(half + i), *count) && *count < most) {
         list[(*count)++] = (uint8_t)(half + i);
      }
   }
}

static unsigned halves_of(const struct isa_operand *operand)
{
   return operand->size / 16u * (operand->count ? operand->count : 1u);
}

static void read(struct vgpu_cost *cost, const struct isa_operand *operand)
{
   if (operand->kind == ISA_REG && operand->value >= 0) {
      cost->wide |= operand->size > 16;
      add(cost->reads, &cost->read_count, VGPU_COST_READS, (unsigned)operand->value, halves_of(operand));
   }
}

static void write(struct vgpu_cost *cost, const struct isa_operand *operand)
{
   if (operand->kind == ISA_REG && operand->value >= 0) {
      add(cost->writes, &cost->write_count, VGPU_COST_WRITES, (unsigned)operand->value, halves_of(operand));
   }
}

static enum vgpu_cost_kind kind_of(const struct isa_insn *insn)
{
   switch (isa_flow(insn)) {
   case ISA_FLOW_EXEC:
   case ISA_FLOW_JUMP:
   case ISA_FLOW_CALL:
   case ISA_FLOW_CALL_REG:
   case ISA_FLOW_RETURN:
      return VGPU_COST_CONTROL;
   case ISA_FLOW_WAIT:
      return VGPU_COST_WAIT;
   case ISA_FLOW_BARRIER:
      return VGPU_COST_BARRIER;
   case ISA_FLOW_STOP:
   case ISA_FLOW_TRAP:
      return VGPU_COST_STOP;
   default:
      return isa_is_async(insn) ? VGPU_COST_ASYNC : VGPU_COST_PLAIN;
   }
}

/* Returns the bytes that all lanes of a memory operation move; for an atomic, the bytes of one lane, because its
 * address stream has the number of lanes. */
static uint32_t bytes_of(const struct isa_insn *insn, enum isa_timing class)
{
   if (class == ISA_TIMING_ATOMIC || class == ISA_TIMING_LATOMIC) {
      return 4;
   }
   if (insn->op == ISA_OP_TEXTURE_LOAD || insn->op == ISA_OP_TEXTURE_SAMPLE || insn->op == ISA_OP_IMAGE_WRITE) {
      /* No texture unit is modelled: an access with a format costs as much as a load or store of a word. */
      return 4 * VGPU_LANES;
   }
   const struct isa_format_info *format = &isa_formats[insn->mod[ISA_MOD_FORMAT] & 15];
   unsigned elements = format->components ? 1 : (unsigned)__builtin_popcount((unsigned)insn->mod[ISA_MOD_MASK] & 15);
   return format->size * elements * VGPU_LANES;
}

bool vgpu_is_access(enum isa_op op)
{
   return op == ISA_OP_LOAD || op == ISA_OP_STORE || op == ISA_OP_ATOMIC || op == ISA_OP_LLOAD || op == ISA_OP_LSTORE ||
          op == ISA_OP_LATOMIC || op == ISA_OP_STACK_LOAD || op == ISA_OP_STACK_STORE || op == ISA_OP_TEXTURE_LOAD ||
          op == ISA_OP_TEXTURE_SAMPLE || op == ISA_OP_IMAGE_WRITE;
}

/* Bytes a cycle between a core's registers and its L1 or threadgroup memory. */
static uint32_t port_bandwidth(const struct vgpu_params *params, unsigned pipe)
{
   double bytes = pipe == VGPU_PIPE_LOCAL ? params->memory[VGPU_MEMORY_LOCAL_BANKS] * sizeof(uint32_t)
                                          : params->memory[VGPU_MEMORY_L1_BANDWIDTH];
   return bytes < 1 ? 1 : (uint32_t)bytes;
}

static bool is_multiplication(enum isa_timing class)
{
   return class == ISA_TIMING_IMUL16 || class == ISA_TIMING_IMUL32 || class == ISA_TIMING_IMUL64;
}

static enum vgpu_unit unit_of(enum isa_timing class)
{
   switch (class) {
   case ISA_TIMING_RCP:
   case ISA_TIMING_RSQRT:
   case ISA_TIMING_EXP2_16:
   case ISA_TIMING_EXP2_32:
   case ISA_TIMING_LOG2_16:
   case ISA_TIMING_LOG2_32:
      return VGPU_UNIT_TRANSCENDENTAL;
   case ISA_TIMING_SIN_PT_1:
   case ISA_TIMING_SIN_PT_2:
      return VGPU_UNIT_NONE; /* SIN32 (instr.csv, 14.28) leaves no loss between its truncation and its sines */
   default:
      return vgpu_class_rows[class].pipe == VGPU_PIPE_COMPLEX ? VGPU_UNIT_INTEGER : VGPU_UNIT_NONE;
   }
}

/* Returns the port through which instructions of a class pass. */
static unsigned port_of(enum isa_timing class, const struct vgpu_params *params)
{
   switch (class) {
   case ISA_TIMING_EXP2_16:
   case ISA_TIMING_EXP2_32:
   case ISA_TIMING_LOG2_16:
   case ISA_TIMING_LOG2_32:
      return VGPU_PORT_EXPONENT;
   case ISA_TIMING_RCP:
      return VGPU_PORT_RECIPROCAL;
   case ISA_TIMING_RSQRT:
      return VGPU_PORT_ROOT;
   default:
      return vgpu_class_rows[class].pipe == VGPU_PIPE_CROSS ? params->core[VGPU_CORE_CROSS]
                                                            : vgpu_class_rows[class].pipe;
   }
}

/* Returns for how many ticks an instruction of the complex pipe occupies its scheduler. */
static uint32_t issue_of(enum isa_timing class, const struct vgpu_cost *cost, const struct vgpu_params *params)
{
   if (class == ISA_TIMING_RCP || class == ISA_TIMING_RSQRT) {
      return params->core[VGPU_CORE_ISSUE] * params->core[VGPU_CORE_DEEP_ISSUE];
   }
   return cost->interval * params->core[is_multiplication(class) ? VGPU_CORE_MULTIPLY_ISSUE : VGPU_CORE_COMPLEX_ISSUE] /
          100;
}

/* Moves those second halves of registers other than r0 to the end whose first half is in the list as well. Keeps the
 * order otherwise. Returns how many half registers come before them. */
static uint8_t sort(uint8_t *list, uint8_t count)
{
   uint8_t second[VGPU_COST_READS], few = 0, moved = 0;
   for (unsigned i = 0; i < count; i++) {
      if (list[i] > 1 && list[i] & 1 && memchr(list, list[i] - 1, few)) {
         second[moved++] = list[i];
      } else {
         list[few++] = list[i];
      }
   }
   memcpy(list + few, second, moved);
   return few;
}

void vgpu_cost_of(const struct isa_insn *insn, const struct vgpu_params *params, struct vgpu_cost *cost)
{
   enum isa_timing class = insn->row ? isa_timing_class(insn) : ISA_TIMING_OTHER;
   const struct vgpu_class_row *row = &vgpu_class_rows[class];
   memset(cost, 0, sizeof(*cost));
   cost->kind = (uint8_t)kind_of(insn);
   cost->pipe = row->pipe;
   cost->length = (uint8_t)insn->length;
   cost->port = (uint8_t)port_of(class, params);
   cost->slot = insn->mod[ISA_MOD_SLOT] & 1;
   cost->interval = params->interval[class];
   cost->issue = params->core[VGPU_CORE_ISSUE];
   cost->unit = (uint8_t)unit_of(class);
   if (row->pipe == VGPU_PIPE_COMPLEX) {
      const uint32_t ticks = issue_of(class, cost, params);
      cost->issue = ticks > cost->issue ? ticks : cost->issue;
   }
   if (insn->op == ISA_OP_MATRIX) {
      cost->issue = params->core[VGPU_CORE_MATRIX_ISSUE];
   }
   cost->latency = params->latency[class];
   cost->bypass = insn->op == ISA_OP_PREFIX ? (uint16_t)params->core[VGPU_CORE_BYPASS] : 0;
   const bool fast = cost->pipe == VGPU_PIPE_FAST;
   cost->forwarded = fast || cost->pipe == VGPU_PIPE_COMPLEX ? cost->latency : 0;
   cost->numbered = fast ? UINT32_MAX : 0;
   cost->access = vgpu_is_access(insn->op);
   if (cost->access) {
      uint32_t ticks = bytes_of(insn, class) * VGPU_TICKS / port_bandwidth(params, row->pipe);
      cost->interval = ticks > cost->interval ? ticks : cost->interval;
   }
   for (unsigned n = 0; n < ISA_MAX_SOURCES; n++) {
      read(cost, &insn->src[n]);
   }
   write(cost, &insn->dst);
   struct isa_implicit implicit = isa_implicit(insn);
   if (implicit.read) {
      add(cost->reads, &cost->read_count, VGPU_COST_READS, implicit.first, implicit.halves);
   }
   add(cost->writes, &cost->write_count, VGPU_COST_WRITES, implicit.first, implicit.halves);
   cost->few_reads = sort(cost->reads, cost->read_count);
   for (unsigned i = 0; i < cost->write_count; i++) {
      const uint8_t half = cost->writes[i];
      cost->splits |= half > 1 && !memchr(cost->writes, half ^ 1, cost->write_count);
   }
   cost->simple = cost->kind == VGPU_COST_PLAIN && !cost->access && !vgpu_is_shared(cost->port);
}
