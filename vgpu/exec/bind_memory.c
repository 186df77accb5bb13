/* SPDX-License-Identifier: MIT
 *
 * Bindings of loads, stores, atomics and the stack.
 */
#include "vgpu/exec/bind.h"

#include "isa/formats.h"
#include "vgpu/timing/chip.h"
#include "util/array.h"

void vgpu_bind_elements(struct vgpu_binder *b, struct vgpu_op *op, const struct isa_operand *data)
{
   const struct isa_format_info *format = &isa_formats[vgpu_bind_mod(op, ISA_MOD_FORMAT) & 15];
   op->memory.mask = vgpu_bind_mod(op, ISA_MOD_MASK) & 15;
   op->memory.format = vgpu_bind_mod(op, ISA_MOD_FORMAT) & 15;
   op->memory.element_bytes = format->size;
   if (format->size == 0) {
      vgpu_refuse(b, "a memory format whose meaning is not known");
      return;
   }
   if (format->raw && format->size == 4 && data->size == 16) {
      vgpu_refuse(b, "32-bit elements in 16-bit registers");
      return;
   }
   struct isa_operand all = *data;
   all.count = format->components ? format->components : (uint8_t)__builtin_popcount(op->memory.mask);
   vgpu_bind_dest(b, &op->dst, &all);
}

static void device_address(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_source(b, op, 0, VGPU_RAW);
   vgpu_bind_own_source(b, op, 1, VGPU_INTEGER);
   op->src[1].sx |= op->insn->src[1].kind == ISA_IMM;
   if (op->src[0].size != 64) {
      vgpu_refuse(b, "a memory base that is not 64 bits wide");
   }
}

unsigned vgpu_bind_load(struct vgpu_binder *b, struct vgpu_op *op)
{
   uint32_t shift = vgpu_bind_mod(op, ISA_MOD_SHIFT);
   vgpu_bind_elements(b, op, op->insn->op == ISA_OP_LOAD ? &op->insn->dst : &op->insn->src[2]);
   device_address(b, op);
   /* Packed words ignore the shift; 3 works like 2: spec/isa.md 4.1. */
   op->memory.shift = isa_formats[op->memory.format].components ? 0 : shift < 2 ? shift : 2;
   return 0;
}

unsigned vgpu_bind_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   return vgpu_bind_load(b, op);
}

unsigned vgpu_bind_uniform_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   const struct isa_operand *to = &op->insn->dst;
   op->uniforms.first = (uint32_t)to->value;
   op->uniforms.count = to->count;
   if (!b->preamble) {
      vgpu_refuse(b, "a uniform store outside a preamble");
   } else if (to->value < 0 || op->uniforms.first + op->uniforms.count > ARRAY_COUNT(b->launch->uniforms)) {
      vgpu_refuse(b, "a uniform store past the last uniform");
   }
   struct isa_operand data = op->insn->src[0];
   data.count = to->count;
   data.size = 16;
   vgpu_bind_dest(b, &op->dst, &data);
   return 0;
}

/* Binds data and, if the launch has it, the register after it. */
static void atomic_operands(struct vgpu_binder *b, struct vgpu_op *op, bool pair)
{
   struct isa_operand data = op->insn->src[2];
   data.size = 32;
   vgpu_bind_source(b, &op->src[2], &data, VGPU_RAW);
   if (pair) {
      data.value += 2;
   }
   vgpu_bind_source(b, &op->src[3], &data, VGPU_RAW);
   if (op->insn->dst.kind != ISA_NONE) {
      vgpu_bind_own_dest(b, op);
   }
}

/* Whether bit 45 of a device atomic demands coherence between clusters or dies: spec/uapi.md section 6. On chips where
 * it does, the encodings of 64-bit minimum and maximum are a compare-and-exchange (spec/isa.md 4.3). */
static bool coherence_bit(const struct vgpu_chip *chip)
{
   return chip->class == VGPU_G13X || chip->dies > 1;
}

unsigned vgpu_bind_atomic(struct vgpu_binder *b, struct vgpu_op *op)
{
   op->atomic.operation = vgpu_bind_mod(op, ISA_MOD_ATOMIC);
   bool wide = op->atomic.operation == ISA_ATOMIC_UMIN64 || op->atomic.operation == ISA_ATOMIC_UMAX64;
   if (op->atomic.operation == ISA_ATOMIC_UMAX64 && coherence_bit(b->launch->chip)) {
      op->atomic.operation = ISA_ATOMIC_CMPXCHG;
      wide = false;
   } else if (wide && b->launch->chip->generation < 14) {
      vgpu_refuse(b, "a 64-bit atomic, which this chip does not have");
      return 0;
   }
   device_address(b, op);
   atomic_operands(b, op, wide || op->atomic.operation == ISA_ATOMIC_CMPXCHG);
   if (op->atomic.operation > ISA_ATOMIC_UMAX64) {
      vgpu_refuse(b, "an atomic operation whose meaning is not known");
   }
   /* Hardware would continue, and perhaps lose updates: a program for another chip class is refused here. */
   bool coherent = vgpu_bind_mod(op, ISA_MOD_COHERENCY) & 2 || op->insn->mod[ISA_MOD_ATOMIC] == ISA_ATOMIC_UMAX64;
   if (coherent != coherence_bit(b->launch->chip) && !wide) {
      vgpu_refuse(b, coherent ? "an atomic with bit 45, coherence between clusters, of another chip class"
                              : "an atomic without bit 45 (coherent3), which this chip class needs for coherence");
   }
   return wide ? 1 : 0;
}

static void local_address(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_source(b, op, 0, VGPU_RAW);
   vgpu_bind_own_source(b, op, 1, VGPU_SIGNED);
}

unsigned vgpu_bind_local_load(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_elements(b, op, &op->insn->dst);
   local_address(b, op);
   return 0;
}

unsigned vgpu_bind_local_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_elements(b, op, &op->insn->src[2]);
   local_address(b, op);
   return 0;
}

unsigned vgpu_bind_local_atomic(struct vgpu_binder *b, struct vgpu_op *op)
{
   op->atomic.operation = vgpu_bind_mod(op, ISA_MOD_ATOMIC);
   local_address(b, op);
   atomic_operands(b, op, op->atomic.operation == ISA_ATOMIC_CMPXCHG);
   if (op->atomic.operation > ISA_ATOMIC_XOR) {
      vgpu_refuse(b, "an atomic operation whose meaning is not known");
   }
   return 0;
}

unsigned vgpu_bind_stack_load(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_elements(b, op, &op->insn->dst);
   vgpu_bind_own_source(b, op, 1, VGPU_RAW);
   return 0;
}

unsigned vgpu_bind_stack_store(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_elements(b, op, &op->insn->src[2]);
   vgpu_bind_own_source(b, op, 1, VGPU_RAW);
   return 0;
}

unsigned vgpu_bind_stack_adjust(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_source(b, op, 0, VGPU_RAW);
   return 0;
}

unsigned vgpu_bind_stack_get_ptr(struct vgpu_binder *b, struct vgpu_op *op)
{
   vgpu_bind_own_dest(b, op);
   return 0;
}
