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
#define VGPU_LOOP_PASSES 256  /* passes of a compiled loop at a time */
#define VGPU_BODY_NAME 64     /* bytes of a semantic function's name */

struct vgpu_op;
struct vgpu_pick;

/* Returns the name of the function that executes the op. masked: VGPU_MASKED when lanes may be inactive, else 0.
 * vgpu/jit/llvm.c knows whether it exists. */
void vgpu_emit_body_name(const struct vgpu_op *op, unsigned masked, char name[VGPU_BODY_NAME]);

/* Makes the op's descriptor for compiled code: it has no pointers, and immediates of integer operations are literals.
 * *count literals are in use (lane vectors, by their word); more are added. vectors: the code's constants. */
#define VGPU_MAX_LITERALS 512u
struct vgpu_literals {
   uint32_t words[VGPU_MAX_LITERALS];
   uint32_t count;
};
/* false: there are too many literals. */
bool vgpu_emit_descriptor(const struct vgpu_op *op, const uint32_t *vectors, struct vgpu_literals *literals,
                          struct vgpu_op *descriptor);

/* Marks the registers whose contents LLVM may know. masked: some lanes keep what they had. */
void vgpu_emit_mark_computed(const struct vgpu_op *ops, struct vgpu_op *descriptors, uint32_t count, bool loop,
                             bool masked);

/* The input of one compilation. */
struct vgpu_emit {
   const char *name;       /* of the function */
   unsigned width;         /* words of a host vector */
   const char *attributes; /* of the function, in LLVM's form */
   const struct vgpu_op *ops;
   const struct vgpu_op *descriptors; /* of the ops */
   uint32_t count;
   /* The last op sets the exec mask; while all lanes stay active (masked: while any is), the ops are repeated. */
   bool loop;
   bool masked;   /* some lanes are inactive: they keep what they have */
   uint32_t body; /* of a loop: number of ops at the start that the first pass leaves out */
   bool dead;     /* nothing reads the registers after the run */
   bool internal; /* another function of the text calls it, with one simdgroup */
   /* Of an internal run: NULL, or by lane vector where the simdgroup's register is, in words (vgpu/jit/rename.h).
    * shared: other runs call its function, too, each with its own table. */
   const uint32_t *places;
   bool shared;
   bool over; /* the last op may be gone over: vgpu_jit_goes_over() */
   /* NULL, or the ops that compute memory addresses: the run then has a separate loop for consecutive simdgroups
    * (vgpu_jit_lines_follow()). */
   const bool *needed;
   /* What is known about registers before the first op, and of a loop before its head (vgpu/jit/facts/flow.h). */
   const uint8_t *facts, *head;
   /* NULL, or of each op. The indices are the same if the registers of that set, by lane vector, are the same in all
    * lanes at the start. The function of that name runs simdgroups for which this does not hold. */
   const struct vgpu_pick *picks;
   const bool *same;
   const char *other;
   const struct vgpu_literals *literals;
   const uint32_t *vectors; /* the code's constants */
};
void vgpu_emit_runs(FILE *out, const struct vgpu_emit *emits, uint32_t count);

/* Writes one run without what it needs around it. */
void vgpu_emit_run(FILE *out, const struct vgpu_emit *emit);

#endif
