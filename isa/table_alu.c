/* SPDX-License-Identifier: MIT
 *
 * Rows of the table: moves, integer and float arithmetic, compare and select.
 */
#include "isa/rows.h"

/* clang-format off */

/* ---- Moves: spec/isa.md 2.2 ---- */

static const struct isa_field mov_imm16_fields[] = {DST(44), IMM(0, {16, 16}), END};
static const struct isa_field mov_imm32_fields[] = {
   DST(60), IMM(0, {16, 32}), FLAG(ISA_MOD_KILL, "kill", 62), END};
const struct isa_opcode isa_rows_62[] = {
   {NAMES("ldimm", "mov_imm"), BITS(0x17f, 0x062), SIZES(4, 6, 15), DOES(MOV_IMM, 'H', "2.2"), TIME(MOV_IMM),
    .fields = mov_imm16_fields},
   {NAMES("ldimm", "mov_imm"), BITS(0x17f, 0x162), SIZES(6, 8, 15), DOES(MOV_IMM, 'H', "2.2"), TIME(MOV_IMM),
    .note = "kill (bit 62) ends helper threads; no effect in compute is known", .fields = mov_imm32_fields},
   {0}};

static const struct isa_field get_sr_fields[] = {DST(28), STATE(ISA_SRC0, SR, {16, 6}, {26, 2}), END};
const struct isa_opcode isa_rows_72[] = {
   {NAMES("mov", "get_sr"), BITS(0x807f, 0x0072), SIZE(4), DOES(GET_SR, 'M', "2.2, 1.7"), TIME(GET_SR),
    .note = "what sr12 to 14, 60, 62 and 124 hold in compute is not known", .fields = get_sr_fields},
   {NAMES("sr_thing", "sr_thing"), BITS(0x807f, 0x8072), SIZE(4), DOES(UNKNOWN, 'G', "2.2"), TIME(OTHER),
    .note = "seen by applegpu; perhaps writes a special register",
    .fields = get_sr_fields},
   {0}};

/* ---- Integer: spec/isa.md 2.3 ---- */

#define ADD_SHIFT SHIFT({39, 1}, {52, 2})
#define SAT FLAG(ISA_MOD_SATURATE, "sat", 6)

static const struct isa_field iadd_fields[] = {
   DST64(44), SRC_ADD(0, 16, 42), SRC_SUB(1, 28, 40), ADD_SHIFT, SAT, END};
/* The saturate bit and the subtract bit: timing and applegpu's mnemonic depend on them. */
#define IADD(other, saturate, negate, class16, class32)                                                                \
   {NAMES("iadd", other), BITS(0x807f | BIT(27), 0x000e | AT(6, saturate) | AT(27, negate)), SIZE(8),                  \
    DOES(IADD, 'H', "2.3"), TIMES(class16, class32, IADD64), IMPLIES(ISA_MOD_NEGATE, negate), .fields = iadd_fields}
const struct isa_opcode isa_rows_0e_4e[] = {
   IADD("iadd", 0, 0, IADD16, IADD32), IADD("isub", 0, 1, IADD16, IADD32),
   IADD("iadd", 1, 0, IADDSAT32, IADDSAT32), IADD("isub", 1, 1, IADDSAT32, IADDSAT32),
   {0}};

/* The addend of imul is the immediate 0: C's number, type and sign bit, its subtract bit and shift are all 0. */
#define IMADD_C (BIT(27) | BIT(39) | BITS_AT(40, 11) | BITS_AT(52, 4))
static const struct isa_field imul_fields[] = {
   DST64(60), SRC_SX(0, 16, 58), SRC_SX(1, 28, 56), FIXED(2, 0), SAT, END};
static const struct isa_field imadd_fields[] = {
   DST64(60), SRC_SX(0, 16, 58), SRC_SX(1, 28, 56), SRC_SUB(2, 40, 54), ADD_SHIFT, SAT, END};
#define IMADD(other, negate)                                                                                           \
   {NAMES("imadd", other), BITS(0x803f | BIT(27), 0x001e | AT(27, negate)), SIZE(8), DOES(IMADD, 'H', "2.3"),          \
    TIMES(IMUL16, IMUL32, IMUL64), IMPLIES(ISA_MOD_NEGATE, negate), .fields = imadd_fields}
const struct isa_opcode isa_rows_1e_5e[] = {
   {NAMES("imul", "imadd"), BITS(0x803f | IMADD_C, 0x001e), SIZE(8), DOES(IMADD, 'H', "2.3"),
    TIMES(IMUL16, IMUL32, IMUL64), .flags = ISA_FLAG_SHORTHAND, .fields = imul_fields},
   IMADD("imadd", 0), IMADD("imsub", 1),
   {0}};

/* The truth table lies in bits 26, 27, 38 and 39. */
#define TRUTH_BITS (BITS_AT(26, 2) | BITS_AT(38, 2))
#define TRUTH(t) (AT(26, (t) & 3) | AT(38, (t) >> 2))
#define BITOP_B (BITS_AT(28, 10) | BITS_AT(40, 2))
#define BITOP(mnemonic, t)                                                                                             \
   {NAMES(mnemonic, mnemonic), BITS(0x807f | TRUTH_BITS, 0x007e | TRUTH(t)), SIZE(6), DOES(BITOP, 'H', "2.3"),         \
    TIME(BITWISE), IMPLIES(ISA_MOD_TRUTH, t), .fields = bitop_fields}
#define BITOP_UNARY(mnemonic, t)                                                                                       \
   {NAMES(mnemonic, mnemonic), BITS(0x807f | TRUTH_BITS | BITOP_B, 0x007e | TRUTH(t)), SIZE(6),                        \
    DOES(BITOP, 'H', "2.3"), TIME(BITWISE), IMPLIES(ISA_MOD_TRUTH, t), .fields = bitop_unary_fields}
/* hwtest sets bits 46 and 47 at random: they change nothing. */
#define BITOP_IGNORED IGNORED({46, 2})
static const struct isa_field bitop_fields[] = {DST(44), SRC(0, 16, 42), SRC(1, 28, 40), BITOP_IGNORED, END};
static const struct isa_field bitop_unary_fields[] = {DST(44), SRC(0, 16, 42), FIXED(1, 0), BITOP_IGNORED, END};
static const struct isa_field bitop_any_fields[] = {
   DST(44), SRC(0, 16, 42), SRC(1, 28, 40), NUMBER(ISA_MOD_TRUTH, {26, 2}, {38, 2}), BITOP_IGNORED, END};
const struct isa_opcode isa_rows_7e[] = {
   BITOP_UNARY("mov", 10), BITOP_UNARY("not", 5),
   BITOP("and", 8), BITOP("or", 14), BITOP("xor", 6), BITOP("nand", 7), BITOP("nor", 1), BITOP("xnor", 9),
   BITOP("andn1", 4), BITOP("andn2", 2), BITOP("orn1", 13), BITOP("orn2", 11),
   {NAMES("bitop", "bitop"), BITS(0x807f, 0x007e), SIZE(6), DOES(BITOP, 'H', "2.3"), TIME(BITWISE),
    .note = "tables that give the second source or its inverse were not run", .fields = bitop_any_fields},
   {0}};

/* ---- Shifts and bit fields: spec/isa.md 2.4 ---- */

#define SHIFT_A (BITS_AT(16, 10) | BITS_AT(58, 2))
#define SHIFT_M (BITS_AT(38, 2) | BITS_AT(50, 2) | BIT(63))
#define SHIFT_KIND(length, kind) (AT(15, length) | AT(26, kind))
#define SHIFT_BITS (0x807f | BITS_AT(26, 2))
static const struct isa_field shl_fields[] = {DST(60), FIXED(0, 0), SRC(1, 28, 56), SRC(2, 40, 54), END};
static const struct isa_field bfi_fields[] = {
   DST(60), SRC(0, 16, 58), SRC(1, 28, 56), SRC(2, 40, 54), NUMBER(ISA_MOD_BITS, {38, 2}, {50, 2}, {63, 1}), END};
/* The slots of the third source and of the mask are there, and nothing reads them. */
static const struct isa_field asr_fields[] = {
   DST(60), SRC(0, 16, 58), SRC(1, 28, 56), IGNORED({40, 10}, {54, 2}, {38, 2}, {50, 2}, {63, 1}), END};
const struct isa_opcode isa_rows_2e[] = {
   {NAMES("shl", "bfi"), BITS(SHIFT_BITS | SHIFT_A | SHIFT_M, 0x2e | SHIFT_KIND(0, 0)), SIZE(8),
    DOES(BFI, 'H', "2.4"), TIME(SHIFT), .flags = ISA_FLAG_SHORTHAND, .fields = shl_fields},
   {NAMES("bfi", "bfi"), BITS(SHIFT_BITS, 0x2e | SHIFT_KIND(0, 0)), SIZE(8), DOES(BFI, 'H', "2.4"), TIME(SHIFT),
    .fields = bfi_fields},
   {NAMES("shr", "bfeil"), BITS(SHIFT_BITS | SHIFT_A | SHIFT_M, 0x2e | SHIFT_KIND(1, 0)), SIZE(8),
    DOES(BFEIL, 'H', "2.4"), TIME(SHIFT), .flags = ISA_FLAG_SHORTHAND, .fields = shl_fields},
   {NAMES("bfeil", "bfeil"), BITS(SHIFT_BITS, 0x2e | SHIFT_KIND(1, 0)), SIZE(8), DOES(BFEIL, 'H', "2.4"),
    TIME(SHIFT), .fields = bfi_fields},
   {NAMES("extr", "extr"), BITS(SHIFT_BITS, 0x2e | SHIFT_KIND(0, 1)), SIZE(8), DOES(EXTR, 'H', "2.4"), TIME(SHIFT),
    .fields = bfi_fields},
   {NAMES("asr", "asr"), BITS(SHIFT_BITS, 0x2e | SHIFT_KIND(1, 1)), SIZE(8), DOES(ASR, 'H', "2.4"), TIME(SHIFT),
    .fields = asr_fields},
   {NAMES("shlhi", "shlhi"), BITS(SHIFT_BITS, 0x2e | SHIFT_KIND(0, 2)), SIZE(8), DOES(SHLHI, 'H', "2.4"),
    TIME(SHIFT), .fields = bfi_fields},
   {NAMES("shrhi", "shrhi"), BITS(SHIFT_BITS, 0x2e | SHIFT_KIND(1, 2)), SIZE(8), DOES(SHRHI, 'H', "2.4"),
    TIME(SHIFT), .fields = bfi_fields},
   {NAMES("asrh", "asrh"), BITS(SHIFT_BITS, 0x2e | SHIFT_KIND(1, 3)), SIZE(8), DOES(ASRH, 'H', "2.4"), TIME(SHIFT),
    .fields = asr_fields},
   {0}};

/* ---- Bit unary, interleave, convert: spec/isa.md 2.5 ---- */

#define IUNOP_BITS (0x807f | BITS_AT(26, 14))
/* The mode is a source slot with the type of an immediate (bits 22..25 are 0). */
#define CONVERT_BITS (0x807f | BITS_AT(22, 4) | BITS_AT(38, 2) | BITS_AT(42, 2))
#define CONVERT(mnemonic, mode)                                                                                        \
   {NAMES(mnemonic, "convert"), BITS(CONVERT_BITS | BITS_AT(16, 6), 0x803e | AT(16, mode)), SIZE(6),                   \
    DOES(CONVERT, 'M', "2.5, 3.5"), TIME(CONVERT), IMPLIES(ISA_MOD_CONVERT, mode), .note = convert_note,               \
    .fields = (const struct isa_field[]){DST(44), WORD_APPLEGPU(ISA_MOD_CONVERT, mode, mnemonic), SRC(0, 28, 40),      \
                                         NAME(ISA_MOD_ROUND, round, {26, 2}), END}}
static const char convert_note[] = "results out of range and of NaN, and rounding modes 2 and 3, are not known";
static const struct isa_field iunop_fields[] = {DST(44), SRC(0, 16, 42), END};
static const struct isa_field intl_fields[] = {DST(44), SRC(0, 16, 42), SRC(1, 28, 40), END};
static const struct isa_field convert_any_fields[] = {
   DST(44), NUMBER(ISA_MOD_CONVERT, {16, 6}), SRC(0, 28, 40), NAME(ISA_MOD_ROUND, round, {26, 2}), END};
const struct isa_opcode isa_rows_3e[] = {
   {NAMES("intl", "intl"), BITS(0x807f | BITS_AT(26, 2) | BITS_AT(38, 2), 0x003e), SIZE(6), DOES(INTL, 'E', "2.5"),
    TIME(INTERLEAVE), .fields = intl_fields},
   {NAMES("bitrev", "bitrev"), BITS(IUNOP_BITS, 0x3e | AT(26, 1)), SIZE(6), DOES(BITREV, 'H', "2.5"), TIME(BITREV),
    .fields = iunop_fields},
   {NAMES("popcnt", "popcount"), BITS(IUNOP_BITS, 0x3e | AT(26, 2)), SIZE(6), DOES(POPCOUNT, 'M', "2.5"),
    TIME(POPCOUNT), .fields = iunop_fields},
   {NAMES("ffs", "ffs"), BITS(IUNOP_BITS, 0x3e | AT(26, 3)), SIZE(6), DOES(FFS, 'H', "2.5"), TIME(FFS),
    .fields = iunop_fields},
   CONVERT("u8_to_f", 0), CONVERT("s8_to_f", 1), CONVERT("f_to_u16", 4), CONVERT("f_to_s16", 5),
   CONVERT("u16_to_f", 6), CONVERT("s16_to_f", 7), CONVERT("f_to_u32", 8), CONVERT("f_to_s32", 9),
   CONVERT("u32_to_f", 10), CONVERT("s32_to_f", 11),
   {NAMES("convert", "convert"), BITS(CONVERT_BITS, 0x803e), SIZE(6), DOES(UNKNOWN, 'G', "2.5"), TIME(OTHER),
    .note = "modes 2, 3 and 12 and up are not known", .fields = convert_any_fields},
   {0}};

/* ---- Float: spec/isa.md 2.6 ---- */

static const struct isa_field fadd_fields[] = {DST(44), SRC_F(0, 16, 42), SRC_F(1, 28, 40), SAT, END};
static const struct isa_field ffma_fields[] = {
   DST(60), SRC_F(0, 16, 58), SRC_F(1, 28, 56), SRC_F(2, 40, 54), SAT, END};
static const struct isa_field hadd_fields[] = {DST16(44), SRC16(0, 16, 42), SRC16(1, 28, 40), SAT, END};
static const struct isa_field hfma_fields[] = {
   DST16(60), SRC16(0, 16, 58), SRC16(1, 28, 56), SRC16(2, 40, 54), SAT, END};
static const char nan_note[] = "the bits of a NaN that it gives are not known";
static const char tiny_note[] = "the bits of a NaN that it gives, and when a result counts as tiny, are not known";
const struct isa_opcode isa_rows_2a_6a[] = {
   {NAMES("fadd", "fadd32"), BITS(0x3f, 0x2a), SIZES(4, 6, 15), DOES(FADD, 'H', "2.6, 3.3"), TIME(FADD32),
    .note = nan_note, .fields = fadd_fields},
   {0}};
const struct isa_opcode isa_rows_1a_5a[] = {
   {NAMES("fmul", "fmul32"), BITS(0x3f, 0x1a), SIZES(4, 6, 15), DOES(FMUL, 'H', "2.6, 3.3"), TIME(FMUL32),
    .note = "the sign of a zero product is IEEE's by what Mesa relies on, not run; nor are NaN's bits and when a result "
            "counts as tiny known", .fields = fadd_fields},
   {0}};
const struct isa_opcode isa_rows_3a_7a[] = {
   {NAMES("ffma", "fmadd32"), BITS(0x3f, 0x3a), SIZES(6, 8, 15), DOES(FFMA, 'H', "2.6, 3.3"), TIME(FFMA32),
    .note = tiny_note, .fields = ffma_fields},
   {0}};
const struct isa_opcode isa_rows_26_66[] = {
   {NAMES("hadd", "fadd16"), BITS(0x3f, 0x26), SIZES(4, 6, 15), DOES(HADD, 'D', "2.6"), TIME(FADD16),
    .fields = hadd_fields},
   {0}};
const struct isa_opcode isa_rows_16_56[] = {
   {NAMES("hmul", "fmul16"), BITS(0x3f, 0x16), SIZES(4, 6, 15), DOES(HMUL, 'D', "2.6"), TIME(FMUL16),
    .fields = hadd_fields},
   {0}};
const struct isa_opcode isa_rows_36_76[] = {
   {NAMES("hfma", "fmadd16"), BITS(0x3f, 0x36), SIZES(6, 8, 15), DOES(HFMA, 'H', "2.6"), TIME(FFMA16),
    .fields = hfma_fields},
   {0}};

#define FUNOP_BITS(opcode) BITS(0x3f | BITS_AT(28, 14), 0x0a | AT(28, opcode))
#define FUNOP(mesa, other, opcode, operation, time16, time32, doubt)                                                   \
   {NAMES(mesa, other), FUNOP_BITS(opcode), SIZES(4, 6, 15), DOES(operation, 'M', "2.6, 3.4"),                         \
    TIMES(time16, time32, time32), .note = (doubt), .fields = funop_fields}
#define FUNOP_BITS_DOUBT "its last bits are not known: the tables behind it are not public"
#define DERIVATIVE(mnemonic, opcode, operation)                                                                        \
   {NAMES(mnemonic, mnemonic), FUNOP_BITS(opcode), SIZES(4, 6, 15), DOES(operation, 'M', "2.6"), TIME(OTHER),          \
    .flags = ISA_FLAG_GRAPHICS, .fields = derivative_fields}
static const struct isa_field funop_fields[] = {DST(44), SRC_F(0, 16, 42), SAT, END};
static const struct isa_field derivative_fields[] = {
   DST(44), SRC_F(0, 16, 42), SAT, FLAG(ISA_MOD_KILL, "kill", 46), END};
const struct isa_opcode isa_rows_0a_4a[] = {
   FUNOP("floor", "floor", 0x00, FLOOR, RINT, RINT, NULL),
   FUNOP("ceil", "ceil", 0x10, CEIL, RINT, RINT, NULL),
   FUNOP("trunc", "trunc", 0x20, TRUNC, RINT, RINT, NULL),
   FUNOP("rint", "rint", 0x30, RINT, RINT, RINT, NULL),
   FUNOP("rcp", "rcp", 0x08, RCP, RCP, RCP, FUNOP_BITS_DOUBT),
   FUNOP("rsqrt", "rsqrt", 0x09, RSQRT, RSQRT, RSQRT, FUNOP_BITS_DOUBT),
   FUNOP("rsqrts", "rsqrt_special", 0x01, RSQRTS, RSQRT, RSQRT,
         "its last bits and its special values are not known"),
   FUNOP("sinr", "sin_pt_1", 0x0a, SIN_PT_1, SIN_PT_1, SIN_PT_1,
         "its last bits and arguments outside 0 to 4 are not known"),
   FUNOP("sinc", "sin_pt_2", 0x0e, SIN_PT_2, SIN_PT_2, SIN_PT_2, FUNOP_BITS_DOUBT),
   FUNOP("log2", "log2", 0x0c, LOG2, LOG2_16, LOG2_32, FUNOP_BITS_DOUBT),
   FUNOP("exp2", "exp2", 0x0d, EXP2, EXP2_16, EXP2_32, FUNOP_BITS_DOUBT),
   DERIVATIVE("dfdx", 0x04, DFDX),
   DERIVATIVE("dfdy", 0x06, DFDY),
   {0}};

/* ---- Compare and select: spec/isa.md 2.7 ---- */

static const struct isa_field icmpsel_fields[] = {
   DST(76), SRC(0, 16, 74), SRC(1, 28, 72), SELECT(2, 40, 70), SELECT(3, 52, 68), COND(icond, 61, 0, 0), END};
static const struct isa_field fcmpsel_fields[] = {
   DST(76), SRC_F(0, 16, 74), SRC_F(1, 28, 72), SELECT(2, 40, 70), SELECT(3, 52, 68), COND(fcond, 61, 0, 0), END};
const struct isa_opcode isa_rows_12[] = {
   {NAMES("csel", "icmpsel"), BITS(0x7f, 0x12), SIZES(8, 10, 15), DOES(ICMPSEL, 'H', "2.7"),
    TIMES(CMPSEL16, CMPSEL32, CMPSEL32), .note = "conditions 3 and 7 are not known", .fields = icmpsel_fields},
   {0}};
const struct isa_opcode isa_rows_02[] = {
   {NAMES("csel", "fcmpsel"), BITS(0x7f, 0x02), SIZES(8, 10, 15), DOES(FCMPSEL, 'H', "2.7"),
    TIMES(CMPSEL16, CMPSEL32, CMPSEL32), .note = "condition 4 is not known", .fields = fcmpsel_fields},
   {0}};
