/* SPDX-License-Identifier: MIT
 *
 * Rows of the table: memory. spec/isa.md 1.10, 2.11, 2.12, 4.
 */
#include "isa/rows.h"

/* clang-format off */

/* ---- Device memory ---- */

#define BASE(n)                                                                                                        \
   {.kind = ISA_FIELD_BASE, .target = ISA_SRC##n, .value = {{16, 4}, {36, 4}}, .aux = {{27, 1}}}
#define INDEX(n)                                                                                                       \
   {.kind = ISA_FIELD_INDEX, .target = ISA_SRC##n, .value = {{20, 4}, {32, 4}, {56, 8}}, .aux = {{24, 1}, {25, 1}}}
#define DEVICE_VECTOR(to) VECTOR(to, 49, 52, {10, 6}, {40, 2})
#define COHERENCY NAME_UNLESS(ISA_MOD_COHERENCY, coherency, 0, {44, 2})
#define DEVICE_FIELDS(to)                                                                                              \
   {DEVICE_VECTOR(to), BASE(0), INDEX(1), SHIFT({42, 2}), NAME(ISA_MOD_FORMAT, format, {7, 3}, {48, 1}), MASK(52),     \
    COHERENCY, SLOT(30), END}
static const char format_note[] =
   "rounding of stored norm and packed formats, formats 9 and 11, and mask 0 are not known";
static const struct isa_field load_fields[] = DEVICE_FIELDS(ISA_DST);
static const struct isa_field store_fields[] = DEVICE_FIELDS(ISA_SRC2);

#define DEVICE_BITS (0x7f | BIT(26) | BITS_AT(28, 2) | BIT(31) | BIT(46))
#define DEVICE_MATCH (BIT(26) | BIT(46))
const struct isa_opcode isa_rows_05[] = {
   {NAMES("load", "device_load"), BITS(DEVICE_BITS, 0x05 | DEVICE_MATCH), SIZES(6, 8, 47),
    DOES(LOAD, 'H', "2.11, 4.1"), TIME(LOAD), .flags = ISA_FLAG_ASYNC | ISA_FLAG_LONG, .note = format_note,
    .fields = load_fields},
   {0}};

/* A uniform store is a 16-bit store with another tag: the register file is its memory. */
#define UNIFORM_STORE_BITS (0x3ff | BITS_AT(16, 4) | BITS_AT(24, 8) | BITS_AT(36, 4) | BITS_AT(42, 5))
static const struct isa_field uniform_store_fields[] = {
   {.kind = ISA_FIELD_UNIFORMS, .target = ISA_DST, .value = {{20, 4}, {32, 4}, {56, 8}}, .aux = {{0, 0}, {52, 4}}},
   {.kind = ISA_FIELD_UNIFORM_DATA, .target = ISA_SRC0, .value = {{10, 6}, {40, 2}}, .aux = {{0, 0}, {52, 4}}}, END};
const struct isa_opcode isa_rows_45[] = {
   {NAMES("mov", "uniform_store"), BITS(UNIFORM_STORE_BITS, 0xc5 | AT(24, 0x3d)), SIZES(6, 8, 47),
    DOES(UNIFORM_STORE, 'M', "1.8, 2.11"), TIME(UNIFORM_STORE), .flags = ISA_FLAG_LONG,
    .note = "which lane's data is stored when they differ is not known", .fields = uniform_store_fields},
   {NAMES("store", "device_store"), BITS(DEVICE_BITS, 0x45 | DEVICE_MATCH), SIZES(6, 8, 47),
    DOES(STORE, 'M', "2.11, 4.1"), TIME(STORE), .flags = ISA_FLAG_ASYNC | ISA_FLAG_LONG, .note = format_note,
    .fields = store_fields},
   {0}};

/* 64-bit minimum and maximum are compare-and-exchange (3) without a result and with bit 45 set: bit 46 tells them
 * apart. On G13X the same bits are a coherent compare-and-exchange without a result. */
#define ATOMIC_BITS (0x3f | BIT(26) | BITS_AT(28, 2) | BIT(31) | BITS_AT(42, 2) | BIT(46))
#define ATOMIC_MATCH (0x15 | BIT(26) | BIT(31) | BIT(46))
#define ATOMIC64_BITS (ATOMIC_BITS | BITS_AT(6, 10) | BITS_AT(40, 8))
#define ATOMIC64(word, number, match)                                                                                  \
   {NAMES("atomic", "atomic"), BITS(ATOMIC64_BITS, 0x15 | BIT(26) | BIT(31) | AT(6, 3) | BIT(44) | BIT(45) | (match)), \
    SIZE(8), DOES(ATOMIC, 'D', "4.3"), TIME(ATOMIC), IMPLIES(ISA_MOD_ATOMIC, number),                                  \
    .flags = ISA_FLAG_ASYNC, .note = atomic64_note, .fields = word##_fields}
#define ATOMIC64_FIELDS(number, word)                                                                                  \
   {NO_RESULT, REG(ISA_SRC2, 64, {48, 8}), BASE(0), INDEX(1), WORD(ISA_MOD_ATOMIC, number, word), SLOT(30), END}
/* Prints "_": the operand stays absent. */
#define NO_RESULT WORD(ISA_MOD_NONE, 0, "_")
static const char atomic64_note[] = "M2 family only; from compiler output, not run: scaling of the index by 8 is "
                                    "taken from symmetry; on G13X (M1 Pro and up) the same bits are a coherent cmpxchg";
static const struct isa_field atomic_fields[] = {
   {.kind = ISA_FIELD_RESULT, .target = ISA_DST, .value = {{10, 6}, {40, 2}}, .aux = {{47, 1}}},
   {.kind = ISA_FIELD_ATOMIC_DATA, .target = ISA_SRC2, .value = {{48, 8}}, .aux = {{6, 4}}}, BASE(0), INDEX(1), NAME(ISA_MOD_ATOMIC, atomic, {6, 4}), COHERENCY, SLOT(30), END};
static const struct isa_field umin64_fields[] = ATOMIC64_FIELDS(ISA_ATOMIC_UMIN64, "umin64");
static const struct isa_field umax64_fields[] = ATOMIC64_FIELDS(ISA_ATOMIC_UMAX64, "umax64");
const struct isa_opcode isa_rows_15_55[] = {
   ATOMIC64(umin64, ISA_ATOMIC_UMIN64, 0),
   ATOMIC64(umax64, ISA_ATOMIC_UMAX64, BIT(46)),
   {NAMES("atomic", "atomic"), BITS(ATOMIC_BITS, ATOMIC_MATCH), SIZE(8), DOES(ATOMIC, 'M', "2.11, 4.2"), TIME(ATOMIC),
    .flags = ISA_FLAG_ASYNC,
    .note = "cmpxchg reads two registers: the new value, then the expected one; the order of lanes is not known",
    .fields = atomic_fields},
   {0}};

/* ---- Stack: byte offsets ---- */

#define OFFSET(n, imm_at, ...)                                                                                         \
   {.kind = ISA_FIELD_OFFSET, .target = ISA_SRC##n, .value = {__VA_ARGS__}, .aux = {{(imm_at), 1}}}
#define STACK_OFFSET OFFSET(1, 24, {20, 4}, {32, 4}, {56, 8})
#define STACK_FIELDS(to)                                                                                               \
   {DEVICE_VECTOR(to), STACK_OFFSET, NAME(ISA_MOD_FORMAT, format, {8, 2}, {50, 2}), MASK(52), SLOT(30), END}
static const char stack_note[] = "how frames of nested calls add up is not known";
static const struct isa_field stack_load_fields[] = STACK_FIELDS(ISA_DST);
static const struct isa_field stack_store_fields[] = STACK_FIELDS(ISA_SRC2);
static const struct isa_field stack_adjust_fields[] = {IMM_SIGNED(0, {20, 4}, {32, 4}, {56, 8}), END};
static const struct isa_field stack_adjust_reg_fields[] = {REG(ISA_SRC0, 32, {20, 4}, {32, 4}), END};
static const struct isa_field stack_get_ptr_fields[] = {
   REG(ISA_DST, 32, {10, 6}, {40, 2}), /* usual, as in stack_load: bits 24, 26, 46 and 52 */
   EXTRA(0x09000005, {24, 8}, {32, 8}, {20, 4}, {42, 5}, {50, 6}), END};

#define STACK_BITS (0xff | BITS_AT(16, 4) | BITS_AT(25, 5) | BIT(31) | BITS_AT(36, 4) | BITS_AT(42, 5))
#define STACK_MATCH (BIT(26) | BIT(46))
#define ADJUST_BITS (0xffff | BITS_AT(16, 4) | BITS_AT(24, 8) | BITS_AT(36, 4) | BITS_AT(40, 7))
#define ADJUST_MATCH (0xb5 | AT(16, 1) | BIT(26) | AT(36, 2))
const struct isa_opcode isa_rows_35[] = {
   {NAMES("stack_load", "stack_load"), BITS(STACK_BITS, 0x35 | STACK_MATCH), SIZES(6, 8, 47),
    DOES(STACK_LOAD, 'M', "1.10, 2.11, 4.5"), TIME(STACK), .flags = ISA_FLAG_ASYNC | ISA_FLAG_LONG,
    .note = stack_note, .fields = stack_load_fields},
   {NAMES("stack_store", "stack_store"), BITS(STACK_BITS, 0xb5 | STACK_MATCH), SIZES(6, 8, 47),
    DOES(STACK_STORE, 'M', "1.10, 2.11, 4.5"), TIME(STACK), .flags = ISA_FLAG_ASYNC | ISA_FLAG_LONG,
    .note = stack_note, .fields = stack_store_fields},
   {NAMES("stack_adjust", "stack_adjust"), BITS(ADJUST_BITS, ADJUST_MATCH | BIT(24)), SIZES(6, 8, 47),
    DOES(STACK_ADJUST, 'M', "1.10, 2.11"), TIME(STACK), .flags = ISA_FLAG_LONG_FROM_32, .note = stack_note, .fields = stack_adjust_fields},
   {NAMES("stack_adjust", "stack_adjust"), BITS(ADJUST_BITS, ADJUST_MATCH), SIZES(6, 8, 47),
    DOES(STACK_ADJUST, 'G', "2.11"), TIME(STACK), .note = stack_note,
    .fields = stack_adjust_reg_fields},
   {NAMES("stack_get_ptr", "stack_get_ptr"), BITS(0xffff | BITS_AT(16, 4) | BIT(47) | BITS_AT(48, 2),
                                                  0x35 | AT(16, 1) | BIT(47) | BIT(49)),
    SIZE(8), DOES(STACK_GET_PTR, 'D', "2.11"), TIME(STACK),
    .note = "unit of the pointer and most bits of the encoding are not known", .fields = stack_get_ptr_fields},
   {0}};

/* ---- Threadgroup memory ---- */

#define LOCAL_BASE(n)                                                                                                  \
   {.kind = ISA_FIELD_LOCAL_BASE, .target = ISA_SRC##n, .value = {{16, 6}, {58, 2}}, .aux = {{22, 2}}}
#define LOCAL_INDEX(n)                                                                                                 \
   {.kind = ISA_FIELD_LOCAL_INDEX, .target = ISA_SRC##n, .value = {{28, 6}, {48, 10}}, .aux = {{34, 1}}}
/* Apple's compiler sets bits 40 and 47 in some loads, Mesa's never: the meaning is not known. */
#define LOCAL_EXTRA EXTRA(0, {7, 1}, {40, 8})
#define LOCAL_FIELDS(to)                                                                                               \
   {VECTOR(to, 8, 36, {9, 6}, {60, 2}), LOCAL_BASE(0), LOCAL_INDEX(1), NAME(ISA_MOD_FORMAT, format, {24, 4}),          \
    MASK(36), LOCAL_EXTRA, END}
static const char local_note[] = "sign of a register index and unaligned addresses are not known";
static const struct isa_field lload_fields[] = LOCAL_FIELDS(ISA_DST);
static const struct isa_field lstore_fields[] = LOCAL_FIELDS(ISA_SRC2);
const struct isa_opcode isa_rows_69[] = {
   {NAMES("lload", "threadgroup_load"), BITS(0x7f, 0x69), SIZES(6, 8, 15), DOES(LLOAD, 'M', "2.11, 4.4"), TIME(LLOAD),
    .flags = ISA_FLAG_LONG, .note = local_note, .fields = lload_fields},
   {0}};
const struct isa_opcode isa_rows_29[] = {
   {NAMES("lstore", "threadgroup_store"), BITS(0x7f, 0x29), SIZES(6, 8, 15), DOES(LSTORE, 'M', "2.11, 4.4"),
    TIME(LSTORE), .flags = ISA_FLAG_LONG, .note = local_note, .fields = lstore_fields},
   {0}};

/* Bit 40 is set by Apple's compiler with cmpxchg, not by Mesa's. */
static const struct isa_field latomic_fields[] = {
   {.kind = ISA_FIELD_RESULT, .target = ISA_DST, .value = {{9, 6}, {60, 2}}, .aux = {{38, 1}, {8, 1}}},
   {.kind = ISA_FIELD_ATOMIC_DATA, .target = ISA_SRC2, .value = {{64, 8}}, .aux = {{24, 4}}}, LOCAL_BASE(0), LOCAL_INDEX(1), NAME(ISA_MOD_ATOMIC, atomic, {24, 4}),
   EXTRA(0, {40, 7}, {7, 1}), END};
const struct isa_opcode isa_rows_19[] = {
   {NAMES("latomic", "threadgroup_atomic"), BITS(0x7f | BIT(36) | BIT(47), 0x19 | BIT(36) | BIT(47)),
    SIZES(6, 10, 15), DOES(LATOMIC, 'M', "2.11, 4.2, 4.4"), TIME(LATOMIC), .flags = ISA_FLAG_LONG, .note = local_note,
    .fields = latomic_fields},
   {0}};

/* ---- Copies between device and threadgroup memory ---- */

#define ASYNC_TUPLE(registers)                                                                                         \
   {.kind = ISA_FIELD_TUPLE, .target = ISA_SRC1, .constant = (registers), .value = {{16, 4}, {36, 4}}, .aux = {{25, 1}}}
#define ASYNC_FIELDS(registers)                                                                                        \
   {{.kind = ISA_FIELD_TUPLE, .target = ISA_SRC0, .constant = 1, .value = {{9, 6}}, .aux = {{8, 1}}},                  \
    ASYNC_TUPLE(registers), EXTRA(0, {26, 6}, {20, 5}, {32, 4}, {40, 6}, {7, 1}), END}
#define ASYNC(mesa, low, two, operation, field_list)                                                                   \
   {NAMES(mesa, mesa), BITS(0x7f | BIT(47), (low) | AT(47, two)), SIZE(8), DOES(operation, 'D', "2.11"), TIME(OTHER),  \
    .note = async_note, .fields = field_list}
static const char async_note[] = "encoding seen in Apple's code; most bits and the registers' contents are not known";
static const struct isa_field async_1d_fields[] = ASYNC_FIELDS(3);
static const struct isa_field async_2d_fields[] = ASYNC_FIELDS(5);
const struct isa_opcode isa_rows_25[] = {
   ASYNC("async_load_1d", 0x25, 0, ASYNC_LOAD, async_1d_fields),
   ASYNC("async_load_2d", 0x25, 1, ASYNC_LOAD, async_2d_fields),
   {0}};
const struct isa_opcode isa_rows_65[] = {
   ASYNC("async_store_1d", 0x65, 0, ASYNC_STORE, async_1d_fields),
   ASYNC("async_store_2d", 0x65, 1, ASYNC_STORE, async_2d_fields),
   {0}};

/* ---- Texture and sampler state. Bit 58: the offset is an immediate (the sample's "load ts0, du8, 64") ---- */

#define STATE_FIELDS(file, ...)                                                                                        \
   {STATE(ISA_DST, file, __VA_ARGS__),                                                                                 \
    {.kind = ISA_FIELD_BASE, .target = ISA_SRC0, .constant = 2, .value = {{59, 5}}},                                   \
    OFFSET(1, 58, {26, 16}), SLOT(16), END}
static const char state_note[] = "how wide the offset is, is not known";
static const struct isa_field texture_state_fields[] = STATE_FIELDS(TEXTURE_STATE, {8, 7});
static const struct isa_field sampler_state_fields[] = STATE_FIELDS(SAMPLER_STATE, {8, 5});
const struct isa_opcode isa_rows_6d[] = {
   {NAMES("load", "tex_state_load"), BITS(0xff | BIT(20), 0xed | BIT(20)), SIZE(8), DOES(STATE_LOAD, 'D', "2.11"),
    TIME(OTHER), .flags = ISA_FLAG_ASYNC, .note = state_note, .fields = texture_state_fields},
   {0}};
const struct isa_opcode isa_rows_2d[] = {
   {NAMES("load", "sampler_state_load"), BITS(0xff | BIT(20), 0xad | BIT(20)), SIZE(8), DOES(STATE_LOAD, 'D', "2.11"),
    TIME(OTHER), .flags = ISA_FLAG_ASYNC, .note = state_note, .fields = sampler_state_fields},
   {0}};
