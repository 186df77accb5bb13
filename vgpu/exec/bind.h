/* SPDX-License-Identifier: MIT
 *
 * Interface of bind.c and bind_memory.c: resolving operands.
 */
#ifndef VGPU_BIND_H
#define VGPU_BIND_H

#include "vgpu/exec/code.h"
#include "vgpu/stage.h"

/* How the bits of a source are interpreted. */
enum vgpu_reading {
   VGPU_RAW,     /* zero-extended */
   VGPU_INTEGER, /* by the operand's own sx */
   VGPU_SIGNED,  /* sign-extended from the operand's size */
   VGPU_REAL,    /* as f32, with modifiers */
};

/* Makes the instruction fault for this reason; a first reason is not replaced. */
void vgpu_refuse(struct vgpu_binder *b, const char *reason);
void vgpu_bind_source(struct vgpu_binder *b, struct vgpu_source *source, const struct isa_operand *operand,
                      enum vgpu_reading reading);
void vgpu_bind_dest(struct vgpu_binder *b, struct vgpu_dest *dest, const struct isa_operand *operand);
/* The same for op->src[n] and op->dst from the instruction's. */
void vgpu_bind_own_source(struct vgpu_binder *b, struct vgpu_op *op, unsigned n, enum vgpu_reading reading);
void vgpu_bind_own_dest(struct vgpu_binder *b, struct vgpu_op *op);
uint32_t vgpu_bind_mod(const struct vgpu_op *op, enum isa_mod which);
/* Whether halves [half, half + count) are allocated; else the instruction faults. */
bool vgpu_bind_allocated(struct vgpu_binder *b, int32_t half, unsigned count);
/* Adds the registers that an instruction on images reads besides op->src and op->dst. */
void vgpu_image_registers(const struct vgpu_op *op, struct vgpu_halves *reads);

/* The same for instructions of vertex and fragment programs. (bind_stage.c) */
void vgpu_stage_registers(const struct vgpu_op *op, struct vgpu_halves *reads);
/* The stage whose program is bound; that of a preamble is compute. */
enum vgpu_stage_kind vgpu_bind_stage(const struct vgpu_binder *b);

/* Resolves op->insn's operands and numbers; returns the handler's variant (vgpu/exec/semantics.h). */
typedef unsigned vgpu_binding(struct vgpu_binder *b, struct vgpu_op *op);
vgpu_binding vgpu_bind_load, vgpu_bind_store, vgpu_bind_uniform_store, vgpu_bind_atomic, vgpu_bind_local_load,
    vgpu_bind_local_store, vgpu_bind_local_atomic, vgpu_bind_stack_load, vgpu_bind_stack_store, vgpu_bind_stack_adjust,
    vgpu_bind_stack_get_ptr, vgpu_bind_texture, vgpu_bind_image_write, vgpu_bind_image_write_block, vgpu_bind_tile,
    vgpu_bind_state_load, vgpu_bind_varying_store, vgpu_bind_coefficients, vgpu_bind_coverage, vgpu_bind_derivative,
    vgpu_bind_in_stage;

#endif
