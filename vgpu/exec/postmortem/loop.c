/* SPDX-License-Identifier: MIT
 *
 * Loops as compilers write them for the exec mask's stack (spec/isa.md 1.3): a jump back that is taken while any lane
 * is active, and comparisons that take lanes out. `while` takes out the lanes for which it is false. `break` writes r0l
 * itself, under the `if` instructions around it.
 */
#include "vgpu/exec/postmortem/postmortem.h"

#include <string.h>

#include "vgpu/exec/code.h"
#include "vgpu/exec/semantics.h"

#define MAX_DEPTH 64u

/* An `if` that is open at a place of the code. */
struct open_if {
   const struct vgpu_op *op; /* NULL: a condition that is always true */
   bool when;                /* what the comparison is where the place is reached */
   uint32_t levels;          /* of the stack */
};

struct search {
   const struct vgpu_code *code;
   uint64_t head, tail;
   struct open_if open[MAX_DEPTH];
   unsigned depth;
   struct vgpu_loop_exit *exits;
   unsigned count;
};

bool vgpu_is_exec_compare(const struct vgpu_op *op)
{
   switch (op->insn->op) {
   case ISA_OP_IF_ICMP:
   case ISA_OP_IF_FCMP:
   case ISA_OP_ELSE_ICMP:
   case ISA_OP_ELSE_FCMP:
   case ISA_OP_WHILE_ICMP:
   case ISA_OP_WHILE_FCMP:
      return true;
   default:
      return false;
   }
}

static bool is_real(const struct vgpu_op *op)
{
   return op->insn->op == ISA_OP_IF_FCMP || op->insn->op == ISA_OP_ELSE_FCMP || op->insn->op == ISA_OP_WHILE_FCMP;
}

static bool is_immediate(const struct isa_operand *operand)
{
   return operand->kind == ISA_IMM || operand->kind == ISA_FLOAT_IMM;
}

/* "if 0, 0, 1, ieq" pushes a level, and decides nothing. */
static bool decides(const struct vgpu_op *op)
{
   return !is_immediate(&op->insn->src[0]) || !is_immediate(&op->insn->src[1]);
}

static void add_exit(struct search *search, const struct vgpu_op *op, bool when)
{
   for (unsigned i = 0; i < search->count; i++) {
      if (search->exits[i].op == op) {
         return;
      }
   }
   if (search->count < VGPU_LOOP_EXITS) {
      search->exits[search->count++] = (struct vgpu_loop_exit){op, when};
   }
}

/* Lanes that get here leave the loop. */
static void leave_here(struct search *search)
{
   for (unsigned i = search->depth; i > 0; i--) {
      if (search->open[i - 1].op) {
         add_exit(search, search->open[i - 1].op, search->open[i - 1].when);
      }
   }
}

static void pop(struct search *search, uint32_t levels)
{
   while (levels > 0 && search->depth > 0) {
      struct open_if *top = &search->open[search->depth - 1];
      const uint32_t taken = top->levels < levels ? top->levels : levels;
      top->levels -= taken;
      levels -= taken;
      search->depth -= top->levels == 0;
   }
}

/* Follows the op's effect on the stack of exec masks. inner: the op is in an inner loop, which leaves the stack as it
 * was. */
static void visit(struct search *search, const struct vgpu_op *op, bool inner)
{
   switch (op->insn->op) {
   case ISA_OP_IF_ICMP:
   case ISA_OP_IF_FCMP:
      if (search->depth < MAX_DEPTH) {
         search->open[search->depth++] =
             (struct open_if){decides(op) ? op : NULL, true, op->compare.nest ? op->compare.nest : 1};
      }
      break;
   case ISA_OP_ELSE_ICMP:
   case ISA_OP_ELSE_FCMP:
      if (search->depth > 0) {
         search->open[search->depth - 1].when = false;
      }
      break;
   case ISA_OP_WHILE_ICMP:
   case ISA_OP_WHILE_FCMP:
      if (!inner && decides(op)) {
         add_exit(search, op, false);
      }
      break;
   case ISA_OP_POP_EXEC:
      pop(search, op->compare.nest);
      break;
   case ISA_OP_STOP:
      leave_here(search);
      break;
   default:
      if (!inner && op->dst.present && op->dst.half == 0 && op->dst.size == 16) {
         leave_here(search);
      }
   }
}

/* Where the block jumps back to, if it does. */
static bool jumps_back(const struct vgpu_block *block, uint64_t *head, uint64_t *tail)
{
   if (!block->last || !block->target || block->target->address > block->last->address) {
      return false;
   }
   *head = block->target->address;
   *tail = block->last->address;
   return true;
}

static bool is_inner(const struct search *search, uint64_t address)
{
   for (uint32_t i = 0; i < search->code->block_count; i++) {
      uint64_t head, tail;
      if (jumps_back(&search->code->blocks[i], &head, &tail) && head <= address && address <= tail &&
          head >= search->head && tail <= search->tail && (head != search->head || tail != search->tail)) {
         return true;
      }
   }
   return false;
}

/* The block with the lowest address from `from` on; NULL: none is below the loop's end. */
static const struct vgpu_block *next_block(const struct search *search, uint64_t from)
{
   const struct vgpu_block *found = NULL;
   for (uint32_t i = 0; i < search->code->block_count; i++) {
      const struct vgpu_block *block = &search->code->blocks[i];
      if (block->address >= from && block->address <= search->tail && (!found || block->address < found->address)) {
         found = block;
      }
   }
   return found;
}

unsigned vgpu_loop_exits(const struct vgpu_code *code, uint64_t head, uint64_t tail,
                         struct vgpu_loop_exit exits[VGPU_LOOP_EXITS])
{
   struct search search = {.code = code, .head = head, .tail = tail, .exits = exits};
   for (const struct vgpu_block *block = next_block(&search, head); block;
        block = next_block(&search, block->address + 1)) {
      const bool inner = is_inner(&search, block->address);
      for (uint32_t i = 0; i < block->count; i++) {
         visit(&search, &block->ops[i], inner);
      }
      if (block->last && block->control != VGPU_FAULT) {
         visit(&search, block->last, inner);
      }
   }
   return search.count;
}

bool vgpu_loop_around(const struct vgpu_code *code, uint64_t address, uint64_t *head, uint64_t *tail)
{
   bool found = false;
   for (uint32_t i = 0; i < code->block_count; i++) {
      uint64_t first, last;
      if (jumps_back(&code->blocks[i], &first, &last) && first <= address && address <= last &&
          (!found || last - first < *tail - *head)) {
         *head = first;
         *tail = last;
         found = true;
      }
   }
   return found;
}

const struct vgpu_op *vgpu_code_op(const struct vgpu_code *code, uint64_t address)
{
   for (uint32_t i = 0; i < code->block_count; i++) {
      const struct vgpu_block *block = &code->blocks[i];
      if (block->last && block->last->address == address) {
         return block->last;
      }
      for (uint32_t k = 0; k < block->count; k++) {
         if (block->ops[k].address == address) {
            return &block->ops[k];
         }
      }
   }
   return NULL;
}

/* order: of the operands: -1, 0, 1; 2: one is a NaN. */
static bool compare_holds(const struct vgpu_op *op, int order, bool second_is_nan)
{
   const uint32_t condition = op->compare.condition & 7;
   bool holds = order == 0;
   if (is_real(op)) {
      /* Bit 0: less, 1: equal, 2: greater. */
      static const uint8_t orders[8] = {
          [ISA_FEQ] = 2, [ISA_FLT] = 1, [ISA_FGT] = 4, [ISA_FLTN] = 1, [ISA_FGE] = 6, [ISA_FLE] = 3, [ISA_FGTN] = 4};
      const bool or_nan = condition == ISA_FLTN || condition == ISA_FGTN;
      holds = order == 2 ? or_nan && second_is_nan : orders[condition] >> (order + 1) & 1;
   } else if (condition == ISA_ULT || condition == ISA_SLT) {
      holds = order < 0;
   } else if (condition == ISA_UGT || condition == ISA_SGT) {
      holds = order > 0;
   }
   return holds != (op->compare.invert != 0);
}

bool vgpu_loop_exit_keeps(const struct vgpu_loop_exit *exit, const struct vgpu_seen_op *seen)
{
   for (uint32_t left = seen->lanes; left; left &= left - 1) {
      const unsigned lane = (unsigned)__builtin_ctz(left);
      const int64_t a = (int64_t)seen->operands[0].lanes[lane], b = (int64_t)seen->operands[1].lanes[lane];
      int order = (a > b) - (a < b);
      double x = 0, y = 0;
      if (is_real(exit->op)) {
         memcpy(&x, &a, sizeof(x));
         memcpy(&y, &b, sizeof(y));
         order = x != x || y != y ? 2 : (x > y) - (x < y);
      }
      if (compare_holds(exit->op, order, y != y) != exit->when) {
         return true;
      }
   }
   return false;
}

void vgpu_loop_relation(const struct vgpu_op *op, bool when, struct vgpu_seen_op *seen)
{
   static const char integers[8][2][4] = {
       [ISA_UEQ] = {"!=", "=="}, [ISA_ULT] = {">=", "<"}, [ISA_UGT] = {"<=", ">"},
       [ISA_SEQ] = {"!=", "=="}, [ISA_SLT] = {">=", "<"}, [ISA_SGT] = {"<=", ">"},
   };
   /* With a NaN, both a relation and its reverse are false. */
   static const char floats[8][4] = {
       [ISA_FEQ] = "==", [ISA_FLT] = "<",  [ISA_FGT] = ">",  [ISA_FLTN] = "<",
       [ISA_FGE] = ">=", [ISA_FLE] = "<=", [ISA_FGTN] = ">",
   };
   const uint32_t condition = op->compare.condition & 7;
   const bool holds = when != (op->compare.invert != 0);
   const bool real = is_real(op);
   memcpy(seen->relation, real ? floats[condition] : integers[condition][holds], sizeof(seen->relation));
   seen->negated = real && !holds;
}
