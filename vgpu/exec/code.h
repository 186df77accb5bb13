/* SPDX-License-Identifier: MIT
 *
 * Programs as they are executed: fetched from GPU memory and decoded once for a launch, divided into blocks, with
 * every operand resolved.
 */
#ifndef VGPU_CODE_H
#define VGPU_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/exec/exec.h"
#include "vgpu/exec/simd.h"

/* A lane vector with one value for all lanes. */
struct vgpu_constant {
   uint8_t kind; /* enum isa_operand_kind: ISA_IMM, ISA_FLOAT_IMM, ISA_UNIFORM */
   uint8_t size; /* bits; 64 takes two lane vectors */
   bool real;    /* read as a float, as f32 */
   bool sx, abs, neg;
   int32_t value; /* the immediate, or the half index */
};

#define VGPU_HALVES 256u

/* A set of half registers. */
struct vgpu_halves {
   uint64_t bits[VGPU_HALVES / 64];
};

/* The code that is reachable from one entry without jumping through a register. It never changes after it is made,
 * except for the lane vectors of a preamble's uniforms. */
struct vgpu_code {
   struct vgpu_code *next;
   struct vgpu_block *blocks;
   uint32_t block_count;
   const struct vgpu_block *start; /* where simdgroups begin; NULL: the code is reached through a register */
   struct vgpu_op *ops;
   struct vgpu_checked_op *checked; /* by the op's index; NULL: no checks */
   struct isa_insn *insns;
   struct vgpu_cost *costs;        /* NULL unless the launch is timed */
   struct vgpu_block_lanes *lanes; /* likewise, by the block's index */
   struct vgpu_native *natives;    /* by the block's index; NULL: the launch has no compiler */
   uint32_t op_count;
   struct vgpu_constant *constants;
   uint32_t constant_count, constant_capacity;
   uint32_t vector_count;
   uint32_t *vectors;
   /* Half registers that a simdgroup with 32 lanes may read, or write partially, before it has written them completely:
    * they start as zero. The others need not. */
   struct vgpu_halves zeroed;
   bool any_zeroed;
   /* In a simdgroup with 32 lanes the x of threads counts up by one, and y and z are the same in all of them. */
   bool positions_count;
};

struct vgpu_program;

/* Everything on which a program's code depends, besides its bytes and the uniforms' values. Compared as bytes. */
struct vgpu_program_settings {
   uint64_t entry;
   const struct vgpu_chip *chip;
   const struct vgpu_params *params;
   const struct vgpu_level *level;
   struct vgpu_compiler *compiler;
   unsigned checks;
   uint16_t half_registers; /* how many are allocated */
   bool preamble;           /* uniforms may be stored */
   bool timing, positions_count;
   uint8_t stage; /* enum vgpu_stage_kind */
   struct vgpu_tile tile;
};
void vgpu_program_settings_of(struct vgpu_program_settings *settings, const struct vgpu_launch *launch, bool preamble);

/* uniforms are read when code is made. NULL: out of memory. */
struct vgpu_program *vgpu_program_create(const struct vgpu_launch *launch, const struct vgpu_program_settings *settings,
                                         const uint16_t *uniforms);
void vgpu_program_destroy(struct vgpu_program *program); /* NULL is fine */
const struct vgpu_program_settings *vgpu_program_settings(const struct vgpu_program *program);
/* Call it before another launch with the same settings runs the program. */
void vgpu_program_rebind(struct vgpu_program *program, const struct vgpu_launch *launch, const uint16_t *uniforms);
const struct vgpu_code *vgpu_program_codes(const struct vgpu_program *program);

/* Returns the program of a launch: a cached one, or a new one. NULL: out of memory. (vgpu/exec/kept.c) */
struct vgpu_program *vgpu_kept_take(const struct vgpu_launch *launch, bool preamble, const uint16_t *uniforms);
/* Ends the launch's use of the program. NULL is fine. */
void vgpu_kept_give(const struct vgpu_launch *launch, struct vgpu_program *program);

/* The block that starts at address; decodes what is not known yet. Safe from several threads. NULL: out of memory. */
struct vgpu_block *vgpu_program_block(struct vgpu_program *program, uint64_t address);
/* Gives all code of the program the uniforms' present values. While one host thread runs it: a preamble. */
void vgpu_program_refresh(struct vgpu_program *program);

/* vgpu/exec/bind.c: resolves an instruction's operands. */
struct vgpu_binder {
   const struct vgpu_launch *launch;
   const struct vgpu_level *level;
   struct vgpu_code *code;
   bool preamble;
   bool out_of_memory;
   uint16_t half_registers;
   const struct vgpu_op *first; /* of the block that is being made */
   const char *refusal;         /* why this instruction cannot be run, or NULL */
};
/* The half registers that an op reads, and those that it writes in the active lanes. Added to what the sets have. */
void vgpu_op_registers(const struct vgpu_op *op, struct vgpu_halves *reads, struct vgpu_halves *writes);
/* Whether op->dst describes what is read: stores. */
bool vgpu_op_reads_dst(const struct vgpu_op *op);
/* Registers that op->dst describes, each of op->dst.size bits. */
unsigned vgpu_op_dst_elements(const struct vgpu_op *op);

static inline void vgpu_halves_add(struct vgpu_halves *set, unsigned half)
{
   set->bits[half / 64] |= UINT64_C(1) << half % 64;
}

static inline void vgpu_halves_add_range(struct vgpu_halves *set, unsigned first, unsigned count)
{
   for (unsigned half = first; half < first + count && half < VGPU_HALVES; half++) {
      vgpu_halves_add(set, half);
   }
}

/* The operation's control flow (enum vgpu_control), and its traits (enum vgpu_trait bits). */
unsigned vgpu_control_of(enum isa_op op);
unsigned vgpu_traits_of(enum isa_op op);
/* Fills *op. Sets binder->refusal when the instruction must fault. */
void vgpu_bind(struct vgpu_binder *binder, const struct isa_insn *insn, uint64_t address, struct vgpu_op *op);

#endif
