/* SPDX-License-Identifier: MIT
 *
 * Scratch memory of a simdgroup: grows on use up to what the job provides; past that it is a fault.
 */
#include "vgpu/exec/stack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vgpu/refuse.h"
#include "vgpu/exec/fault.h"

uint32_t vgpu_stack_limit(uint32_t bucket, uint32_t scratch_words)
{
   uint32_t words = bucket ? 8u << ((bucket < 15 ? bucket : 15) - 1) : 0;
   return words < scratch_words ? words : scratch_words;
}

static void raise_overflow(const struct vgpu_simd *simd, const struct vgpu_op *op, uint64_t words)
{
   uint32_t limit = simd->stack.limit;
   if (!limit) {
      vgpu_raise_at(simd, op, VGPU_FAULT_SCRATCH,
                    "use of the stack (word %" PRIu64 "), but the job has no scratch memory", words - 1);
      return;
   }
   vgpu_raise_at(simd, op, VGPU_FAULT_SCRATCH,
                 "word %" PRIu64 " of the stack is past the %" PRIu32 " words of the job's %s", words - 1, limit,
                 limit == simd->worker->launch->scratch_words ? "scratch memory" : "spill bucket");
}

bool vgpu_stack_reserve(struct vgpu_simd *simd, const struct vgpu_op *op, uint64_t words)
{
   struct vgpu_stack *stack = &simd->stack;
   if (words <= stack->allocated) {
      return true;
   }
   if (vgpu_refuse(words > stack->limit)) {
      raise_overflow(simd, op, words);
      return false;
   }
   size_t more = words + 64 < stack->limit ? (size_t)words + 64 : stack->limit;
   uint32_t *grown = realloc(stack->words, more * VGPU_LANES * sizeof(uint32_t));
   if (!grown) {
      vgpu_raise(simd->worker, VGPU_FAULT_RESOURCES, "out of host memory for the stack");
      return false;
   }
   memset(grown + stack->allocated * VGPU_LANES, 0, (more - stack->allocated) * VGPU_LANES * sizeof(uint32_t));
   stack->words = grown;
   stack->allocated = more;
   return true;
}

void vgpu_stack_adjust(struct vgpu_simd *simd, const struct vgpu_op *op, int32_t words)
{
   struct vgpu_stack *stack = &simd->stack;
   if (words < 0) {
      stack->top -= stack->top < -(int64_t)words ? stack->top : (uint32_t)-words;
      if (stack->depth > 0) {
         stack->base = stack->frames[--stack->depth];
      }
      return;
   }
   if (words > 0 && vgpu_stack_reserve(simd, op, (uint64_t)stack->top + (uint32_t)words)) {
      if (stack->depth == VGPU_MAX_FRAMES) {
         vgpu_raise_at(simd, op, VGPU_FAULT_SCRATCH, "more than %u nested stack frames", VGPU_MAX_FRAMES);
         return;
      }
      stack->frames[stack->depth++] = stack->base;
      stack->base = stack->top;
      stack->top += (uint32_t)words;
   }
}
