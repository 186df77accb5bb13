/* SPDX-License-Identifier: MIT
 *
 * Divides a program for the compiler. Invariant: the division depends on the program alone, so that each block of a
 * region finds the same region.
 */
#include "vgpu/jit/shape.h"

#include "vgpu/exec/code.h"
#include "vgpu/exec/semantics.h"
#include "vgpu/jit/emit.h"
#include "vgpu/jit/facts/memory.h"
#include "vgpu/native.h"

#define MAX_REGION 192u /* ops of a region */
#define LARGE_BLOCK 6u  /* ops of a block that has code of both kinds */

/* ---- Runs and loops ---- */

/* Whether the op's function has no loop over the lanes for it, which calls functions that compiled code cannot. */
static bool is_vectors(const struct vgpu_op *op)
{
   static const bool to_integer[] = {[2] = true, [3] = true, [6] = true, [7] = true, [8] = false, [9] = false};
   const bool word = op->dst.form == VGPU_WORD;
   switch (op->insn->op) {
   case ISA_OP_RCP:
   case ISA_OP_RSQRT:
   case ISA_OP_RSQRTS:
      return word && !op->saturate;
   case ISA_OP_REDUCE:
      return op->reduce.operation != ISA_REDUCE_FMUL; /* whose products may have to be settled lane by lane */
   case ISA_OP_CONVERT:
      return to_integer[op->variant] || (word && op->convert.round != 0);
   default:
      return true;
   }
}

#define MAX_VARIANTS 32u
_Static_assert(2u * MAX_VARIANTS * ISA_OP_COUNT <= VGPU_LLVM_NOTES, "a note for each function");

/* Whether the bitcode has the op's function. The answer is noted, because keys of blocks are made often. */
static bool has_body(const struct vgpu_llvm *llvm, const struct vgpu_op *op)
{
   enum { UNKNOWN, PRESENT, ABSENT };
   char name[VGPU_BODY_NAME];
   if (op->variant >= MAX_VARIANTS) {
      return false;
   }
   const unsigned general = (op->shape & VGPU_GENERAL) != 0;
   uint8_t *note = &vgpu_llvm_notes(llvm)[((unsigned)op->insn->op * MAX_VARIANTS + op->variant) * 2 + general];
   if (*note == UNKNOWN) {
      vgpu_emit_body_name(op, 0, name);
      *note = vgpu_llvm_has(llvm, name) ? PRESENT : ABSENT;
   }
   return *note == PRESENT;
}

/* The timing model records each access, so with it memory instructions are left to the interpreter. */
bool vgpu_jit_supports(const struct vgpu_llvm *llvm, const struct vgpu_block *block, const struct vgpu_op *op)
{
   if (vgpu_jit_is_memory(op)) {
      return !block->costs && op->variant == 0; /* no variant has code: that of fragments' stores looks at each lane */
   }
   if (vgpu_jit_is_fence(op)) {
      return true;
   }
   if (!is_vectors(op)) {
      return false;
   }
   const bool known = op->dst.present || vgpu_traits_of((enum isa_op)op->insn->op) == VGPU_SETS_EXEC;
   return known && has_body(llvm, op);
}

const struct vgpu_block *vgpu_jit_loop_body(const struct vgpu_llvm *llvm, const struct vgpu_block *head)
{
   const struct vgpu_block *body = head->next;
   if (head->count == 0 || head->control != VGPU_FALL || !body || body->control != VGPU_JUMP_ANY ||
       body->target != head || head->count + body->count > VGPU_JIT_MAX_RUN ||
       vgpu_traits_of((enum isa_op)head->ops[head->count - 1].insn->op) != VGPU_SETS_EXEC) {
      return NULL;
   }
   bool all = true;
   uint32_t operation = VGPU_JIT_NO_ATOMIC;
   for (uint32_t i = 0; all && i < head->count; i++) {
      all = vgpu_jit_supports(llvm, head, &head->ops[i]) && vgpu_jit_memory_agrees(&operation, &head->ops[i]);
   }
   for (uint32_t i = 0; all && i < body->count; i++) {
      all = vgpu_jit_supports(llvm, body, &body->ops[i]) && vgpu_jit_memory_agrees(&operation, &body->ops[i]);
   }
   return all ? body : NULL;
}

uint32_t vgpu_jit_run_length(const struct vgpu_llvm *llvm, const struct vgpu_block *block, uint32_t first)
{
   uint32_t count = 0, operation = VGPU_JIT_NO_ATOMIC;
   while (first + count < block->count && count < VGPU_JIT_MAX_RUN &&
          vgpu_jit_supports(llvm, block, &block->ops[first + count]) &&
          vgpu_jit_memory_agrees(&operation, &block->ops[first + count])) {
      count++;
   }
   return count;
}

/* ---- Regions ---- */

uint32_t vgpu_jit_first_masked(const struct vgpu_block *blocks, uint32_t count)
{
   uint32_t change = 0, first = count;
   while (change < count &&
          (blocks[change].count == 0 ||
           vgpu_traits_of((enum isa_op)blocks[change].ops[blocks[change].count - 1].insn->op) != VGPU_SETS_EXEC)) {
      change++;
   }
   first = change < count ? change + 1 : count;
   for (uint32_t i = change; i < count; i++) {
      if (blocks[i].target && blocks[i].target < &blocks[first]) {
         first = (uint32_t)(blocks[i].target - blocks);
      }
   }
   return first;
}

/* A simdgroup may run several blocks before another one runs the first: only a barrier orders simdgroups. */
static bool fits_a_region(const struct vgpu_llvm *llvm, const struct vgpu_block *block)
{
   bool fits = !block->costs && block->control != VGPU_FAULT;
   for (uint32_t i = 0; fits && i < block->count; i++) {
      fits = vgpu_jit_supports(llvm, block, &block->ops[i]) || block->ops[i].insn->op != ISA_OP_UNIFORM_STORE;
   }
   return fits;
}

/* The number of blocks of the loop that starts there, up to the last jump back to it. 0: none does, or one that is too
 * large for a region. *ops: of them. */
static uint32_t loop_length(const struct vgpu_code *code, uint32_t start, uint32_t *ops)
{
   uint32_t length = 0, seen = 0;
   for (uint32_t i = start; i < code->block_count && seen <= MAX_REGION && i - start < MAX_REGION; i++) {
      seen += code->blocks[i].count;
      if (code->blocks[i].target == &code->blocks[start] && seen <= MAX_REGION) {
         length = i - start + 1;
         *ops = seen;
      }
   }
   return length;
}

/* The end of the region that starts there. Loops of two blocks have better code of their own, and a loop that another
 * region could hold as a whole is not divided. */
static uint32_t region_end(const struct vgpu_llvm *llvm, const struct vgpu_code *code, uint32_t start)
{
   uint32_t end = start, ops = 0;
   while (end < code->block_count) {
      const struct vgpu_block *block = &code->blocks[end];
      uint32_t whole = block->count;
      loop_length(code, end, &whole);
      if (ops + block->count > MAX_REGION || (end > start && ops + whole > MAX_REGION) || !fits_a_region(llvm, block) ||
          vgpu_jit_loop_body(llvm, block)) {
         break;
      }
      ops += block->count;
      end++;
   }
   return end;
}

static void divide(const struct vgpu_llvm *llvm, const struct vgpu_code *code)
{
   for (uint32_t start = 0; start < code->block_count;) {
      const uint32_t end = region_end(llvm, code, start), count = end > start ? end - start : 1;
      for (uint32_t i = start; i < start + count; i++) {
         code->natives[i].first = start;
         __atomic_store_n(&code->natives[i].count, count, __ATOMIC_RELEASE); /* sample() reads it */
      }
      start += count;
   }
}

struct vgpu_jit_region vgpu_jit_region_of(const struct vgpu_llvm *llvm, const struct vgpu_block *block)
{
   const struct vgpu_code *code = block->code;
   const struct vgpu_native *native = block->native;
   if (native->count == 0) {
      divide(llvm, code);
   }
   struct vgpu_jit_region region = {.first = &code->blocks[native->first],
                                    .count = native->count > 1 ? native->count : 0};
   if (region.count > 0) {
      region.masked = &code->blocks[vgpu_jit_first_masked(code->blocks, code->block_count)];
   }
   for (uint32_t i = 0; i < region.count; i++) {
      region.ops += region.first[i].count;
   }
   return region;
}

/* Whether an op before the block's last one writes r0. */
static bool changes_r0(const struct vgpu_block *block)
{
   struct vgpu_halves reads = {{0}}, writes = {{0}};
   for (uint32_t i = 0; i + 1 < block->count; i++) {
      vgpu_op_registers(&block->ops[i], &reads, &writes);
   }
   return writes.bits[0] & 3;
}

bool vgpu_jit_goes_over(const struct vgpu_jit_region *region, uint32_t n)
{
   const struct vgpu_block *block = &region->first[n], *next = block + 1;
   if (n + 1 >= region->count || block->count == 0 || block->control != VGPU_FALL || block->next != next ||
       next->count == 0 || next->first_idle != next->count - 1) {
      return false;
   }
   const struct vgpu_op *last = &next->ops[next->count - 1];
   return vgpu_jit_branches(&block->ops[block->count - 1]) && vgpu_jit_pops(last) && last->compare.nest > 0 &&
          !changes_r0(block);
}

bool vgpu_jit_has_masked(const struct vgpu_jit_region *region, const struct vgpu_block *block)
{
   return block >= region->masked;
}

bool vgpu_jit_has_full(const struct vgpu_jit_region *region, const struct vgpu_block *block)
{
   return block < region->masked || block->count >= LARGE_BLOCK ||
          vgpu_jit_goes_over(region, (uint32_t)(block - region->first));
}
