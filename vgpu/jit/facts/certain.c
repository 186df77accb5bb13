/* SPDX-License-Identifier: MIT
 *
 * A product or sum whose exact value lies below the smallest normal number, 2^-126, and is rounded to it, must become
 * zero (spec/isa.md 3.2). Invariant: the operations named here have no such value.
 *
 * a * b + c with |c| >= 2^-100: for the sum to be below 2^-126, |a * b| must be about |c|. Then both are multiples of
 * 2^-149, for a product has 48 bits, and so is the sum. Such sums below 2^-126 have at most 23 bits, and rounding
 * leaves them there.
 * a * b with |b| >= 1: |a * b| >= |a|, which is 0 or at least 2^-126.
 */
#include "vgpu/jit/facts/certain.h"

#include "vgpu/exec/host.h"
#include "vgpu/exec/simd.h"

#define MAGNITUDE 0x7fffffffu
#define LEAST_ADDEND 0x0d800000u /* 2^-100 */
#define LEAST_FACTOR 0x3f800000u /* 1 */

bool vgpu_jit_suspects(const struct vgpu_op *op)
{
   return !VGPU_HOST_TINY_BEFORE_ROUNDING && (op->insn->op == ISA_OP_FMUL || op->insn->op == ISA_OP_FFMA);
}

/* The sources [*first, *end) of which a large one makes the op certain. */
static void deciding(const struct vgpu_op *op, unsigned *first, unsigned *end)
{
   *first = op->insn->op == ISA_OP_FFMA ? 2 : 0;
   *end = op->insn->op == ISA_OP_FFMA ? 3 : op->insn->op == ISA_OP_FMUL ? 2 : 0;
}

bool vgpu_jit_is_certain(const struct vgpu_op *op, const uint32_t *vectors, struct vgpu_certain *certain)
{
   const uint32_t least = op->insn->op == ISA_OP_FFMA ? LEAST_ADDEND : LEAST_FACTOR;
   unsigned n, end;
   for (deciding(op, &n, &end); n < end; n++) {
      const struct vgpu_source *source = &op->src[n];
      if (source->space == VGPU_CONSTANTS && source->size && (vectors[source->vector] & MAGNITUDE) >= least) {
         *certain = (struct vgpu_certain){.source = n, .least = least};
         return true;
      }
   }
   return false;
}

bool vgpu_jit_certain_by_uniform(const struct vgpu_op *op)
{
   unsigned n, end;
   bool found = false;
   for (deciding(op, &n, &end); n < end; n++) {
      found |= op->src[n].space == VGPU_CONSTANTS && op->insn->src[n].kind == ISA_UNIFORM;
   }
   return found;
}
