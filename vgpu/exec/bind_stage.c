/* SPDX-License-Identifier: MIT
 *
 * Operands of instructions that only vertex and fragment programs have. Invariant: in a program of another stage they
 * are refused, since nothing that they work on exists there.
 */
#include "vgpu/exec/bind.h"
#include "vgpu/stage.h"

enum vgpu_stage_kind vgpu_bind_stage(const struct vgpu_binder *b)
{
   return b->launch->stage && !b->preamble ? (enum vgpu_stage_kind)b->launch->stage->kind : VGPU_STAGE_COMPUTE;
}

/* Whether the program is of that stage; else the instruction faults. */
static bool only_in(struct vgpu_binder *b, enum vgpu_stage_kind stage)
{
   const bool right = vgpu_bind_stage(b) == stage;
   if (!right) {
      vgpu_refuse(b, stage == VGPU_STAGE_VERTEX ? "an instruction that only vertex programs have"
                                                : "an instruction that only fragment programs have");
   }
   return right;
}

static void need(struct vgpu_binder *b, const struct isa_operand *operand, unsigned halves)
{
   if (operand->kind == ISA_REG) {
      vgpu_bind_allocated(b, operand->value, halves);
   }
}

unsigned vgpu_bind_varying_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   only_in(b, VGPU_STAGE_VERTEX);
   need(b, &op->insn->src[0], 2);
   need(b, &op->insn->src[1], 1);
   return 0;
}

unsigned vgpu_bind_coefficients(struct vgpu_binder *b, struct vgpu_op *op)
{
   if (only_in(b, VGPU_STAGE_FRAGMENT)) {
      vgpu_bind_own_dest(b, op);
      need(b, &op->insn->src[0], 1);
      need(b, &op->insn->src[2], 1);
   }
   return 0;
}

unsigned vgpu_bind_coverage(struct vgpu_binder *b, struct vgpu_op *op)
{
   only_in(b, VGPU_STAGE_FRAGMENT);
   need(b, &op->insn->src[0], 1);
   need(b, &op->insn->src[1], op->insn->src[1].size / 16u);
   return 0;
}

unsigned vgpu_bind_derivative(struct vgpu_binder *b, struct vgpu_op *op)
{
   if (only_in(b, VGPU_STAGE_FRAGMENT)) {
      vgpu_bind_own_dest(b, op);
      vgpu_bind_own_source(b, op, 0, VGPU_REAL);
      op->saturate = vgpu_bind_mod(op, ISA_MOD_SATURATE);
   }
   return 0;
}

unsigned vgpu_bind_in_stage(struct vgpu_binder *b, struct vgpu_op *op)
{
   (void)op;
   if (vgpu_bind_stage(b) == VGPU_STAGE_COMPUTE) {
      vgpu_refuse(b, "an instruction that only vertex and fragment programs have");
   }
   return 0;
}

static void add(const struct isa_operand *operand, unsigned halves, struct vgpu_halves *reads)
{
   if (operand->kind == ISA_REG) {
      vgpu_halves_add_range(reads, (unsigned)operand->value, halves);
   }
}

/* Depth (1) is a word, stencil (2) a half, which follows it. */
static unsigned zs_halves(int32_t parts)
{
   return (parts & 1 ? 2 : 0) + (parts & 2 ? 1 : 0);
}

void vgpu_stage_registers(const struct vgpu_op *op, struct vgpu_halves *reads)
{
   const struct isa_operand *src = op->insn->src;
   switch (op->insn->op) {
   case ISA_OP_VARYING_STORE:
      add(&src[0], 2, reads);
      add(&src[1], 1, reads);
      break;
   case ISA_OP_ITER:
   case ISA_OP_ITER_PROJECTED:
   case ISA_OP_COEFFICIENT_LOAD:
      add(&src[0], 1, reads);
      add(&src[2], 1, reads);
      break;
   case ISA_OP_SAMPLE_MASK:
      add(&src[0], 1, reads);
      add(&src[1], 1, reads);
      break;
   case ISA_OP_ZS_EMIT:
      add(&src[0], 1, reads);
      add(&src[1], zs_halves(op->insn->mod[ISA_MOD_ZS]), reads);
      break;
   default:
      break;
   }
}
