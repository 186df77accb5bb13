/* SPDX-License-Identifier: MIT
 *
 * Memory instructions of compiled runs. Invariant: they include neither atomics that return a value nor those whose
 * order decides the result, because a run executes one simdgroup after the other, the interpreter one instruction
 * after the other.
 */
#include "vgpu/jit/facts/memory.h"

#include "isa/formats.h"
#include "vgpu/exec/code.h"
#include "util/array.h"

static const struct {
   uint16_t code; /* enum isa_op */
   bool loads, stores;
   const char *fast_path;  /* for one 32-bit word a lane; but on the stack with all lanes active for others, too */
   const char *known_line; /* the same, where the line's place is known */
   const char *elements;   /* for raw elements wherever they are */
} rows[] = {
    {ISA_OP_LOAD, true, false, "vgpu_frame_load_line", "vgpu_frame_load_known", "vgpu_frame_load_elements"},
    {ISA_OP_STORE, false, true, "vgpu_frame_store_line", "vgpu_frame_store_known", "vgpu_frame_store_elements"},
    {ISA_OP_LLOAD, true, false, "vgpu_frame_local_load", NULL, "vgpu_frame_local_load_elements"},
    {ISA_OP_LSTORE, false, true, "vgpu_frame_local_store", NULL, "vgpu_frame_local_store_elements"},
    {ISA_OP_STACK_LOAD, true, false, "vgpu_frame_stack_load", NULL, "vgpu_frame_stack_load_elements"},
    {ISA_OP_STACK_STORE, false, true, "vgpu_frame_stack_store", NULL, "vgpu_frame_stack_store_elements"},
    {ISA_OP_ATOMIC, false, false, NULL, NULL, NULL},
    {ISA_OP_LATOMIC, false, false, NULL, NULL, NULL},
};

static int row_of(const struct vgpu_op *op)
{
   for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
      if (op->insn->op == rows[i].code) {
         return (int)i;
      }
   }
   return -1;
}

/* Whether any order of the lanes gives the same memory. */
static bool is_commutative(uint32_t operation)
{
   return operation != ISA_ATOMIC_XCHG && operation != ISA_ATOMIC_CMPXCHG && operation <= ISA_ATOMIC_XOR;
}

bool vgpu_jit_is_memory(const struct vgpu_op *op)
{
   const int row = row_of(op);
   if (row < 0) {
      return false;
   }
   return rows[row].loads || rows[row].stores || (!op->dst.present && is_commutative(op->atomic.operation));
}

bool vgpu_jit_is_fence(const struct vgpu_op *op)
{
   return op->insn->op == ISA_OP_WAIT;
}

bool vgpu_jit_branches(const struct vgpu_op *op)
{
   return op->insn->op == ISA_OP_IF_ICMP || op->insn->op == ISA_OP_IF_FCMP;
}

bool vgpu_jit_turns(const struct vgpu_op *op)
{
   const struct isa_operand *src = op->insn->src;
   return op->insn->op == ISA_OP_ELSE_FCMP && op->compare.condition == ISA_FEQ && !op->compare.invert &&
          src[0].kind == ISA_FLOAT_IMM && src[1].kind == ISA_FLOAT_IMM && src[0].value == src[1].value &&
          op->src[0].keep == op->src[1].keep && op->src[0].flip == op->src[1].flip;
}

bool vgpu_jit_pops(const struct vgpu_op *op)
{
   return op->insn->op == ISA_OP_POP_EXEC;
}

static bool moves_raw(const struct vgpu_op *op)
{
   const int row = row_of(op);
   return row >= 0 && (rows[row].loads || rows[row].stores) && isa_formats[op->memory.format].raw;
}

bool vgpu_jit_memory_is_word(const struct vgpu_op *op)
{
   return moves_raw(op) && op->memory.element_bytes == 4 && op->memory.mask == 1 && op->dst.form == VGPU_WORD;
}

/* Whether each lane moves 1, 2, 4, 8 or 16 bytes of device memory, without gaps if it stores. */
static bool moves_vector(const struct vgpu_op *op)
{
   const unsigned mask = op->memory.mask, bytes = op->memory.element_bytes;
   if (!moves_raw(op) || mask == 0 || (bytes == 4 && op->dst.form != VGPU_WORD)) {
      return false;
   }
   const unsigned elements = 32u - (unsigned)__builtin_clz(mask);
   return (elements & (elements - 1)) == 0 &&
          (op->insn->op == ISA_OP_LOAD || (op->insn->op == ISA_OP_STORE && mask == (1u << elements) - 1));
}

/* Whether each lane may load from a place of its own: in threadgroup memory, which has no pages. */
static bool gathers(const struct vgpu_op *op)
{
   return op->insn->op == ISA_OP_LLOAD && moves_raw(op);
}

const char *vgpu_jit_memory_fast_path(const struct vgpu_op *op, bool masked)
{
   const bool fast = vgpu_jit_memory_is_word(op) || (!masked && (moves_vector(op) || gathers(op)));
   return fast ? rows[row_of(op)].fast_path : NULL;
}

const char *vgpu_jit_memory_call(const struct vgpu_op *op)
{
   const char *elements = moves_raw(op) ? rows[row_of(op)].elements : NULL;
   return elements ? elements : "vgpu_frame_call";
}

const char *vgpu_jit_memory_base(const struct vgpu_op *op)
{
   const bool local = op->insn->op == ISA_OP_LLOAD || op->insn->op == ISA_OP_LSTORE;
   if (!local || op->src[0].space != VGPU_REGISTERS || op->src[1].space != VGPU_CONSTANTS) {
      return "";
   }
   return op->src[0].form == VGPU_LOW ? "_low" : op->src[0].form == VGPU_HIGH ? "_high" : "";
}

const char *vgpu_jit_memory_known_line(const struct vgpu_op *op)
{
   return vgpu_jit_memory_is_word(op) ? rows[row_of(op)].known_line : NULL;
}

bool vgpu_jit_memory_loads(const struct vgpu_op *op)
{
   const int row = row_of(op);
   return row >= 0 && rows[row].loads;
}

void vgpu_jit_memory_data(const struct vgpu_op *op, uint32_t *first, uint32_t *end)
{
   const int row = row_of(op);
   *first = *end = 0;
   if (row >= 0 && (rows[row].loads || rows[row].stores)) {
      const uint32_t halves = vgpu_op_dst_elements(op) * (op->dst.size / 16u);
      *first = op->dst.half / 2u;
      *end = (op->dst.half + halves + 1u) / 2u;
   }
}

bool vgpu_jit_memory_agrees(uint32_t *operation, const struct vgpu_op *op)
{
   const int row = row_of(op);
   if (row < 0 || rows[row].loads || rows[row].stores) {
      return true;
   }
   if (*operation != VGPU_JIT_NO_ATOMIC && *operation != op->atomic.operation) {
      return false;
   }
   *operation = op->atomic.operation;
   return true;
}
