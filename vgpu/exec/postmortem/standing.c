/* SPDX-License-Identifier: MIT
 *
 * The place of one simdgroup, and the operands of an instruction there.
 */
#include "vgpu/exec/postmortem/postmortem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/exec/code.h"
#include "vgpu/exec/fault.h"
#include "vgpu/exec/half.h"
#include "vgpu/stage.h"

static bool is_real(const struct vgpu_op *op)
{
   return op->insn->op == ISA_OP_IF_FCMP || op->insn->op == ISA_OP_ELSE_FCMP || op->insn->op == ISA_OP_WHILE_FCMP;
}

static uint64_t from_real(double value)
{
   uint64_t bits;
   memcpy(&bits, &value, sizeof(bits));
   return bits;
}

uint64_t vgpu_seen_value(const struct vgpu_simd *simd, const struct vgpu_op *op, unsigned n, unsigned lane)
{
   const struct vgpu_source *source = &op->src[n];
   const uint32_t *vector = vgpu_source_vector(simd, source);
   const uint32_t word = vector[lane];
   float real;
   switch ((enum vgpu_form)source->form) {
   case VGPU_LOW:
      return word & 0xffff;
   case VGPU_HIGH:
      return word >> 16;
   case VGPU_LOW_SIGNED:
      return (uint64_t)(int64_t)(int16_t)word;
   case VGPU_HIGH_SIGNED:
      return (uint64_t)(int64_t)(int16_t)(word >> 16);
   case VGPU_LOW_FLOAT:
   case VGPU_HIGH_FLOAT:
      real = (float)vgpu_f16_to_double((uint16_t)(source->form == VGPU_LOW_FLOAT ? word : word >> 16));
      break;
   default:
      if (source->size == 64) {
         return (uint64_t)vector[VGPU_LANES + lane] << 32 | word;
      }
      if (!is_real(op)) {
         return source->sx ? (uint64_t)(int64_t)(int32_t)word : word;
      }
      memcpy(&real, &word, sizeof(real));
   }
   uint32_t bits;
   memcpy(&bits, &real, sizeof(bits));
   bits = (bits & source->keep) ^ source->flip;
   memcpy(&real, &bits, sizeof(real));
   return from_real((double)real);
}

uint64_t vgpu_seen_address(const struct vgpu_simd *simd, const struct vgpu_op *op, unsigned lane)
{
   const bool atomic = op->insn->op == ISA_OP_ATOMIC;
   if (!atomic && op->insn->op != ISA_OP_LOAD && op->insn->op != ISA_OP_STORE) {
      return 0;
   }
   const bool wide = atomic && (op->atomic.operation == ISA_ATOMIC_UMIN64 || op->atomic.operation == ISA_ATOMIC_UMAX64);
   const uint32_t bytes = atomic ? wide ? 8 : 4 : op->memory.element_bytes;
   const uint64_t base = vgpu_seen_value(simd, op, 0, lane) & ~(uint64_t)(bytes - 1);
   return base + (vgpu_seen_value(simd, op, 1, lane) * bytes << (atomic ? 0 : op->memory.shift));
}

static void name_operand(const struct isa_operand *operand, char *text, size_t size)
{
   const char *before = operand->neg ? "-" : "", *bar = operand->abs ? "|" : "";
   const char *wide = operand->size == 64 ? "d" : "";
   const char *half = operand->size != 16 ? "" : operand->value & 1 ? "h" : "l";
   switch (operand->kind) {
   case ISA_REG:
   case ISA_UNIFORM:
      snprintf(text, size, "%s%s%s%c%d%s%s", before, bar, wide, operand->kind == ISA_REG ? 'r' : 'u',
               operand->value / 2, half, bar);
      break;
   case ISA_FLOAT_IMM:
      snprintf(text, size, "%s%g", before, (double)isa_minifloat((uint8_t)operand->value));
      break;
   default:
      snprintf(text, size, "%d", operand->value);
   }
}

void vgpu_seen_fill(struct vgpu_seen_op *seen, const struct vgpu_simd *simd, const struct vgpu_op *op)
{
   memset(seen, 0, sizeof(*seen));
   vgpu_place_print(simd->worker, op, seen->place, sizeof(seen->place));
   seen->lanes = simd->exec;
   for (unsigned n = 0; n < ISA_MAX_SOURCES && seen->operand_count < VGPU_POSTMORTEM_OPERANDS; n++) {
      const struct vgpu_source *source = &op->src[n];
      if (!source->size) {
         continue;
      }
      struct vgpu_seen_operand *operand = &seen->operands[seen->operand_count++];
      const uint8_t kind = op->insn->src[n].kind;
      name_operand(&op->insn->src[n], operand->name, sizeof(operand->name));
      operand->kind = kind != ISA_REG && kind != ISA_UNIFORM ? VGPU_VALUE_CONSTANT
                      : source->size == 64                   ? VGPU_VALUE_ADDRESS
                      : is_real(op) || source->form == VGPU_LOW_FLOAT || source->form == VGPU_HIGH_FLOAT
                          ? VGPU_VALUE_FLOAT
                          : VGPU_VALUE_INTEGER;
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         operand->lanes[lane] = vgpu_seen_value(simd, op, n, lane);
      }
   }
}

/* The pixels or vertices of the lanes. A preamble's lane has none. */
static void find_lanes(struct vgpu_standing *standing, const struct vgpu_simd *simd)
{
   const struct vgpu_launch *launch = simd->worker->launch;
   const struct vgpu_stage *stage = launch->stage;
   const uint64_t first = simd->group->number * launch->group[0] + simd->index * VGPU_LANES;
   for (uint32_t lanes = stage && !simd->worker->uniforms ? simd->launched_bits : 0; lanes; lanes &= lanes - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(lanes);
      if (stage->kind == VGPU_STAGE_FRAGMENT) {
         standing->at[0][lane] = stage->fragments[first + lane].x;
         standing->at[1][lane] = stage->fragments[first + lane].y;
      } else if (stage->kind == VGPU_STAGE_VERTEX) {
         standing->at[0][lane] = stage->vertices[first + lane];
         standing->at[1][lane] = stage->instances[first + lane];
      }
   }
}

void vgpu_standing_fill(struct vgpu_standing *standing, const struct vgpu_simd *simd, const struct vgpu_op *op,
                        enum vgpu_standing_state state)
{
   memset(standing, 0, sizeof(*standing));
   memcpy(standing->threadgroup, simd->group->position, sizeof(standing->threadgroup));
   standing->simdgroup = simd->index;
   standing->state = state;
   standing->launched = simd->launched_bits;
   standing->active = simd->exec;
   find_lanes(standing, simd);
   vgpu_place_print(simd->worker, op, standing->place, sizeof(standing->place));
}

/* For an access to device memory, the address is shown in place of its base. */
static void add_address(struct vgpu_seen_op *seen, const struct vgpu_simd *simd, const struct vgpu_op *op)
{
   struct vgpu_seen_operand *operand = &seen->operands[0];
   snprintf(operand->name, sizeof(operand->name), "address");
   operand->kind = VGPU_VALUE_ADDRESS;
   for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
      operand->lanes[lane] = vgpu_seen_address(simd, op, lane);
   }
}

/* Texture and image instructions read their coordinates by themselves: whole registers one after the other. */
static void add_coordinates(struct vgpu_seen_op *seen, const struct vgpu_simd *simd, const struct vgpu_op *op)
{
   const struct isa_operand *first = &op->insn->src[2];
   const bool sample = op->insn->op == ISA_OP_TEXTURE_SAMPLE;
   if ((!sample && op->insn->op != ISA_OP_TEXTURE_LOAD) || op->image.narrow || first->kind != ISA_REG) {
      return;
   }
   for (unsigned i = 0; i < op->image.coordinates && seen->operand_count < VGPU_POSTMORTEM_OPERANDS; i++) {
      struct vgpu_seen_operand *operand = &seen->operands[seen->operand_count++];
      const unsigned number = (unsigned)first->value / 2 + i;
      snprintf(operand->name, sizeof(operand->name), "r%u", number);
      operand->kind = sample ? VGPU_VALUE_FLOAT : VGPU_VALUE_INTEGER;
      for (unsigned lane = 0; lane < VGPU_LANES; lane++) {
         const uint32_t word = simd->base[VGPU_REGISTERS][number * VGPU_LANES + lane];
         float real;
         memcpy(&real, &word, sizeof(real));
         operand->lanes[lane] = sample ? from_real((double)real) : word;
      }
   }
}

struct vgpu_standing *vgpu_standing_keep(const struct vgpu_simd *simd, const struct vgpu_op *op)
{
   struct vgpu_standing *standing = malloc(sizeof(*standing));
   uint64_t head, tail;
   if (!standing) {
      return NULL;
   }
   vgpu_standing_fill(standing, simd, op, VGPU_STANDS_FAULT);
   vgpu_seen_fill(&standing->exits[0], simd, op);
   standing->exit_count = 1;
   add_coordinates(&standing->exits[0], simd, op);
   if (op->insn->op == ISA_OP_LOAD || op->insn->op == ISA_OP_STORE || op->insn->op == ISA_OP_ATOMIC) {
      add_address(&standing->exits[0], simd, op);
   }
   const struct vgpu_code *code = simd->block->code;
   if (vgpu_loop_around(code, op->address, &head, &tail)) {
      vgpu_place_print(simd->worker, vgpu_code_op(code, head), standing->loop, sizeof(standing->loop));
      vgpu_place_print(simd->worker, vgpu_code_op(code, tail), standing->loop_end, sizeof(standing->loop_end));
   }
   return standing;
}
