/* SPDX-License-Identifier: MIT
 *
 * Memory instructions in compiled runs: which of them a run may contain, and which registers they move.
 */
#ifndef VGPU_JIT_FACTS_MEMORY_H
#define VGPU_JIT_FACTS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_op;

/* A run executes such an op by a function of vgpu/jit/frame.c if lanes are consecutive, otherwise by a call of the
 * interpreter's function. */
bool vgpu_jit_is_memory(const struct vgpu_op *op);
/* `wait`, on hosts where it is a fence: it names no register. */
bool vgpu_jit_is_fence(const struct vgpu_op *op);
/* `pop_exec`: it depends on the exec mask's stack alone. */
bool vgpu_jit_pops(const struct vgpu_op *op);
/* `if`, and `else` with a condition that always holds. */
bool vgpu_jit_branches(const struct vgpu_op *op);
bool vgpu_jit_turns(const struct vgpu_op *op);
/* Whether each lane moves one 32-bit word. */
bool vgpu_jit_memory_is_word(const struct vgpu_op *op);
/* The function of vgpu/jit/frame.c. masked: for some lanes inactive. NULL: the interpreter's function always. */
const char *vgpu_jit_memory_fast_path(const struct vgpu_op *op, bool masked);
/* The function for all other cases. */
const char *vgpu_jit_memory_call(const struct vgpu_op *op);

/* The end of the name of its function for some lanes inactive, which depends on the base's form. */
const char *vgpu_jit_memory_base(const struct vgpu_op *op);

/* The function of vgpu/jit/frame.c for an access to a line whose host address is known. NULL: there is none. */
const char *vgpu_jit_memory_known_line(const struct vgpu_op *op);

/* The data registers that op->dst describes, as lane vectors [*first, *end). Atomics: none. */
void vgpu_jit_memory_data(const struct vgpu_op *op, uint32_t *first, uint32_t *end);
/* Whether the data registers are written; else they are read. */
bool vgpu_jit_memory_loads(const struct vgpu_op *op);

/* All atomics of a run do the same operation, so that their order does not matter. *operation: of those before this op,
 * VGPU_JIT_NO_ATOMIC at first. false: it is another one. */
#define VGPU_JIT_NO_ATOMIC UINT32_MAX
bool vgpu_jit_memory_agrees(uint32_t *operation, const struct vgpu_op *op);

#endif
