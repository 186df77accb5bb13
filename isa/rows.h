/* SPDX-License-Identifier: MIT
 *
 * Short hands for writing rows of the table: for table_*.c only.
 */
#ifndef ISA_ROWS_H
#define ISA_ROWS_H

#include "isa/table.h"

/* clang-format off */

/* ---- Rows: {NAMES(..), BITS(..), SIZE..(..), DOES(..), TIME(..), .fields = ..} ---- */

#define BIT(at) (UINT64_C(1) << (at))
#define BITS_AT(at, width) (((UINT64_C(1) << (width)) - 1) << (at))
#define AT(at, value) ((uint64_t)(value) << (at))

#define NAMES(mesa, other) .name = (mesa), .applegpu = (other)
#define BITS(mask_bits, match_bits) .mask = (mask_bits), .match = (match_bits)
#define SIZE(bytes) .length = (bytes)
#define SIZES(short_bytes, long_bytes, bit) .length = (short_bytes), .long_length = (long_bytes), .length_bit = (bit)
/* DOES opens a brace that TIME closes: a row without a timing class does not compile. */
#define DOES(operation, letter, section)                                                                               \
   .op = ISA_OP_##operation, .source = "spec/isa.md " section, .known = { .confidence = (letter)
#define TIME(class) TIMES(class, class, class)
#define TIMES(class16, class32, class64)                                                                               \
   .timing = {ISA_TIMING_##class16, ISA_TIMING_##class32, ISA_TIMING_##class64}}
/* Registers that the text does not name. */
#define USES_R0L .implicit = {0, 1, true}
#define WRITES_R1 .implicit = {2, 2, false}
#define FLOW(kind) .flow = ISA_FLOW_##kind
#define IMPLIES(mod, value) .implies = true, .implied_mod = (mod), .implied = (value)

/* ---- Fields ---- */

#define END {.kind = ISA_FIELD_END}

/* ALU. Arguments: where the extension bits lie. spec/isa.md 2.0. */
#define DST_AS(ext, rules, n)                                                                                          \
   {.kind = ISA_FIELD_DST, .target = ISA_DST, .rule = (rules), .constant = (n), .value = {{9, 6}, {(ext), 2}},         \
    .aux = {{8, 1}, {7, 1}}}
#define DST(ext) DST_AS(ext, 0, 0)
#define DST64(ext) DST_AS(ext, ISA_RULE_WIDE, 0)
#define DST16(ext)                                                                                                     \
   {.kind = ISA_FIELD_DST, .target = ISA_DST, .rule = ISA_RULE_NARROW, .value = {{9, 6}, {(ext), 2}},                  \
    .aux = {{8, 1}, {7, 1}}}

#define SRC_AS(n, at, ext, rules, mod_at, mod_width)                                                                   \
   {.kind = ISA_FIELD_SRC, .target = ISA_SRC##n, .rule = (rules), .value = {{(at), 6}, {(ext), 2}},                    \
    .aux = {{(at) + 6, 4}, {(mod_at), (mod_width)}, {27, ((rules) & ISA_RULE_NEGATE) != 0}}}
#define SRC(n, at, ext) SRC_AS(n, at, ext, 0, 0, 0)
#define SRC_SX(n, at, ext) SRC_AS(n, at, ext, 0, (at) + 10, 1)
#define SRC_ADD(n, at, ext) SRC_AS(n, at, ext, ISA_RULE_WIDE, (at) + 10, 1)
#define SRC_SUB(n, at, ext) SRC_AS(n, at, ext, ISA_RULE_WIDE | ISA_RULE_NEGATE, (at) + 10, 1)
#define SRC_F(n, at, ext) SRC_AS(n, at, ext, ISA_RULE_FLOAT, (at) + 10, 2)
#define SRC_PAIR(n, at, ext, mod_at)                                                                                   \
   {.kind = ISA_FIELD_SRC, .target = ISA_SRC##n, .constant = 2, .value = {{(at), 6}, {(ext), 2}},                      \
    .aux = {{(at) + 6, 4}, {(mod_at), 2}}}
#define SRC16(n, at, ext)                                                                                              \
   {.kind = ISA_FIELD_SRC16, .target = ISA_SRC##n, .value = {{(at), 6}, {(ext), 2}},                                   \
    .aux = {{(at) + 6, 3}, {(at) + 9, 2}}}
#define SELECT(n, at, ext)                                                                                             \
   {.kind = ISA_FIELD_SELECT, .target = ISA_SRC##n, .value = {{(at), 6}, {(ext), 2}}, .aux = {{(at) + 6, 3}, {8, 1}}}
#define FIXED(n, value) {.kind = ISA_FIELD_FIXED, .target = ISA_SRC##n, .constant = (value)}
#define FIXED_F(n, minifloat)                                                                                          \
   {.kind = ISA_FIELD_FIXED, .target = ISA_SRC##n, .rule = ISA_RULE_FLOAT, .constant = (minifloat)}

/* Numbers. */
#define NUMBER(mod, ...) {.kind = ISA_FIELD_NUMBER, .target = (mod), .value = {__VA_ARGS__}}
#define BRANCH(at, width) {.kind = ISA_FIELD_BRANCH, .target = ISA_MOD_TARGET, .value = {{(at), (width)}}}
#define NAME(mod, table, ...)                                                                                          \
   {.kind = ISA_FIELD_NAME, .target = (mod), .names = &isa_names_##table, .value = {__VA_ARGS__}}
#define NAME_UNLESS(mod, table, silent, ...)                                                                           \
   {.kind = ISA_FIELD_NAME, .target = (mod), .rule = ISA_RULE_SILENT, .constant = (silent),                            \
    .names = &isa_names_##table, .value = {__VA_ARGS__}}
#define NAME_UNLESS_MESA(mod, table, silent, ...)                                                                      \
   {.kind = ISA_FIELD_NAME, .target = (mod), .rule = ISA_RULE_SILENT | ISA_RULE_MESA, .constant = (silent),            \
    .names = &isa_names_##table, .value = {__VA_ARGS__}}
#define COND(table, at, invert_at, invert_width)                                                                       \
   {.kind = ISA_FIELD_COND, .target = ISA_MOD_COND, .names = &isa_names_##table, .value = {{(at), 3}},                 \
    .aux = {{(invert_at), (invert_width)}}}
#define FLAG_AS(mod, text, at, rules)                                                                                  \
   {.kind = ISA_FIELD_FLAG, .target = (mod), .rule = (rules), .word = (text), .value = {{(at), 1}}}
#define FLAG(mod, text, at) FLAG_AS(mod, text, at, 0)
#define FLAG_MESA(mod, text, at) FLAG_AS(mod, text, at, ISA_RULE_MESA)
#define FLAG_CLEAR_MESA(mod, text, at) FLAG_AS(mod, text, at, ISA_RULE_MESA | ISA_RULE_INVERSE)
#define WORD(mod, number, text) {.kind = ISA_FIELD_WORD, .target = (mod), .constant = (number), .word = (text)}
/* A word that the mnemonic of the other syntax holds. */
#define WORD_MESA(mod, number, text)                                                                                   \
   {.kind = ISA_FIELD_WORD, .target = (mod), .rule = ISA_RULE_MESA, .constant = (number), .word = (text)}
#define WORD_APPLEGPU(mod, number, text)                                                                               \
   {.kind = ISA_FIELD_WORD, .target = (mod), .rule = ISA_RULE_APPLEGPU, .constant = (number), .word = (text)}
#define SHIFT(...) {.kind = ISA_FIELD_SHIFT, .target = ISA_MOD_SHIFT, .value = {__VA_ARGS__}}
#define MASK(at) {.kind = ISA_FIELD_MASK, .target = ISA_MOD_MASK, .value = {{(at), 4}}}
#define EXTRA(usual, ...)                                                                                              \
   {.kind = ISA_FIELD_EXTRA, .target = ISA_MOD_EXTRA, .constant = (usual), .word = "bits", .value = {__VA_ARGS__}}
/* Bits that the hardware is known to ignore. */
#define IGNORED(...)                                                                                                   \
   {.kind = ISA_FIELD_EXTRA, .target = ISA_MOD_IGNORED, .word = "ignored", .value = {__VA_ARGS__}}
#define SLOT(at) NAME(ISA_MOD_SLOT, slot, {(at), 1})

/* Memory and plain operands. The variable arguments are the pieces of the number. */
#define REG(to, bits, ...) {.kind = ISA_FIELD_REG, .target = (to), .constant = (bits), .value = {__VA_ARGS__}}
#define REG_DISCARD(to, bits, at, ...)                                                                                 \
   {.kind = ISA_FIELD_REG, .target = (to), .constant = (bits), .value = {__VA_ARGS__}, .aux = {{0, 0}, {(at), 1}}}
#define REG_OR_IMM(to, bits, imm_at, ...)                                                                              \
   {.kind = ISA_FIELD_REG_OR_IMM, .target = (to), .constant = (bits), .value = {__VA_ARGS__}, .aux = {{(imm_at), 1}}}
#define IMM_OR_REG(to, bits, reg_at, ...)                                                                              \
   {.kind = ISA_FIELD_REG_OR_IMM, .target = (to), .constant = (bits), .rule = ISA_RULE_INVERSE,                        \
    .value = {__VA_ARGS__}, .aux = {{(reg_at), 1}}}
#define VECTOR(to, size_at, mask_at, ...)                                                                              \
   {.kind = ISA_FIELD_VECTOR, .target = (to), .value = {__VA_ARGS__}, .aux = {{(size_at), 1}, {(mask_at), 4}}}
#define IMM(n, ...) {.kind = ISA_FIELD_IMM, .target = ISA_SRC##n, .value = {__VA_ARGS__}}
#define IMM_SIGNED(n, ...)                                                                                             \
   {.kind = ISA_FIELD_IMM, .target = ISA_SRC##n, .rule = ISA_RULE_SIGNED, .value = {__VA_ARGS__}}
#define STATE(to, file, ...)                                                                                           \
   {.kind = ISA_FIELD_FILE, .target = (to), .constant = ISA_##file, .value = {__VA_ARGS__}}
#define STATE_OR_REG(to, file, reg_at, ...)                                                                            \
   {.kind = ISA_FIELD_FILE, .target = (to), .constant = ISA_##file, .value = {__VA_ARGS__}, .aux = {{(reg_at), 1}}}

/* clang-format on */

/* An array isa_rows_XX holds the rows of the bucket XX, the low 7 bits of the opcode; isa_rows_XX_YY those of two. */
#ifndef ISA_DERIVE
#define DECLARE_ROWS(rows) extern const struct isa_opcode rows[];
/* clang-format off */
ISA_ROW_ARRAYS(DECLARE_ROWS)
/* clang-format on */
#endif

#endif
