/* SPDX-License-Identifier: MIT
 *
 * Rows of the table: exec mask, jumps, barriers, and what works across lanes.
 */
#include "isa/rows.h"

/* clang-format off */

/* ---- Exec mask stack: spec/isa.md 1.3, 2.8. Bit 7 is r0l's cache hint ---- */

#define EXEC_OP(n) AT(9, n)
#define EXEC_I_BITS (0x67f | BITS_AT(26, 2) | BITS_AT(38, 2) | BITS_AT(44, 2))
#define EXEC_F_BITS (0x67f | BITS_AT(44, 2))
#define NEST NUMBER(ISA_MOD_NEST, {11, 2})
#define R0L_CACHE FLAG(ISA_MOD_CACHE, "cache", 7)
static const struct isa_field exec_icmp_fields[] = {
   SRC(0, 16, 42), SRC(1, 28, 40), NEST, R0L_CACHE, COND(icond, 13, 8, 1), END};
static const struct isa_field exec_fcmp_fields[] = {
   SRC_F(0, 16, 42), SRC_F(1, 28, 40), NEST, R0L_CACHE, COND(fcond, 13, 8, 1), END};
static const struct isa_field update_exec_fields[] = {FIXED_F(0, 0), FIXED_F(1, 0), END};
static const struct isa_field pop_exec_fields[] = {NEST, R0L_CACHE, END};

const struct isa_opcode isa_rows_42[] = {
   {NAMES("update_exec", "update_exec"), BITS(BITS_AT(0, 48), 0x42), SIZE(6), DOES(IF_FCMP, 'D', "1.3, 2.8"),
    TIME(EXEC), FLOW(EXEC), USES_R0L, .fields = update_exec_fields},
   {NAMES("if", "if_fcmp"), BITS(EXEC_F_BITS, 0x42 | EXEC_OP(0)), SIZE(6), DOES(IF_FCMP, 'M', "1.3, 2.8"),
    TIME(EXEC), FLOW(EXEC), USES_R0L, .fields = exec_fcmp_fields},
   {NAMES("else", "else_fcmp"), BITS(EXEC_F_BITS, 0x42 | EXEC_OP(1)), SIZE(6), DOES(ELSE_FCMP, 'M', "1.3, 2.8"),
    TIME(EXEC), FLOW(EXEC), USES_R0L, .fields = exec_fcmp_fields},
   {NAMES("while", "while_fcmp"), BITS(EXEC_F_BITS, 0x42 | EXEC_OP(2)), SIZE(6), DOES(WHILE_FCMP, 'M', "1.3, 2.8"),
    TIME(EXEC), FLOW(EXEC), USES_R0L, .fields = exec_fcmp_fields},
   {0}};

#define POP_BITS (0x67f | AT(8, 1) | BITS_AT(13, 35))
const struct isa_opcode isa_rows_52[] = {
   {NAMES("if", "if_icmp"), BITS(EXEC_I_BITS, 0x52 | EXEC_OP(0)), SIZE(6), DOES(IF_ICMP, 'H', "1.3, 2.8"),
    TIME(EXEC), FLOW(EXEC), USES_R0L, .fields = exec_icmp_fields},
   {NAMES("else", "else_icmp"), BITS(EXEC_I_BITS, 0x52 | EXEC_OP(1)), SIZE(6), DOES(ELSE_ICMP, 'H', "1.3, 2.8"),
    TIME(EXEC), FLOW(EXEC), USES_R0L, .fields = exec_icmp_fields},
   {NAMES("while", "while_icmp"), BITS(EXEC_I_BITS, 0x52 | EXEC_OP(2)), SIZE(6), DOES(WHILE_ICMP, 'H', "1.3, 2.8"),
    TIME(EXEC), FLOW(EXEC), USES_R0L, .fields = exec_icmp_fields},
   {NAMES("pop_exec", "pop_exec"), BITS(POP_BITS, 0x52 | EXEC_OP(3)), SIZE(6), DOES(POP_EXEC, 'H', "1.3, 2.8"),
    TIME(EXEC), FLOW(EXEC), USES_R0L, .fields = pop_exec_fields},
   {NAMES("pop_exec2", "pop_exec2"), BITS(POP_BITS, 0x52 | EXEC_OP(3) | BIT(23)), SIZE(6), DOES(UNKNOWN, 'G', "2.8"),
    TIME(OTHER), FLOW(EXEC), USES_R0L, .note = "seen once; what bit 23 changes is not known",
    .fields = pop_exec_fields},
   {0}};

/* ---- Jumps: spec/isa.md 1.4, 2.9 ---- */

static const struct isa_field no_fields[] = {END};
static const struct isa_field jump32_fields[] = {BRANCH(16, 32), END};
static const struct isa_field jump8_fields[] = {BRANCH(16, 8), END};
static const struct isa_field byte2_fields[] = {NUMBER(ISA_MOD_NUMBER, {16, 8}), END};
static const struct isa_field byte1_fields[] = {NUMBER(ISA_MOD_NUMBER, {8, 8}), END};
/* A 32-bit register's number in [15:9]: bit 8 is the (even) half index's lowest bit. */
static const struct isa_field target_reg_fields[] = {REG(ISA_SRC0, 32, {8, 8}), END};
static const char call_note[] = "whether r1 holds an absolute address is not known, nor calls of divergent lanes";

const struct isa_opcode isa_rows_00[] = {
   {NAMES("jmp_any", "jmp_exec_any"), BITS(0xffff, 0xc000), SIZE(6), DOES(JMP_ANY, 'M', "1.4, 2.9"), TIME(BRANCH),
    FLOW(JUMP), .fields = jump32_fields},
   {NAMES("jmp_incomplete", "jmp_incomplete"), BITS(0xff00ffff, 0), SIZE(4), DOES(UNKNOWN, 'G', "1.1, 2.9"),
    TIME(OTHER), .note = "what zeroed memory decodes as; not followed as a jump",
    .fields = byte2_fields},
   {0}};
const struct isa_opcode isa_rows_10[] = {
   {NAMES("call", "call"), BITS(0xffff, 0xc010), SIZE(6), DOES(CALL, 'D', "1.4, 2.9"), TIME(BRANCH),
    FLOW(CALL), WRITES_R1, .note = call_note, .fields = jump32_fields},
   {0}};
const struct isa_opcode isa_rows_20[] = {
   {NAMES("jmp_none", "jmp_exec_none"), BITS(0xffff, 0xc020), SIZE(6), DOES(JMP_NONE, 'M', "1.4, 2.9"), TIME(BRANCH),
    FLOW(JUMP), .fields = jump32_fields},
   {NAMES("jmp_if_skipping_doorbell", "jmp_if_skipping_doorbell"), BITS(0xff00ffff, 0x20), SIZE(4),
    DOES(UNKNOWN, 'D', "2.9"), TIME(OTHER), FLOW(JUMP), .note = "helper program only",
    .fields = jump8_fields},
   {0}};
const struct isa_opcode isa_rows_04[] = {
   {NAMES("call", "call"), BITS(0x17f, 0x04), SIZE(2), DOES(CALL_REG, 'D', "1.4, 2.9"), TIME(BRANCH),
    FLOW(CALL_REG), WRITES_R1,
    .note = call_note, .fields = target_reg_fields},
   {0}};
const struct isa_opcode isa_rows_14[] = {
   {NAMES("ret", "ret"), BITS(0x17f, 0x14), SIZE(2), DOES(RET, 'D', "1.4, 2.9"), TIME(BRANCH),
    FLOW(RETURN), .note = call_note, .fields = target_reg_fields},
   {0}};

/* trap and stop differ in bit 7. */
const struct isa_opcode isa_rows_08[] = {
   {NAMES("trap", "trap"), BITS(0xffff, 0x0008), SIZE(2), DOES(TRAP, 'M', "1.4, 2.9"), TIME(STOP),
    FLOW(TRAP), .note = "its effect is not known", .fields = no_fields},
   {NAMES("stop", "stop"), BITS(0xffff, 0x0088), SIZE(2), DOES(STOP, 'M', "1.4, 2.9"), TIME(STOP),
    FLOW(STOP), .note = "in a branch: ends the lanes that are active there",
    .fields = no_fields},
   {0}};

const struct isa_opcode isa_rows_28[] = {
   {NAMES("doorbell", "doorbell"), BITS(0xff, 0x28), SIZE(2), DOES(DOORBELL, 'D', "2.9"), TIME(OTHER),
    .note = "helper program only", .fields = byte1_fields},
   {0}};

/* Seen in Apple's code, meaning not known: spec/isa.md 2.9. Here for their lengths. */
#define UNKNOWN(mnemonic, mask_bits, match_bits, bytes, field_list)                                                    \
   {NAMES(mnemonic, mnemonic), BITS(mask_bits, match_bits), SIZE(bytes), DOES(UNKNOWN, 'G', "2.9"), TIME(OTHER),       \
    .note = "seen, meaning not known", .fields = field_list}
static const struct isa_field imm32_fields[] = {NUMBER(ISA_MOD_NUMBER, {16, 32}), END};
static const struct isa_field imm24_fields[] = {NUMBER(ISA_MOD_NUMBER, {8, 24}), END};
const struct isa_opcode isa_rows_30[] = {UNKNOWN("unk_c030", 0xffff, 0xc030, 6, imm32_fields), {0}};
const struct isa_opcode isa_rows_40[] = {
   UNKNOWN("unk_c040", 0xffff, 0xc040, 6, imm32_fields), UNKNOWN("unk_c0", 0xff, 0xc0, 4, imm24_fields), {0}};
const struct isa_opcode isa_rows_1c[] = {UNKNOWN("unk_101c", 0xffff, 0x101c, 2, no_fields), {0}};
const struct isa_opcode isa_rows_4c[] = {UNKNOWN("unk_62cc", 0xffff, 0x62cc, 2, no_fields), {0}};
const struct isa_opcode isa_rows_0c[] = {UNKNOWN("unk_0c", 0xff, 0x0c, 2, byte1_fields), {0}};

/* ---- Waits and barriers: spec/isa.md 1.5, 2.11, 4.6 ---- */

static const struct isa_field wait_fields[] = {SLOT(8), END};
const struct isa_opcode isa_rows_38[] = {
   {NAMES("wait", "wait"), BITS(0xfeff, 0x0038), SIZE(2), DOES(WAIT, 'M', "1.5, 2.11"), TIME(WAIT), FLOW(WAIT),
    .fields = wait_fields},
   {0}};

const struct isa_opcode isa_rows_68[] = {
   {NAMES("barrier", "threadgroup_barrier"), BITS(0xffff, 0x0068), SIZE(2), DOES(BARRIER, 'M', "2.11, 4.6"),
    TIME(BARRIER), FLOW(BARRIER), .note = "with a partial exec mask: simdgroups are counted, not lanes", .fields = no_fields},
   UNKNOWN("unk_e8", 0xff, 0xe8, 2, byte1_fields),
   {0}};

/* The F5 family: a in [11:10], b in [9:8], c in [15:12]. The helper program's map and unmap share the bucket;
 * what their second operand is, is not known. */
#define F5(mnemonic, letter, a, b, c)                                                                                  \
   {NAMES(mnemonic, mnemonic), BITS(0xffff, 0xf5 | AT(10, a) | AT(8, b) | AT(12, c)), SIZE(2),                         \
    DOES(MEMORY_BARRIER, letter, "2.11, 4.6"), TIME(BARRIER), .note = barrier_note, .fields = no_fields}
static const char barrier_note[] = "which caches and operations it orders is not known";
static const struct isa_field barrier_fields[] = {
   NUMBER(ISA_MOD_NUMBER, {10, 2}), NUMBER(ISA_MOD_NUMBER2, {8, 2}), NUMBER(ISA_MOD_NUMBER3, {12, 4}), END};
#define MAP_BITS (BITS_AT(0, 8) | BITS_AT(16, 4) | BITS_AT(24, 8) | BIT(47))
#define MAP_MATCH (0x75 | BIT(24) | BIT(26) | BIT(47))
/* Usual, as in a stack load: bits 46 and 52. */
#define MAP_FIELDS(to)                                                                                                 \
   {REG(to, 32, {10, 6}, {40, 2}), NUMBER(ISA_MOD_NUMBER, {8, 2}),                                                          \
    NUMBER(ISA_MOD_NUMBER2, {20, 4}, {32, 4}, {56, 8}), EXTRA(0x2100, {36, 4}, {42, 5}, {48, 8}), END}
static const struct isa_field map_fields[] = MAP_FIELDS(ISA_SRC0);
static const struct isa_field unmap_fields[] = MAP_FIELDS(ISA_DST);
const struct isa_opcode isa_rows_75[] = {
   F5("memory_barrier", 'M', 1, 2, 9), F5("memory_barrier_2", 'M', 2, 2, 9), F5("memory_barrier_3", 'M', 2, 1, 9),
   F5("device_barrier_1", 'M', 3, 1, 9), F5("device_barrier_2", 'M', 3, 2, 9),
   F5("image_barrier_1", 'M', 2, 2, 10), F5("image_barrier_2", 'M', 3, 2, 10),
   F5("image_barrier_3", 'M', 2, 1, 10), F5("image_barrier_4", 'M', 3, 1, 10),
   F5("flush_memory_to_texture", 'M', 0, 0, 4),
   F5("unknown_barrier_1", 'M', 0, 3, 3), F5("unknown_barrier_2", 'M', 0, 3, 0),
   {NAMES("unknown_barrier", "unknown_barrier"), BITS(0xff, 0xf5), SIZE(2), DOES(MEMORY_BARRIER, 'G', "2.11, 4.6"),
    TIME(BARRIER), .note = barrier_note, .fields = barrier_fields},
   {NAMES("map", "stack_map"), BITS(MAP_BITS, MAP_MATCH | BIT(16)), SIZE(8), DOES(STACK_MAP, 'D', "1.10, 2.11"),
    TIME(OTHER), .note = "helper program only", .fields = map_fields},
   {NAMES("unmap", "stack_unmap"), BITS(MAP_BITS, MAP_MATCH), SIZE(8), DOES(STACK_UNMAP, 'D', "1.10, 2.11"),
    TIME(OTHER), .note = "helper program only", .fields = unmap_fields},
   {0}};

/* ---- Shuffles, matrix, reductions: spec/isa.md 2.10, 4.7, 4.8 ---- */

/* simd or quad is bit 26, the kind [39:38], rotation bit 47. */
#define SHUFFLE_BITS (0x807f | BIT(26) | BIT(27) | BITS_AT(38, 2) | BIT(47))
#define SHUFFLE(other, simd, kind, rotate, operation, letter, class, doubt)                                            \
   {NAMES("shuffle", other), BITS(SHUFFLE_BITS, 0x6f | AT(26, simd) | AT(38, kind) | AT(47, rotate)), SIZE(6),         \
    DOES(operation, letter, "2.10, 4.7"), TIME(class), .note = (doubt), .fields = shuffle_fields}
static const char rotate_note[] = "rotation with other than up does something that is not known";
static const char emulated_note[] = "from applegpu's analysis; lane operands that differ were not run";
static const char quad_edge_note[] = "lanes out of the quad: taken to keep their own value";
static const struct isa_field shuffle_fields[] = {
   DST(44), SRC(0, 16, 42), SRC(1, 28, 40), FLAG_CLEAR_MESA(ISA_MOD_QUAD, "quad", 26),
   NAME_UNLESS_MESA(ISA_MOD_SHUFFLE, shuffle, 0, {38, 2}), FLAG_MESA(ISA_MOD_ROTATE, "rotate", 47), END};

/* The operation is bit 28, [40:38] and 47. Bit 47 is set for integers; of the others bit 28 is set for floats. */
#define REDUCE_BITS (0x807f | BITS_AT(26, 2) | BITS_AT(29, 9) | BIT(41))
#define REDUCE_OP_BITS (BIT(28) | BITS_AT(38, 3) | BIT(47))
#define REDUCE_OP(op) (AT(28, (op) & 1) | AT(38, (op) >> 1 & 7) | AT(47, (op) >> 4))
#define REDUCE_MATCH(simd, prefix) (0x806f | AT(29, simd) | AT(30, prefix))
#define REDUCE(group, simd, word, number, class16, class32, doubt)                                                     \
   {NAMES(group, group "_" word), BITS(REDUCE_BITS | REDUCE_OP_BITS, REDUCE_MATCH(simd, 0) | REDUCE_OP(number)),       \
    SIZE(6), DOES(REDUCE, 'M', "2.10, 4.7b"), TIMES(class16, class32, class32), IMPLIES(ISA_MOD_QUAD, !(simd)),        \
    .note = (doubt),                                                                                                   \
    .fields = (const struct isa_field[]){DST(44), SRC(0, 16, 42), WORD_MESA(ISA_MOD_REDUCE, number, word), END}}
#define PREFIX(group, simd, letter, word, number, class, doubt)                                                        \
   {NAMES(group, group "_prefix_" word),                                                                               \
    BITS(REDUCE_BITS | REDUCE_OP_BITS, REDUCE_MATCH(simd, 1) | REDUCE_OP(number)), SIZE(6),                            \
    DOES(PREFIX, letter, "2.10, 4.7b"), TIME(class), IMPLIES(ISA_MOD_QUAD, !(simd)), .note = (doubt),                  \
    .fields = (const struct isa_field[]){DST(44), SRC(0, 16, 42), WORD_MESA(ISA_MOD_NONE, 0, "prefix"),                \
                                         WORD_MESA(ISA_MOD_REDUCE, number, word), END}}
static const char float_note[] = "the order of float operations is not known, nor NaN and the identities' signs";
#define REDUCTIONS(group, simd, G)                                                                                     \
   REDUCE(group, simd, "and", ISA_REDUCE_AND, G##_BITWISE16, G##_BITWISE32, NULL),                                     \
   REDUCE(group, simd, "or", ISA_REDUCE_OR, G##_BITWISE16, G##_BITWISE32, NULL),                                       \
   REDUCE(group, simd, "xor", ISA_REDUCE_XOR, G##_BITWISE16, G##_BITWISE32, NULL),                                     \
   REDUCE(group, simd, "fadd", ISA_REDUCE_FADD, G##_SUM_F16, G##_SUM_F32, float_note),                                 \
   REDUCE(group, simd, "fmul", ISA_REDUCE_FMUL, G##_SUM_F16, G##_SUM_F32, float_note),                                 \
   REDUCE(group, simd, "fmin", ISA_REDUCE_FMIN, G##_SUM_F16, G##_SUM_F32, float_note),                                 \
   REDUCE(group, simd, "fmax", ISA_REDUCE_FMAX, G##_SUM_F16, G##_SUM_F32, float_note),                                 \
   REDUCE(group, simd, "iadd", ISA_REDUCE_IADD, G##_SUM_I16, G##_SUM_I32, NULL),                                       \
   REDUCE(group, simd, "smin", ISA_REDUCE_SMIN, G##_SUM_I16, G##_SUM_I32, NULL),                                       \
   REDUCE(group, simd, "smax", ISA_REDUCE_SMAX, G##_SUM_I16, G##_SUM_I32, NULL),                                       \
   REDUCE(group, simd, "umin", ISA_REDUCE_UMIN, G##_SUM_I16, G##_SUM_I32, NULL),                                       \
   REDUCE(group, simd, "umax", ISA_REDUCE_UMAX, G##_SUM_I16, G##_SUM_I32, NULL)
#define PREFIXES(group, simd, letter, G)                                                                               \
   PREFIX(group, simd, letter, "and", ISA_REDUCE_AND, G##_PREFIX_I, NULL),                                             \
   PREFIX(group, simd, letter, "or", ISA_REDUCE_OR, G##_PREFIX_I, NULL),                                               \
   PREFIX(group, simd, letter, "xor", ISA_REDUCE_XOR, G##_PREFIX_I, NULL),                                             \
   PREFIX(group, simd, letter, "fadd", ISA_REDUCE_FADD, G##_PREFIX_F, float_note),                                     \
   PREFIX(group, simd, letter, "fmul", ISA_REDUCE_FMUL, G##_PREFIX_F, float_note),                                     \
   PREFIX(group, simd, letter, "fmin", ISA_REDUCE_FMIN, G##_PREFIX_F, float_note),                                     \
   PREFIX(group, simd, letter, "fmax", ISA_REDUCE_FMAX, G##_PREFIX_F, float_note),                                     \
   PREFIX(group, simd, letter, "iadd", ISA_REDUCE_IADD, G##_PREFIX_I, NULL),                                           \
   PREFIX(group, simd, letter, "smin", ISA_REDUCE_SMIN, G##_PREFIX_I, NULL),                                           \
   PREFIX(group, simd, letter, "smax", ISA_REDUCE_SMAX, G##_PREFIX_I, NULL),                                           \
   PREFIX(group, simd, letter, "umin", ISA_REDUCE_UMIN, G##_PREFIX_I, NULL),                                           \
   PREFIX(group, simd, letter, "umax", ISA_REDUCE_UMAX, G##_PREFIX_I, NULL)
/* Numbers of operations that no known program uses. */
#define REDUCE_UNKNOWN(group, other, simd, prefix, field_list)                                                         \
   {NAMES(group, other), BITS(REDUCE_BITS, REDUCE_MATCH(simd, prefix)), SIZE(6), DOES(UNKNOWN, 'G', "2.10"),           \
    TIME(OTHER), IMPLIES(ISA_MOD_QUAD, !(simd)), .note = "not seen", .fields = field_list}
#define REDUCE_NUMBER NAME(ISA_MOD_REDUCE, reduce, {28, 1}, {38, 3}, {47, 1})
static const struct isa_field reduce_fields[] = {DST(44), SRC(0, 16, 42), REDUCE_NUMBER, END};
static const struct isa_field prefix_fields[] = {
   DST(44), SRC(0, 16, 42), WORD_MESA(ISA_MOD_NONE, 0, "prefix"), REDUCE_NUMBER, END};

/* D, A, B and C are pairs; bit 26 must say whether the accumulator has 32 bits. */
#define MATRIX_BITS (0x807f | BIT(26) | BIT(27) | BIT(63))
static const char matrix_note[] = "order and rounding of the sums, modifiers, and inactive lanes are not known";
static const struct isa_field matrix_fields[] = {
   DST_AS(60, 0, 2), SRC_PAIR(0, 16, 58, 52), SRC_PAIR(1, 28, 56, 38), SRC_PAIR(2, 40, 54, 50), END};

const struct isa_opcode isa_rows_6f[] = {
   SHUFFLE("simd_shuffle", 1, ISA_SHUFFLE_INDEX, 0, SHUFFLE, 'H', SIMD_SHUFFLE, NULL),
   SHUFFLE("simd_shuffle_xor", 1, ISA_SHUFFLE_XOR, 0, SHUFFLE, 'D', SIMD_SHUFFLE, emulated_note),
   SHUFFLE("simd_shuffle_up", 1, ISA_SHUFFLE_UP, 0, SHUFFLE, 'D', SIMD_SHUFFLE, emulated_note),
   SHUFFLE("simd_shuffle_down", 1, ISA_SHUFFLE_DOWN, 0, SHUFFLE, 'H', SIMD_SHUFFLE, emulated_note),
   SHUFFLE("simd_shuffle_rotate_up", 1, ISA_SHUFFLE_UP, 1, SHUFFLE, 'D', SIMD_SHUFFLE, emulated_note),
   SHUFFLE("quad_shuffle", 0, ISA_SHUFFLE_INDEX, 0, SHUFFLE, 'M', QUAD_SHUFFLE, NULL),
   SHUFFLE("quad_shuffle_xor", 0, ISA_SHUFFLE_XOR, 0, SHUFFLE, 'M', QUAD_SHUFFLE, NULL),
   SHUFFLE("quad_shuffle_up", 0, ISA_SHUFFLE_UP, 0, SHUFFLE, 'D', QUAD_SHUFFLE, quad_edge_note),
   SHUFFLE("quad_shuffle_down", 0, ISA_SHUFFLE_DOWN, 0, SHUFFLE, 'D', QUAD_SHUFFLE, quad_edge_note),
   SHUFFLE("quad_shuffle_rotate_up", 0, ISA_SHUFFLE_UP, 1, SHUFFLE, 'D', QUAD_SHUFFLE, emulated_note),
   SHUFFLE("simd_shuffle_rotate", 1, ISA_SHUFFLE_INDEX, 1, UNKNOWN, 'G', OTHER, rotate_note),
   SHUFFLE("simd_shuffle_rotate_xor", 1, ISA_SHUFFLE_XOR, 1, UNKNOWN, 'G', OTHER, rotate_note),
   SHUFFLE("simd_shuffle_rotate_down", 1, ISA_SHUFFLE_DOWN, 1, UNKNOWN, 'G', OTHER, rotate_note),
   SHUFFLE("quad_shuffle_rotate", 0, ISA_SHUFFLE_INDEX, 1, UNKNOWN, 'G', OTHER, rotate_note),
   SHUFFLE("quad_shuffle_rotate_xor", 0, ISA_SHUFFLE_XOR, 1, UNKNOWN, 'G', OTHER, rotate_note),
   SHUFFLE("quad_shuffle_rotate_down", 0, ISA_SHUFFLE_DOWN, 1, UNKNOWN, 'G', OTHER, rotate_note),

   REDUCTIONS("simd", 1, SIMD), REDUCTIONS("quad", 0, QUAD),
   PREFIXES("simd", 1, 'M', SIMD), PREFIXES("quad", 0, 'D', QUAD),
   REDUCE_UNKNOWN("simd", "simd_reduce", 1, 0, reduce_fields), REDUCE_UNKNOWN("quad", "quad_reduce", 0, 0, reduce_fields),
   REDUCE_UNKNOWN("simd", "simd_prefix", 1, 1, prefix_fields), REDUCE_UNKNOWN("quad", "quad_prefix", 0, 1, prefix_fields),

   {NAMES("simd_matrix_fmadd16", "simd_matrix_fmadd16"), BITS(MATRIX_BITS, 0x6f | BIT(27) | BIT(63)), SIZE(8),
    DOES(MATRIX, 'E', "2.10, 4.8"), TIME(MATRIX16), .note = matrix_note,
    .fields = matrix_fields},
   {NAMES("simd_matrix_fmadd32", "simd_matrix_fmadd32"), BITS(MATRIX_BITS, 0x6f | BIT(26) | BIT(27) | BIT(63)),
    SIZE(8), DOES(MATRIX, 'E', "2.10, 4.8"), TIMES(MATRIX_MIXED, MATRIX32, MATRIX32), .note = matrix_note,
    .fields = matrix_fields},
   {0}};

/* ---- Ballots: spec/isa.md 2.10. Bit 48: simdgroup, else quad ---- */

/* 1 != 0 in every lane: Mesa's disassembler writes the destination alone. */
#define BALLOT_ALL (0x32 | AT(16, 1) | BIT(47) | BIT(48))
#define BALLOT_ALL_BITS (0x807f | BITS_AT(16, 28) | BITS_AT(46, 18))
#define BALLOT_FIELDS(a, b, conditions)                                                                                \
   {DST(44), a(0, 16, 42), b(1, 28, 40), COND(conditions, 61, 47, 1), FLAG_CLEAR_MESA(ISA_MOD_QUAD, "quad", 48), END}
#define BALLOT(other, bits, simd, operation, letter, class, doubt, field_list)                                         \
   {NAMES("ballot", other), BITS(0x807f | BITS_AT(48, 13), (bits) | AT(48, simd)), SIZE(8),                            \
    DOES(operation, letter, "2.10"), TIME(class), .note = (doubt), .fields = field_list}
static const char quad_ballot_note[] = "bits above the quad's four are taken to be 0";
static const struct isa_field ballot_all_fields[] = {
   DST(44), FIXED(0, 1), FIXED(1, 0), END};
static const struct isa_field icmp_ballot_fields[] = BALLOT_FIELDS(SRC, SRC, icond);
static const struct isa_field fcmp_ballot_fields[] = BALLOT_FIELDS(SRC_F, SRC_F, fcond);
const struct isa_opcode isa_rows_32[] = {
   {NAMES("ballot", "icmp_ballot"), BITS(BALLOT_ALL_BITS, BALLOT_ALL), SIZE(8), DOES(ICMP_BALLOT, 'H', "2.10"),
    TIME(SIMD_BALLOT), IMPLIES(ISA_MOD_INVERT, 1), .flags = ISA_FLAG_SHORTHAND, .fields = ballot_all_fields},
   BALLOT("icmp_ballot", 0x32, 1, ICMP_BALLOT, 'H', SIMD_BALLOT, NULL, icmp_ballot_fields),
   BALLOT("icmp_quad_ballot", 0x32, 0, ICMP_BALLOT, 'D', QUAD_BALLOT, quad_ballot_note, icmp_ballot_fields),
   {0}};
const struct isa_opcode isa_rows_22[] = {
   BALLOT("fcmp_ballot", 0x22, 1, FCMP_BALLOT, 'D', SIMD_BALLOT, NULL, fcmp_ballot_fields),
   BALLOT("fcmp_quad_ballot", 0x22, 0, FCMP_BALLOT, 'D', QUAD_BALLOT, quad_ballot_note, fcmp_ballot_fields),
   {0}};
