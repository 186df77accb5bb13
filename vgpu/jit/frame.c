/* SPDX-License-Identifier: MIT
 *
 * What a compiled run of instructions does around them, for one simdgroup. Bitcode alone: vgpu/jit/emit.c writes the
 * calls, and LLVM inlines them.
 */
#include "vgpu/exec/semantics/frame.h"

#include "vgpu/jit/emit.h"

_Static_assert(sizeof(struct vgpu_frame) <= VGPU_FRAME_BYTES && _Alignof(struct vgpu_frame) <= 64,
               "emit.c allocates it");

#define CALLED __attribute__((always_inline)) inline

void vgpu_frame_begin(struct vgpu_frame *, uint32_t *, uint32_t *, const struct vgpu_simd *);
void vgpu_frame_load(uint32_t *, const struct vgpu_simd *, uint32_t);
void vgpu_frame_save(const uint32_t *, const struct vgpu_simd *, uint32_t);
void vgpu_frame_keep(uint32_t *, const uint32_t *, uint32_t);
void vgpu_frame_save_exec(const struct vgpu_frame *, struct vgpu_simd *);
uint32_t vgpu_frame_unsettled(const struct vgpu_frame *);
uint32_t vgpu_frame_again(const struct vgpu_frame *);
uint32_t vgpu_frame_passes(const struct vgpu_simd *);
void vgpu_frame_count(const struct vgpu_op *, struct vgpu_simd *, uint32_t);
void vgpu_frame_interpret(const struct vgpu_op *, struct vgpu_simd *, uint32_t);

static const _Alignas(64) uint32_t launched[VGPU_LANES] = {
#define EIGHT VGPU_ALL, VGPU_ALL, VGPU_ALL, VGPU_ALL, VGPU_ALL, VGPU_ALL, VGPU_ALL, VGPU_ALL
    EIGHT, EIGHT, EIGHT, EIGHT};

CALLED void vgpu_frame_begin(struct vgpu_frame *frame, uint32_t *registers, uint32_t *literals,
                             const struct vgpu_simd *simd)
{
   frame->simd.base[VGPU_REGISTERS] = registers;
   frame->simd.base[VGPU_CONSTANTS] = simd->base[VGPU_CONSTANTS];
   frame->simd.base[VGPU_LITERALS] = literals;
   frame->simd.base[VGPU_COMPUTED] = registers;
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(frame->simd.mask, i, vgpu_all(UINT32_MAX));
   }
   frame->simd.launched = launched;
   frame->simd.exec = VGPU_ALL;
   frame->distance = vgpu_all(UINT32_MAX);
}

/* vector: words from the registers' start. */
CALLED void vgpu_frame_load(uint32_t *registers, const struct vgpu_simd *simd, uint32_t vector)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(registers + vector, i, vgpu_load(simd->base[VGPU_REGISTERS] + vector, i));
   }
}

CALLED void vgpu_frame_save(const uint32_t *registers, const struct vgpu_simd *simd, uint32_t vector)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(simd->base[VGPU_REGISTERS] + vector, i, vgpu_load(registers + vector, i));
   }
}

/* What the registers were before a pass through a loop. */
CALLED void vgpu_frame_keep(uint32_t *kept, const uint32_t *registers, uint32_t vector)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(kept + vector, i, vgpu_load(registers + vector, i));
   }
}

CALLED void vgpu_frame_save_exec(const struct vgpu_frame *frame, struct vgpu_simd *simd)
{
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(simd->mask, i, vgpu_load(frame->simd.mask, i));
   }
   simd->exec = frame->simd.exec;
}

/* Another pass through the loop is like this one. */
CALLED uint32_t vgpu_frame_again(const struct vgpu_frame *frame)
{
   return frame->simd.exec == VGPU_ALL && !vgpu_any((vu)(frame->distance == 0));
}

/* Passes through a loop before the others get their turn. The timing model wants to see each. */
CALLED uint32_t vgpu_frame_passes(const struct vgpu_simd *simd)
{
   return simd->path ? 1 : VGPU_LOOP_PASSES;
}

/* Passes after the first one, which the scheduler has counted. */
CALLED void vgpu_frame_count(const struct vgpu_op *op, struct vgpu_simd *simd, uint32_t passes)
{
   struct vgpu_worker *worker = simd->worker;
   const uint64_t instructions = (uint64_t)op->native.again * passes;
   worker->instructions += instructions;
   worker->thread_instructions += instructions * VGPU_LANES;
   worker->allowance -= (int64_t)instructions;
}

/* The registers must not be written back. */
CALLED uint32_t vgpu_frame_unsettled(const struct vgpu_frame *frame)
{
   return vgpu_any((vu)(frame->distance == 0));
}

CALLED void vgpu_frame_interpret(const struct vgpu_op *op, struct vgpu_simd *simd, uint32_t passed)
{
   op->native.interpret(op, simd, passed > 0);
}
