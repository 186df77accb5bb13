/* SPDX-License-Identifier: MIT
 *
 * packing.c's parts: random instructions in Mesa's IR, and what each must decode to.
 */
#ifndef TESTS_COMPILER_PACKING_H
#define TESTS_COMPILER_PACKING_H

#include "asahi/compiler/agx_compiler.h"

#include "isa/isa.h"

/* ---- packing_operands.c ---- */

/* The same numbers on every machine: 0..limit - 1, evenly. */
uint32_t packing_below(uint32_t limit);
/* 0..last: each end a quarter of the times, and single bits. */
uint32_t packing_edge(uint32_t last);

/* What a field takes, by Mesa's packer (agx_pack.c). Sizes in bits. */
enum packing_takes {
   NOTHING,
   DST,      /* register of 16 or 32 */
   DST_WIDE, /* of 64 too */
   DST_16,
   ALU,       /* register or uniform of 16 or 32, or 8-bit immediate */
   EXTENDING, /* the same, sign-extended unless `abs` says not to */
   ADD,       /* registers of 64 too */
   ADD_NEG,   /* and may be subtracted */
   FLOAT,     /* modifiers; immediates are 8-bit floats */
   FLOAT_BARE,
   FLOAT_16,
   SELECTED, /* as wide as the destination */
};

/* A register with room for `count` of them; Mesa wants 64-bit ones at even numbers. */
agx_index packing_register(enum agx_size size, unsigned count);
/* One that lies below half index `limit`. */
agx_index packing_uniform(enum agx_size size, unsigned limit);
/* What Mesa's operand must decode to, but for modifiers. */
struct isa_operand packing_operand(agx_index index, unsigned count);

agx_index packing_dst(enum packing_takes takes, struct isa_operand *want);
/* Source `at` of an arithmetic instruction. */
agx_index packing_src(enum packing_takes takes, enum agx_size select_size, struct isa_insn *want, unsigned at);

/* Consecutive registers for as many components as the mask has, which is made up too. */
agx_index packing_data(agx_instr *mesa, struct isa_insn *want, struct isa_operand *operand);

/* ---- packing_alu.c, packing_memory.c, packing_graphics.c ---- */

struct packing_row {
   enum agx_opcode mesa;
   enum isa_op op;
   /* Fills both with the same operands and numbers. */
   void (*fill)(const struct packing_row *row, agx_instr *mesa, struct isa_insn *want);
   /* Arithmetic: what it takes, the numbers that it has besides, and those that its operation implies. */
   uint8_t dst, src[4]; /* enum packing_takes */
   uint16_t has;
   uint8_t quad, shuffle; /* ISA_MOD_QUAD, ISA_MOD_SHUFFLE */
};

extern const struct packing_row packing_alu[], packing_memory[], packing_graphics[]; /* closed by one without `fill` */

#endif
