/* SPDX-License-Identifier: MIT
 *
 * A run of instructions as LLVM's text form: calls of the semantic functions with constant operand descriptors.
 */
#ifndef VGPU_JIT_EMIT_H
#define VGPU_JIT_EMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "vgpu/launch.h"

#define VGPU_FRAME_BYTES 1024 /* at least sizeof(struct vgpu_frame): vgpu/exec/semantics/frame.h */
#define VGPU_LOOP_PASSES 64   /* passes of a compiled loop at a time */
#define VGPU_BODY_NAME 64     /* bytes of a semantic function's name */

struct vgpu_op;

/* The name of the function that does the op when all lanes are active. Whether there is one, vgpu/jit/llvm.c knows. */
void vgpu_emit_body_name(const struct vgpu_op *op, char name[VGPU_BODY_NAME]);

/* The descriptor of the op as compiled code needs it: without pointers, and immediates of integer operations are
 * literals. *count literals are in use (lane vectors, by their word); more are added. vectors: the code's constants. */
#define VGPU_MAX_LITERALS 512u
struct vgpu_literals {
   uint32_t words[VGPU_MAX_LITERALS];
   uint32_t count;
};
/* false: there are too many literals. */
bool vgpu_emit_descriptor(const struct vgpu_op *op, const uint32_t *vectors, struct vgpu_literals *literals,
                          struct vgpu_op *descriptor);

/* Tells the registers that LLVM may know the contents of. */
void vgpu_emit_mark_computed(const struct vgpu_op *ops, struct vgpu_op *descriptors, uint32_t count);

/* loop: the last op sets the exec mask, and while it leaves all lanes active the run starts again. width: words of a
 * host vector; attributes: of the function, in LLVM's form; descriptors: of the ops. */
void vgpu_emit_run(FILE *out, const char *name, bool loop, unsigned width, const char *attributes,
                   const struct vgpu_op *descriptors, const struct vgpu_op *ops, uint32_t count,
                   const struct vgpu_literals *literals);

#endif
