/* SPDX-License-Identifier: MIT
 *
 * Instructions worked out by hand: what each operand of struct isa_insn must hold, and the bytes. The bytes come from
 * spec/isa.md (2.10, 4.3, 4.6 and the field positions of section 2) and from Mesa's test data; the operands were
 * written down from the text, not from our decoder.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "isa/isa.h"
#include "tests/check.h"

/* clang-format off */
#define R(n) ISA_REG, 32, 1, .value = 2 * (n)
#define RL(n) ISA_REG, 16, 1, .value = 2 * (n)
#define RH(n) ISA_REG, 16, 1, .value = 2 * (n) + 1
#define DR(n) ISA_REG, 64, 1, .value = 2 * (n)
#define RS(n, times) ISA_REG, 32, (times), .value = 2 * (n)
#define RLS(n, times) ISA_REG, 16, (times), .value = 2 * (n)
#define U(n) ISA_UNIFORM, 32, 1, .value = 2 * (n)
#define UL(n) ISA_UNIFORM, 16, 1, .value = 2 * (n)
#define UH(n) ISA_UNIFORM, 16, 1, .value = 2 * (n) + 1
#define DU(n) ISA_UNIFORM, 64, 1, .value = 2 * (n)
#define I(n) ISA_IMM, 32, 1, .value = (n)
#define I16(n) ISA_IMM, 16, 1, .value = (n)
#define F(bits) ISA_FLOAT_IMM, 32, 1, .value = (bits)
#define MOD(name, number) .mod[ISA_MOD_##name] = (number)

static const struct {
   const char *hex, *text;
   enum isa_op op;
   enum isa_timing timing;
   struct isa_insn insn; /* operands and numbers only */
} cases[] = {
   /* The encodings that spec/isa.md 2.10 and 4.3 construct. */
   {"6f114c0e25480280", "simd_matrix_fmadd32 r4_r5, r6_r7, r8_r9, r4_r5", ISA_OP_MATRIX, ISA_TIMING_MATRIX32,
    {.dst = {RS(4, 2)}, .src = {{RS(6, 2)}, {RS(8, 2)}, {RS(4, 2)}}}},
   {"6f114cec04480280", "simd_matrix_fmadd32 r4_r5, r6l_r6h, r7l_r7h, r4_r5", ISA_OP_MATRIX, ISA_TIMING_MATRIX_MIXED,
    {.dst = {RS(4, 2)}, .src = {{RLS(6, 2)}, {RLS(7, 2)}, {RS(4, 2)}}}},
   {"6f104ce804480080", "simd_matrix_fmadd16 r4l_r4h, r6l_r6h, r7l_r7h, r4l_r4h", ISA_OP_MATRIX, ISA_TIMING_MATRIX16,
    {.dst = {RLS(4, 2)}, .src = {{RLS(6, 2)}, {RLS(7, 2)}, {RLS(4, 2)}}}},
   {"d500088500700400", "atomic   _, dr2, dr4, 0, umax64, a", ISA_OP_ATOMIC, ISA_TIMING_ATOMIC,
    {.src = {{DR(4)}, {I(0), .sx = true}, {DR(2)}}, MOD(ATOMIC, ISA_ATOMIC_UMAX64)}},
   {"d500088500300400", "atomic   _, dr2, dr4, 0, umin64, a", ISA_OP_ATOMIC, ISA_TIMING_ATOMIC,
    {.src = {{DR(4)}, {I(0), .sx = true}, {DR(2)}}, MOD(ATOMIC, ISA_ATOMIC_UMIN64)}},
   {"f596", "memory_barrier", ISA_OP_MEMORY_BARRIER, ISA_TIMING_BARRIER, {0}},
   {"0800", "trap", ISA_OP_TRAP, ISA_TIMING_STOP, {0}},
   {"8800", "stop", ISA_OP_STOP, ISA_TIMING_STOP, {0}},

   /* Mesa's test data. */
   {"0e0100c065002000", "iadd     r0, 0, r14.sx, lsl 4", ISA_OP_IADD, ISA_TIMING_IADD32,
    {.dst = {R(0)}, .src = {{I(0)}, {R(14), .sx = true}}, MOD(SHIFT, 4)}},
   {"0e23504335000000", "iadd     dr8, dr8, dr10", ISA_OP_IADD, ISA_TIMING_IADD64,
    {.dst = {DR(8)}, .src = {{DR(8)}, {DR(10)}}}},
   {"0e14192500000000", "iadd     r5l, u12h.sx, 2", ISA_OP_IADD, ISA_TIMING_IADD16,
    {.dst = {RL(5)}, .src = {{UH(12), .sx = true}, {I(2)}}}},
   {"ce05864200000000", "iadd     $r1, $r3, 4, sat", ISA_OP_IADD, ISA_TIMING_IADDSAT32,
    {.dst = {R(1), .cache = true}, .src = {{R(3), .cache = true}, {I(4)}}, MOD(SATURATE, 1)}},
   {"1e1b428201000001", "imul     dr6, r1, 88", ISA_OP_IMADD, ISA_TIMING_IMUL64,
    {.dst = {DR(6)}, .src = {{R(1)}, {I(88)}, {I(0)}}}},
   {"7e014022a500", "and      r0, r0, r9", ISA_OP_BITOP, ISA_TIMING_BITWISE,
    {.dst = {R(0)}, .src = {{R(0)}, {R(9)}}, MOD(TRUTH, 8)}},
   {"7e01402a2400", "andn2    r0, r0, r1", ISA_OP_BITOP, ISA_TIMING_BITWISE,
    {.dst = {R(0)}, .src = {{R(0)}, {R(1)}}, MOD(TRUTH, 2)}},
   {"7e0dae098004", "mov      r3, u55", ISA_OP_BITOP, ISA_TIMING_BITWISE,
    {.dst = {R(3)}, .src = {{U(55)}, {I(0)}}, MOD(TRUTH, 10)}},
   {"2e850040e41b0000", "bfeil    r1, 0, r2, 27, 3", ISA_OP_BFEIL, ISA_TIMING_SHIFT,
    {.dst = {R(1)}, .src = {{I(0)}, {R(2)}, {I(27)}}, MOD(BITS, 3)}},
   {"2e01001000400200", "shl      r0, 1, r0", ISA_OP_BFI, ISA_TIMING_SHIFT,
    {.dst = {R(0)}, .src = {{I(0)}, {I(1)}, {R(0)}}}},
   {"3e8509202400", "f_to_s32 r1, r1, rtz", ISA_OP_CONVERT, ISA_TIMING_CONVERT,
    {.dst = {R(1)}, .src = {{R(1)}}, MOD(CONVERT, 9)}},
   {"360c41340430", "hfma     r3l, r0h.neg, r1h, 1.0", ISA_OP_HFMA, ISA_TIMING_FFMA16,
    {.dst = {RL(3)}, .src = {{RH(0), .neg = true}, {RH(1)}, {ISA_FLOAT_IMM, 16, 1, .value = 0x30}}}},
   {"2a05c2f2", "fadd     r1, ^r1, 0.234375", ISA_OP_FADD, ISA_TIMING_FADD32,
    {.dst = {R(1)}, .src = {{R(1), .discard = true}, {F(15)}}}},
   {"12824262180101300002", "csel     r0h, r1, u67, 1, 0, ult", ISA_OP_ICMPSEL, ISA_TIMING_CMPSEL32,
    {.dst = {RH(0)}, .src = {{R(1)}, {U(67)}, {I(1)}, {I(0)}}, MOD(COND, ISA_ULT)}},
   {"42096026e600", "if       r16.abs, r17.abs.neg, 1, fneq", ISA_OP_IF_FCMP, ISA_TIMING_EXEC,
    {.src = {{R(16), .abs = true}, {R(17), .abs = true, .neg = true}}, MOD(NEST, 1), MOD(COND, ISA_FEQ),
     MOD(INVERT, 1)}},
   {"420000000000", "update_exec", ISA_OP_IF_FCMP, ISA_TIMING_EXEC, {.src = {{F(0)}, {F(0)}}}},
   {"00c086fdffff", "jmp_any  -634", ISA_OP_JMP_ANY, ISA_TIMING_BRANCH, {MOD(TARGET, -634)}},
   {"1402", "ret      r1", ISA_OP_RET, ISA_TIMING_BRANCH, {.src = {{R(1)}}}},
   {"6f0241104000", "shuffle  r0h, r0h, 1, quad, xor", ISA_OP_SHUFFLE, ISA_TIMING_QUAD_SHUFFLE,
    {.dst = {RH(0)}, .src = {{RH(0)}, {I(1)}}, MOD(SHUFFLE, ISA_SHUFFLE_XOR), MOD(QUAD, 1)}},
   {"6f9a4c600080", "simd     r6h, r6l, prefix, iadd", ISA_OP_PREFIX, ISA_TIMING_SIMD_PREFIX_I,
    {.dst = {RH(6)}, .src = {{RL(6)}}, MOD(REDUCE, ISA_REDUCE_IADD)}},
   {"3219010000800100", "ballot   r6", ISA_OP_ICMP_BALLOT, ISA_TIMING_SIMD_BALLOT,
    {.dst = {R(6)}, .src = {{I(1)}, {I(0)}}, MOD(COND, ISA_UEQ), MOD(INVERT, 1)}},
   {"0509480e00c01200", "load     r1, du4, r2, i32, x, a", ISA_OP_LOAD, ISA_TIMING_LOAD,
    {.dst = {R(1)}, .src = {{DU(4)}, {R(2)}}, MOD(FORMAT, ISA_FORMAT_I32), MOD(MASK, 1)}},
   {"4501404d80c03200", "store    r0_r1, du64, 4, i32, xy, b", ISA_OP_STORE, ISA_TIMING_STORE,
    {.src = {{DU(64)}, {I(4), .sx = true}, {RS(0, 2)}}, MOD(FORMAT, ISA_FORMAT_I32), MOD(MASK, 3), MOD(SLOT, 1)}},
   {"1508a48c10d00800", "atomic   r1, r4, du10, r5.sx, add, coherent1, a", ISA_OP_ATOMIC, ISA_TIMING_ATOMIC,
    {.dst = {R(1)}, .src = {{DU(10)}, {R(5), .sx = true}, {R(4)}}, MOD(ATOMIC, ISA_ATOMIC_ADD), MOD(COHERENCY, 1)}},
   {"19918004548000000800", "latomic  r4, r4, 0, umin", ISA_OP_LATOMIC, ISA_TIMING_LATOMIC,
    {.dst = {R(4)}, .src = {{I16(0)}, {I16(0)}, {R(4)}}, MOD(ATOMIC, ISA_ATOMIC_UMIN)}},
   {"29914c02f4000000", "lstore   r4_r5_r6_r7, u6l, 0, i32, xyzw", ISA_OP_LSTORE, ISA_TIMING_LSTORE,
    {.src = {{UL(6)}, {I16(0)}, {RS(4, 4)}}, MOD(FORMAT, ISA_FORMAT_I32), MOD(MASK, 15)}},
   {"c500403d0980f000", "mov      du74, dr0", ISA_OP_UNIFORM_STORE, ISA_TIMING_UNIFORM_STORE,
    {.dst = {ISA_UNIFORM, 16, 4, .value = 148}, .src = {{RLS(0, 4)}}}},
   {"72191008", "mov      r6, helper_op", ISA_OP_GET_SR, ISA_TIMING_GET_SR,
    {.dst = {R(6)}, .src = {{ISA_SR, 32, 1, .value = 144}}}},
   {"62090000adde", "ldimm    r2, 3735879680", ISA_OP_MOV_IMM, ISA_TIMING_MOV_IMM,
    {.dst = {R(2)}, .src = {{I((int32_t)0xdead0000)}}}},
   {"b50081052f8000ff", "stack_adjust -8", ISA_OP_STACK_ADJUST, ISA_TIMING_STACK, {.src = {{I(-8)}}}},
   {"35b9c00500c03000", "stack_load r23l_r23h, 12, i16, xy, a", ISA_OP_STACK_LOAD, ISA_TIMING_STACK,
    {.dst = {RLS(23, 2)}, .src = {{0}, {I(12)}}, MOD(FORMAT, ISA_FORMAT_I16), MOD(MASK, 3)}},

   /* Constructed from the field positions of spec/isa.md: iadd subtracts by bit 27, imadd's addend too. */
   {"0e01402a64000000", "iadd     r0, r0, r1.sx.neg", ISA_OP_IADD, ISA_TIMING_IADD32,
    {.dst = {R(0)}, .src = {{R(0)}, {R(1), .sx = true}}, MOD(NEGATE, 1)}},
   /* A uniform past u127: u200h is half 401 = 0x191; 0x11 in the field, 2 in the extension, bit 8 in the type. */
   {"168051010408", "hmul     r0l, u200h, r0l", ISA_OP_HMUL, ISA_TIMING_FMUL16,
    {.dst = {RL(0)}, .src = {{UH(200)}, {RL(0)}}}},
   /* Put together bit by bit from section 2's positions, by other means than our encoder: what Mesa never emits. */
   {"3219425200800120", "ballot   r6, r1, 5, ugte", ISA_OP_ICMP_BALLOT, ISA_TIMING_SIMD_BALLOT,
    {.dst = {R(6)}, .src = {{R(1)}, {I(5)}}, MOD(COND, ISA_ULT), MOD(INVERT, 1)}},
   {"22194206020200a0", "ballot   r6, r1.abs, -0.5, fgte, quad", ISA_OP_FCMP_BALLOT, ISA_TIMING_QUAD_BALLOT,
    {.dst = {R(6)}, .src = {{R(1), .abs = true}, {F(0xa0)}}, MOD(COND, ISA_FGE), MOD(QUAD, 1)}},
   {"6f0946868480", "shuffle  r2, r3, r4l, up, rotate", ISA_OP_SHUFFLE, ISA_TIMING_SIMD_SHUFFLE,
    {.dst = {R(2)}, .src = {{R(3)}, {RL(4)}}, MOD(SHUFFLE, ISA_SHUFFLE_UP), MOD(ROTATE, 1)}},
   {"6f1847f4c120", "shuffle  r70l, r3h, 31, down", ISA_OP_SHUFFLE, ISA_TIMING_SIMD_SHUFFLE,
    {.dst = {RL(70)}, .src = {{RH(3)}, {I(31)}}, MOD(SHUFFLE, ISA_SHUFFLE_DOWN)}},
   {"6f854442c081", "quad     r1, r2, prefix, umax", ISA_OP_PREFIX, ISA_TIMING_QUAD_PREFIX_I,
    {.dst = {R(1)}, .src = {{R(2)}}, MOD(REDUCE, ISA_REDUCE_UMAX), MOD(QUAD, 1)}},
   {"6f844430c000", "simd     r1l, r2l, fmax", ISA_OP_REDUCE, ISA_TIMING_SIMD_SUM_F16,
    {.dst = {RL(1)}, .src = {{RL(2)}}, MOD(REDUCE, ISA_REDUCE_FMAX)}},
   {"2e05446a64480a00", "shlhi    r1, r2, r3, r4, 9", ISA_OP_SHLHI, ISA_TIMING_SHIFT,
    {.dst = {R(1)}, .src = {{R(2)}, {R(3)}, {R(4)}}, MOD(BITS, 9)}},
   {"2e85446c00000001", "asrh     r1, r2l, 70", ISA_OP_ASRH, ISA_TIMING_SHIFT,
    {.dst = {R(1)}, .src = {{RL(2)}, {I(70)}}}},
   {"2e054462e408cc80", "bfi      r1, r2, r3, 200, 31", ISA_OP_BFI, ISA_TIMING_SHIFT,
    {.dst = {R(1)}, .src = {{R(2)}, {R(3)}, {I(200)}}, MOD(BITS, 31)}},
   {"5e13428e984c1303", "imadd    dr4, r1.sx, u100, dr6.neg, lsl 3, sat", ISA_OP_IMADD, ISA_TIMING_IMUL64,
    {.dst = {DR(4)}, .src = {{R(1), .sx = true}, {U(100)}, {DR(6)}}, MOD(NEGATE, 1), MOD(SHIFT, 3),
     MOD(SATURATE, 1)}},
   {"52d544121502", "while    r2, u200h, 2, slte", ISA_OP_WHILE_ICMP, ISA_TIMING_EXEC,
    {.src = {{R(2)}, {UH(200)}}, MOD(NEST, 2), MOD(COND, ISA_SGT), MOD(INVERT, 1)}},
   {"040a", "call     r5", ISA_OP_CALL_REG, ISA_TIMING_BRANCH, {.src = {{R(5)}}}},
   {"851c2844c1f87000", "load     r3h_r4l_r4h, dr100, r9.sx, lsl 2, i16, xyz, coherent3, b", ISA_OP_LOAD,
    ISA_TIMING_LOAD,
    {.dst = {ISA_REG, 16, 3, .value = 7}, .src = {{DR(100)}, {R(9), .sx = true}}, MOD(SHIFT, 2),
     MOD(FORMAT, ISA_FORMAT_I16), MOD(MASK, 7), MOD(COHERENCY, 3), MOD(SLOT, 1)}},
   {"c543000f04c0739c", "store    r8_r9_r10, du0, 40000.zx, rgb9e5_rtz, xyz, a", ISA_OP_STORE, ISA_TIMING_STORE,
    {.src = {{DU(0)}, {I(40000)}, {RS(8, 3)}}, MOD(FORMAT, ISA_FORMAT_RGB9E5_RTZ), MOD(MASK, 7)}},
   {"6995c463a0000000", "lload    r5_r6, u130l, r3l, f16, yw", ISA_OP_LLOAD, ISA_TIMING_LLOAD,
    {.dst = {RS(5, 2)}, .src = {{UL(130)}, {RL(3)}}, MOD(FORMAT, ISA_FORMAT_F16), MOD(MASK, 10)}},
   {"198005c31780ff038c00", "latomic  _, r70_r71, r2h, -4, cmpxchg", ISA_OP_LATOMIC, ISA_TIMING_LATOMIC,
    {.src = {{RH(2)}, {I16(-4)}, {RS(70, 2)}}, MOD(ATOMIC, ISA_ATOMIC_CMPXCHG)}},
   {"b529c04502c03001", "stack_store r5l_r5h, 300, i16, xy, b", ISA_OP_STACK_STORE, ISA_TIMING_STACK,
    {.src = {{0}, {I(300)}, {RLS(5, 2)}}, MOD(FORMAT, ISA_FORMAT_I16), MOD(MASK, 3), MOD(SLOT, 1)}},
   {"3e8504601800", "f_to_u16 r1, u3, rtz", ISA_OP_CONVERT, ISA_TIMING_CONVERT,
    {.dst = {R(1)}, .src = {{U(3)}}, MOD(CONVERT, 4)}},
   {"3e0e4806000c", "bitrev   r3h, r100", ISA_OP_BITREV, ISA_TIMING_BITREV, {.dst = {RH(3)}, .src = {{R(100)}}}},
   {"7e054432c000", "bitop    r1, r2, 3, 12", ISA_OP_BITOP, ISA_TIMING_BITWISE,
    {.dst = {R(1)}, .src = {{R(2)}, {I(3)}}, MOD(TRUTH, 12)}},
   {"72103b30", "mov      r100l, total_active_threads_in_simdgroup", ISA_OP_GET_SR, ISA_TIMING_GET_SR,
    {.dst = {RL(100)}, .src = {{ISA_SR, 32, 1, .value = 59}}}},
   {"c5fcf03d0f831001", "mov      u255h, r127h", ISA_OP_UNIFORM_STORE, ISA_TIMING_UNIFORM_STORE,
    {.dst = {UH(255)}, .src = {{RH(127)}}}},
   {"6291785634120030", "ldimm    r100, 305419896", ISA_OP_MOV_IMM, ISA_TIMING_MOV_IMM,
    {.dst = {R(100)}, .src = {{I(0x12345678)}}}},
   {"4a85440a0300", "rint     r1, r2.neg, sat", ISA_OP_RINT, ISA_TIMING_RINT,
    {.dst = {R(1)}, .src = {{R(2), .neg = true}}, MOD(SATURATE, 1)}},

   /* By spec/isa.md 2.10 and 2.11 alone, at the ends of their fields. */
   {"6f114c0e65482a80", "simd_matrix_fmadd32 r4_r5, r6_r7.neg, r8_r9.abs, r4_r5.neg", ISA_OP_MATRIX, ISA_TIMING_MATRIX32,
    {.dst = {RS(4, 2)}, .src = {{RS(6, 2), .neg = true}, {RS(8, 2), .abs = true}, {RS(4, 2), .neg = true}}}},
   {"ed7f10f8030000f8", "load     ts127, du62, r127, a", ISA_OP_STATE_LOAD, ISA_TIMING_OTHER,
    {.dst = {ISA_TEXTURE_STATE, 32, 1, .value = 127}, .src = {{DU(62)}, {R(127)}}}},
   {"ad1f10fcff0300fc", "load     ss31, du62, 65535, a", ISA_OP_STATE_LOAD, ISA_TIMING_OTHER,
    {.dst = {ISA_SAMPLER_STATE, 32, 1, .value = 31}, .src = {{DU(62)}, {I(65535)}}}},
   {"2514080020000000", "async_load_1d r5, r20_r21_r22", ISA_OP_ASYNC_LOAD, ISA_TIMING_OTHER,
    {.src = {{R(5)}, {RS(20, 3)}}}},
   {"6515080220800000", "async_store_2d u5, u20_u21_u22_u23_u24", ISA_OP_ASYNC_STORE, ISA_TIMING_OTHER,
    {.src = {{U(5)}, {ISA_UNIFORM, 32, 5, .value = 40}}}},
};
/* clang-format on */

static void fail(const char *hex, const char *what, const char *text)
{
   printf("%s: %s: %s\n", hex, what, text);
   check_failures++;
}

static bool same_operand(const struct isa_operand *a, const struct isa_operand *b)
{
   return a->kind == b->kind && a->size == b->size && a->count == b->count && a->value == b->value &&
          a->abs == b->abs && a->neg == b->neg && a->sx == b->sx && a->cache == b->cache && a->discard == b->discard;
}

static void check_meaning(size_t i, const struct isa_insn *insn)
{
   const struct isa_insn *wanted = &cases[i].insn;
   bool same = same_operand(&insn->dst, &wanted->dst) && memcmp(insn->mod, wanted->mod, sizeof(insn->mod)) == 0;
   for (unsigned s = 0; s < ISA_MAX_SOURCES; s++) {
      same = same && same_operand(&insn->src[s], &wanted->src[s]);
   }
   if (insn->op != cases[i].op || !same) {
      fail(cases[i].hex, "operands differ", cases[i].text);
   }
   if (isa_timing_class(insn) != cases[i].timing) {
      fail(cases[i].hex, "timing class", isa_timing_name(isa_timing_class(insn)));
   }
}

/* The operands as written down, with nothing of the decoder's but the row. */
static void check_encoding(size_t i, const struct isa_opcode *row, const uint8_t *bytes, size_t size)
{
   struct isa_insn insn = cases[i].insn;
   uint8_t encoded[ISA_MAX_LENGTH];
   char why[160] = "wrong bytes";
   insn.set = isa_set_default();
   insn.row = row;
   insn.op = (uint8_t)cases[i].op;
   if (isa_encode(&insn, encoded, why, sizeof(why)) != (int)size || memcmp(encoded, bytes, size) != 0) {
      fail(cases[i].hex, "encoding", why);
   }
}

static void check_case(size_t i)
{
   uint8_t bytes[ISA_MAX_LENGTH];
   char text[256];
   struct isa_insn insn;
   size_t size = 0;
   unsigned byte;

   while (sscanf(cases[i].hex + 2 * size, "%2x", &byte) == 1) {
      bytes[size++] = (uint8_t)byte;
   }
   isa_decode(isa_set_default(), bytes, size, &insn);
   isa_print(&insn, ISA_SYNTAX_MESA, text, sizeof(text));
   if (insn.row == NULL || insn.length != size || strcmp(text, cases[i].text) != 0) {
      fail(cases[i].hex, "decodes to", text);
      return;
   }
   check_meaning(i, &insn);
   check_encoding(i, insn.row, bytes, size);
}

static void check_refusal(struct isa_insn insn, const char *wanted)
{
   uint8_t encoded[ISA_MAX_LENGTH];
   char why[160] = "accepted";
   if (isa_encode(&insn, encoded, why, sizeof(why)) >= 0 || strcmp(why, wanted) != 0) {
      fail("refusal", wanted, why);
   }
}

static void check_refusals(void)
{
   const uint8_t fadd[] = {0x2a, 0x05, 0xc2, 0xf2}, load[] = {0x05, 0x01, 0x48, 0x0d, 0x60, 0xc0, 0x72, 0x00};
   struct isa_insn good, bad;

   isa_decode(isa_set_default(), fadd, sizeof(fadd), &good);
   bad = good;
   bad.dst.size = 64;
   check_refusal(bad, "operand 1 of fadd (destination) must be a 16- or 32-bit register: r0l..r127h, r0..r127");
   bad = good;
   bad.src[1].value = 256;
   check_refusal(bad, "operand 3 of fadd (source) must be a 16- or 32-bit register or uniform, or an 8-bit float "
                      "immediate");
   bad = good;
   bad.src[0].value = 3;
   check_refusal(bad, "operand 2 of fadd (source) must be a 16- or 32-bit register or uniform, or an 8-bit float "
                      "immediate");
   bad = good;
   bad.length = 8;
   check_refusal(bad, "fadd with these operands does not fit 8 bytes");

   isa_decode(isa_set_default(), load, sizeof(load), &good);
   bad = good;
   bad.mod[ISA_MOD_MASK] = 15;
   check_refusal(bad, "operand 1 of load (registers) must be as many consecutive 16- or 32-bit registers as the mask "
                      "has letters");
   bad = good;
   bad.src[1].value = 32768;
   check_refusal(bad, "operand 3 of load (index) must be a 32-bit register (.sx: sign-extended), or -32768..32767, or "
                      "0.zx..65535.zx");
}

/* spec/isa.md 3.1: 0x30 is 1.0, 0x40 2.0, 0x80 -0.0; 31.0 is the largest, 1/64 the step below 0.25. */
static void check_minifloat(void)
{
   if (isa_minifloat(0x30) != 1.0f || isa_minifloat(0x40) != 2.0f || isa_minifloat(0x7f) != 31.0f ||
       isa_minifloat(0x01) != 1.0f / 64 || isa_minifloat(0x10) != 0.25f || isa_minifloat(0xb8) != -1.5f ||
       isa_minifloat(0x80) != 0.0f || !signbit(isa_minifloat(0x80))) {
      fail("3.1", "minifloat", "wrong value");
   }
}

/* Bytes that are no instruction, and where a listing goes on. */
static void check_unknown(const uint8_t *bytes, size_t size, unsigned length, const char *wanted)
{
   struct isa_insn insn;
   char text[256];
   isa_decode(isa_set_default(), bytes, size, &insn);
   isa_print(&insn, ISA_SYNTAX_MESA, text, sizeof(text));
   if (insn.row != NULL || insn.op != ISA_OP_UNKNOWN || insn.length != length || strcmp(text, wanted) != 0) {
      fail(wanted, "unknown bytes", text);
   }
}

int main(void)
{
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      check_case(i);
   }
   check_refusals();
   check_minifloat();
   check_unknown((const uint8_t[]){0x03, 0x12, 0x34, 0x56}, 4, 2, ".byte    0x03, 0x12");
   check_unknown((const uint8_t[]){0x88}, 1, 1, ".byte    0x88");
   /* iadd cut short, and with bit 63 set, which no field covers: still 8 bytes. */
   check_unknown((const uint8_t[]){0x0e, 0x01, 0x40}, 3, 3, ".byte    0x0e, 0x01, 0x40");
   check_unknown((const uint8_t[]){0x0e, 0x01, 0x40, 0x26, 0x64, 0, 0, 0x80, 0x88, 0}, 10, 8,
                 ".byte    0x0e, 0x01, 0x40, 0x26, 0x64, 0x00, 0x00, 0x80");
   printf("%zu worked instructions, %u failures\n", sizeof(cases) / sizeof(cases[0]), check_failures);
   return check_failures != 0;
}
