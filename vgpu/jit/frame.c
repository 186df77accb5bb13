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
uint32_t vgpu_frame_unsettled(const struct vgpu_frame *);
void vgpu_frame_interpret(const struct vgpu_op *, struct vgpu_simd *);

CALLED void vgpu_frame_begin(struct vgpu_frame *frame, uint32_t *registers, uint32_t *literals,
                             const struct vgpu_simd *simd)
{
   frame->simd.base[VGPU_REGISTERS] = registers;
   frame->simd.base[VGPU_CONSTANTS] = simd->base[VGPU_CONSTANTS];
   frame->simd.base[VGPU_LITERALS] = literals;
   for (unsigned i = 0; i < VGPU_CHUNKS; i++) {
      vgpu_store(frame->simd.mask, i, vgpu_all(UINT32_MAX));
   }
   frame->suspects = vgpu_all(0);
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

/* The registers must not be written back. */
CALLED uint32_t vgpu_frame_unsettled(const struct vgpu_frame *frame)
{
   return vgpu_any(frame->suspects);
}

CALLED void vgpu_frame_interpret(const struct vgpu_op *op, struct vgpu_simd *simd)
{
   op->native.interpret(op, simd);
}
