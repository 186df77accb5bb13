/* SPDX-License-Identifier: MIT
 *
 * A program divided into blocks: vgpu/exec makes and runs them, vgpu/timing walks over those that were run. Invariant:
 * a block has one entry, its first instruction, and only its last instruction may jump.
 */
#ifndef VGPU_BLOCK_H
#define VGPU_BLOCK_H

#include <stdint.h>

#include "vgpu/launch.h"

struct isa_insn;    /* isa/isa.h */
struct vgpu_code;   /* vgpu/exec/code.h */
struct vgpu_cost;   /* vgpu/timing/cost.h */
struct vgpu_native; /* vgpu/native.h */
struct vgpu_op;     /* vgpu/exec/simd.h */

/* What ends a block. */
enum vgpu_control {
   VGPU_FALL, /* nothing: the next block follows */
   VGPU_JUMP_ANY,
   VGPU_JUMP_NONE,
   VGPU_CALL,
   VGPU_CALL_REGISTER,
   VGPU_RETURN,
   VGPU_STOP,
   VGPU_STOP_SOME, /* the active lanes end, the others go on */
   VGPU_BARRIER,
   VGPU_FAULT, /* block->fault */
};

/* How often a block was run, and for how many lanes in all, by launches with a profile since it was last taken. */
struct vgpu_block_lanes {
   uint64_t simds, lanes;
};

/* Instructions that run one after the other with the same exec mask; the last may change it. */
struct vgpu_block {
   const struct vgpu_op *ops;
   uint32_t count;                 /* of ops that have a handler to run */
   uint32_t length;                /* of instructions: count, and the one that ends the block when it is one */
   uint32_t first_idle;            /* the first of ops that does something when no lane is active, or past them */
   uint8_t control;                /* enum vgpu_control */
   struct vgpu_block *next;        /* where it falls through to */
   struct vgpu_block *target;      /* where it jumps to */
   const struct vgpu_op *last;     /* the instruction that ends it, NULL for VGPU_FALL */
   const struct isa_insn *insns;   /* all `length` of them */
   const struct vgpu_cost *costs;  /* the same; NULL unless the launch is timed */
   struct vgpu_block_lanes *lanes; /* NULL unless the launch is timed; host threads add to it */
   uint64_t address;
   struct vgpu_code *code;
   struct vgpu_native *native; /* NULL: the launch has no compiler */
   /* VGPU_FAULT */
   enum vgpu_fault fault;
   const char *reason;
};

#endif
