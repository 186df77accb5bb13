/* SPDX-License-Identifier: MIT
 *
 * Arithmetic, comparisons and what works across lanes, for packing.c.
 */
#include "tests/compiler/packing.h"

enum { /* the numbers that an operation has besides */
       SATURATES = 1 << 0,
       SHIFTS = 1 << 1,
       MASKS_BITS = 1 << 2,
       HAS_TABLE = 1 << 3,
       COMPARES = 1 << 4,
       COMPARES_FLOATS = 1 << 5,
       INVERTS = 1 << 6,
       NESTS = 1 << 7,
       REDUCES = 1 << 8,
       ROUNDS = 1 << 9, /* the first source is the mode */
};

static unsigned random_of(const unsigned *numbers, size_t count)
{
   return numbers[packing_below((uint32_t)count)];
}

static void random_numbers(const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   static const unsigned iconds[] = {AGX_ICOND_UEQ, AGX_ICOND_ULT, AGX_ICOND_UGT,
                                     AGX_ICOND_SEQ, AGX_ICOND_SLT, AGX_ICOND_SGT};
   static const unsigned fconds[] = {AGX_FCOND_EQ, AGX_FCOND_LT, AGX_FCOND_GT, AGX_FCOND_LTN,
                                     AGX_FCOND_GE, AGX_FCOND_LE, AGX_FCOND_GTN};
   static const unsigned reductions[] = {AGX_SIMD_OP_AND,  AGX_SIMD_OP_FADD, AGX_SIMD_OP_OR,   AGX_SIMD_OP_FMUL,
                                         AGX_SIMD_OP_XOR,  AGX_SIMD_OP_FMIN, AGX_SIMD_OP_FMAX, AGX_SIMD_OP_IADD,
                                         AGX_SIMD_OP_SMIN, AGX_SIMD_OP_SMAX, AGX_SIMD_OP_UMIN, AGX_SIMD_OP_UMAX};
   int32_t *mod = want->mod;

   if (row->has & SATURATES) {
      mod[ISA_MOD_SATURATE] = mesa->saturate = packing_below(2);
   }
   if (row->has & SHIFTS) {
      mesa->shift = packing_edge(4) & 15;
      mod[ISA_MOD_SHIFT] = (int32_t)mesa->shift;
   }
   if (row->has & MASKS_BITS) {
      mesa->bfi_mask = packing_edge(31);
      mod[ISA_MOD_BITS] = (int32_t)mesa->bfi_mask;
   }
   if (row->has & HAS_TABLE) {
      mesa->truth_table = packing_below(16);
      mod[ISA_MOD_TRUTH] = (int32_t)mesa->truth_table;
   }
   if (row->has & COMPARES) {
      mesa->icond = random_of(iconds, ARRAY_SIZE(iconds));
      mod[ISA_MOD_COND] = (int32_t)mesa->icond;
   }
   if (row->has & COMPARES_FLOATS) {
      mesa->fcond = random_of(fconds, ARRAY_SIZE(fconds));
      mod[ISA_MOD_COND] = (int32_t)mesa->fcond;
   }
   if (row->has & INVERTS) {
      mod[ISA_MOD_INVERT] = mesa->invert_cond = packing_below(2);
   }
   if (row->has & NESTS) {
      mesa->nest = packing_below(4);
      mod[ISA_MOD_NEST] = (int32_t)mesa->nest;
   }
   if (row->has & REDUCES) {
      mesa->simd_op = random_of(reductions, ARRAY_SIZE(reductions));
      mod[ISA_MOD_REDUCE] = (int32_t)mesa->simd_op;
   }
}

static void fill(const struct packing_row *row, agx_instr *mesa, struct isa_insn *want)
{
   static const unsigned modes[] = {0, 1, 4, 5, 6, 7, 8, 9, 10, 11}; /* enum agx_convert */
   unsigned skipped = 0;

   if (row->dst != NOTHING) {
      mesa->dest[0] = packing_dst(row->dst, &want->dst);
   }
   if (row->has & ROUNDS) {
      unsigned mode = random_of(modes, ARRAY_SIZE(modes));
      mesa->src[skipped++] = agx_immediate(mode);
      mesa->round = packing_below(2);
      want->mod[ISA_MOD_CONVERT] = (int32_t)mode;
      want->mod[ISA_MOD_ROUND] = (int32_t)mesa->round;
   }
   for (unsigned i = 0; i < ARRAY_SIZE(row->src) && row->src[i] != NOTHING; i++) {
      mesa->src[i + skipped] = packing_src(row->src[i], mesa->dest[0].size, want, i);
   }
   random_numbers(row, mesa, want);
   want->mod[ISA_MOD_QUAD] = row->quad;
   want->mod[ISA_MOD_SHUFFLE] = row->shuffle;
}

/* clang-format off */
const struct packing_row packing_alu[] = {
#define UNARY(mesa, op)                                                                                                \
   {                                                                                                                   \
      AGX_OPCODE_##mesa, ISA_OP_##op, fill, DST, {FLOAT}, SATURATES                                                          \
   }
    UNARY(FLOOR, FLOOR),
    UNARY(CEIL, CEIL),
    UNARY(TRUNC, TRUNC),
    UNARY(ROUNDEVEN, RINT),
    UNARY(RCP, RCP),
    UNARY(RSQRT, RSQRT),
    UNARY(SRSQRT, RSQRTS),
    UNARY(SIN_PT_1, SIN_PT_1),
    UNARY(SIN_PT_2, SIN_PT_2),
    UNARY(LOG2, LOG2),
    UNARY(EXP2, EXP2),
    UNARY(DFDX, DFDX),
    UNARY(DFDY, DFDY),
    {AGX_OPCODE_FADD, ISA_OP_FADD, fill, DST, {FLOAT, FLOAT}, SATURATES},
    {AGX_OPCODE_FMUL, ISA_OP_FMUL, fill, DST, {FLOAT, FLOAT}, SATURATES},
    {AGX_OPCODE_FFMA, ISA_OP_FFMA, fill, DST, {FLOAT, FLOAT, FLOAT}, SATURATES},
    {AGX_OPCODE_HADD, ISA_OP_HADD, fill, DST_16, {FLOAT_16, FLOAT_16}, SATURATES},
    {AGX_OPCODE_HMUL, ISA_OP_HMUL, fill, DST_16, {FLOAT_16, FLOAT_16}, SATURATES},
    {AGX_OPCODE_HFMA, ISA_OP_HFMA, fill, DST_16, {FLOAT_16, FLOAT_16, FLOAT_16}, SATURATES},
    {AGX_OPCODE_BITREV, ISA_OP_BITREV, fill, DST, {ALU}},
    {AGX_OPCODE_POPCOUNT, ISA_OP_POPCOUNT, fill, DST, {ALU}},
    {AGX_OPCODE_FFS, ISA_OP_FFS, fill, DST, {ALU}},
    {AGX_OPCODE_INTL, ISA_OP_INTL, fill, DST, {ALU, ALU}},
    {AGX_OPCODE_CONVERT, ISA_OP_CONVERT, fill, DST, {ALU}, ROUNDS},
    {AGX_OPCODE_IADD, ISA_OP_IADD, fill, DST_WIDE, {ADD, ADD_NEG}, SATURATES | SHIFTS},
    {AGX_OPCODE_IMAD, ISA_OP_IMADD, fill, DST_WIDE, {EXTENDING, EXTENDING, ADD_NEG}, SATURATES | SHIFTS},
    {AGX_OPCODE_BFI, ISA_OP_BFI, fill, DST, {ALU, ALU, ALU}, MASKS_BITS},
    {AGX_OPCODE_BFEIL, ISA_OP_BFEIL, fill, DST, {ALU, ALU, ALU}, MASKS_BITS},
    {AGX_OPCODE_EXTR, ISA_OP_EXTR, fill, DST, {ALU, ALU, ALU}, MASKS_BITS},
    {AGX_OPCODE_ASR, ISA_OP_ASR, fill, DST, {ALU, ALU}},
    {AGX_OPCODE_BITOP, ISA_OP_BITOP, fill, DST, {ALU, ALU}, HAS_TABLE},
    {AGX_OPCODE_ICMPSEL, ISA_OP_ICMPSEL, fill, DST, {ALU, ALU, SELECTED, SELECTED}, COMPARES},
    {AGX_OPCODE_FCMPSEL, ISA_OP_FCMPSEL, fill, DST, {FLOAT, FLOAT, SELECTED, SELECTED}, COMPARES_FLOATS},

#define EXEC(name, takes, compares)                                                                                    \
   {                                                                                                                   \
      AGX_OPCODE_##name, ISA_OP_##name, fill, NOTHING, {takes, takes}, compares | INVERTS | NESTS                            \
   }
    EXEC(IF_ICMP, ALU, COMPARES),
    EXEC(ELSE_ICMP, ALU, COMPARES),
    EXEC(WHILE_ICMP, ALU, COMPARES),
    EXEC(IF_FCMP, FLOAT, COMPARES_FLOATS),
    EXEC(ELSE_FCMP, FLOAT, COMPARES_FLOATS),
    EXEC(WHILE_FCMP, FLOAT, COMPARES_FLOATS),
    {AGX_OPCODE_POP_EXEC, ISA_OP_POP_EXEC, fill, NOTHING, {NOTHING}, NESTS},

    {AGX_OPCODE_ICMP_BALLOT, ISA_OP_ICMP_BALLOT, fill, DST, {ALU, ALU}, COMPARES | INVERTS},
    {AGX_OPCODE_ICMP_QUAD_BALLOT, ISA_OP_ICMP_BALLOT, fill, DST, {ALU, ALU}, COMPARES | INVERTS, 1},
    {AGX_OPCODE_FCMP_BALLOT, ISA_OP_FCMP_BALLOT, fill, DST, {FLOAT_BARE, FLOAT_BARE}, COMPARES_FLOATS | INVERTS},
    {AGX_OPCODE_FCMP_QUAD_BALLOT, ISA_OP_FCMP_BALLOT, fill, DST, {FLOAT_BARE, FLOAT_BARE}, COMPARES_FLOATS | INVERTS, 1},
    {AGX_OPCODE_SIMD_REDUCE, ISA_OP_REDUCE, fill, DST, {ALU}, REDUCES},
    {AGX_OPCODE_QUAD_REDUCE, ISA_OP_REDUCE, fill, DST, {ALU}, REDUCES, 1},
    {AGX_OPCODE_SIMD_PREFIX, ISA_OP_PREFIX, fill, DST, {ALU}, REDUCES},
    {AGX_OPCODE_QUAD_PREFIX, ISA_OP_PREFIX, fill, DST, {ALU}, REDUCES, 1},
#define SHUFFLE(mesa, kind, quad)                                                                                      \
   {                                                                                                                   \
      AGX_OPCODE_##mesa, ISA_OP_SHUFFLE, fill, DST, {ALU, ALU}, 0, quad, kind                                                \
   }
    SHUFFLE(SHUFFLE, ISA_SHUFFLE_INDEX, 0),
    SHUFFLE(SHUFFLE_XOR, ISA_SHUFFLE_XOR, 0),
    SHUFFLE(SHUFFLE_UP, ISA_SHUFFLE_UP, 0),
    SHUFFLE(SHUFFLE_DOWN, ISA_SHUFFLE_DOWN, 0),
    SHUFFLE(QUAD_SHUFFLE, ISA_SHUFFLE_INDEX, 1),
    SHUFFLE(QUAD_SHUFFLE_XOR, ISA_SHUFFLE_XOR, 1),
    SHUFFLE(QUAD_SHUFFLE_UP, ISA_SHUFFLE_UP, 1),
    SHUFFLE(QUAD_SHUFFLE_DOWN, ISA_SHUFFLE_DOWN, 1),
    {0},
};
/* clang-format on */
