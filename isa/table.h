/* SPDX-License-Identifier: MIT
 *
 * The instruction table's own types, for this room's files. One row an instruction; a row lists its fields in
 * the order of its text, and decoder, encoder, printer and parser all walk that list. What a kind of field is
 * (where its bits lie, what it holds, how it reads as text) stands once, in the kind_*.c file of its subject.
 */
#ifndef ISA_TABLE_H
#define ISA_TABLE_H

#include "isa/isa.h"

/* An instruction as a 96-bit little-endian number. Bit numbers everywhere count from bit 0 of `low`. */
struct isa_code {
   uint64_t low;  /* bits 0..63 */
   uint32_t high; /* bits 64..95 */
};

/* `width` bits from bit `at`; never across bit 64. Width 0: absent. */
struct isa_piece {
   uint8_t at, width;
};

/* Words for the values of an enumerated field. A value without a word (NULL, or past the end) is written as
 * `prefix` and the number: "sr99". */
struct isa_names {
   const char *prefix;
   const char *const *words;
   uint16_t count;
   const struct isa_alias *aliases; /* other words that the parser takes; NULL: none */
};

struct isa_alias { /* a list of them ends with word == NULL */
   const char *word;
   uint16_t value;
};

extern const struct isa_names isa_names_icond; /* index: invert << 3 | condition. Likewise fcond */
extern const struct isa_names isa_names_fcond;
extern const struct isa_names isa_names_sr;
extern const struct isa_names isa_names_format;
extern const struct isa_names isa_names_atomic;
extern const struct isa_names isa_names_coherency;
extern const struct isa_names isa_names_slot;
extern const struct isa_names isa_names_round;
extern const struct isa_names isa_names_shuffle;
extern const struct isa_names isa_names_reduce;
extern const struct isa_names isa_names_dim;
extern const struct isa_names isa_names_lod_mode;
extern const struct isa_names isa_names_gather;
extern const struct isa_names isa_names_zs;

/* Where a field's operand goes: the index for isa_operand_at(). */
enum isa_target {
   ISA_DST,
   ISA_SRC0,
   ISA_SRC1,
   ISA_SRC2,
   ISA_SRC3,
   ISA_SRC4,
   ISA_SRC5,
};

enum isa_field_kind {
   ISA_FIELD_END, /* closes a row's list */

   /* kind_alu.c. `target` is an enum isa_target. aux: type, modifiers, subtract bit. */
   ISA_FIELD_DST,    /* ALU destination; aux: size, cache. rule WIDE: 64-bit too; NARROW: 16-bit only */
   ISA_FIELD_SRC,    /* ALU source with a 4-bit type. rules WIDE, FLOAT, NEGATE; constant 2: a register pair */
   ISA_FIELD_SRC16,  /* h* source, 3-bit type: 16 bits, float immediates */
   ISA_FIELD_SELECT, /* X and Y of csel, 3-bit type, aux: type, size: as wide as the destination, integers */
   ISA_FIELD_FIXED,  /* no bits, no text: an immediate that the row implies; rule FLOAT: a float one */

   /* kind_memory.c. `target` is an enum isa_target. */
   ISA_FIELD_REG,          /* one register of `constant` bits; aux: -, discard */
   ISA_FIELD_REG_OR_IMM,   /* the same, or an unsigned immediate; aux: immediate (rule INVERSE: register) */
   ISA_FIELD_ATOMIC_DATA,  /* a 32-bit register, of cmpxchg two (the new value, the expected one); aux: operation */
   ISA_FIELD_RESULT,       /* destination of an atomic, or "_" when it returns nothing; aux: valid, size */
   ISA_FIELD_VECTOR,       /* data registers: one for each bit of the mask (or `constant`); aux: size, mask */
   ISA_FIELD_BASE,         /* 64-bit address: drN or duN; aux: uniform. constant: value is shifted left by it */
   ISA_FIELD_INDEX,        /* rN, rN.sx, or an immediate: signed, or "N.zx" when zero-extended; aux: imm, zx */
   ISA_FIELD_OFFSET,       /* unsigned immediate or rN; aux: immediate */
   ISA_FIELD_LOCAL_BASE,   /* threadgroup address: rNl, uNl; no text when it is zero; aux: type */
   ISA_FIELD_LOCAL_INDEX,  /* signed 16-bit immediate or rNl; aux: immediate */
   ISA_FIELD_IMM,          /* immediate operand; rule SIGNED */
   ISA_FIELD_UNIFORMS,     /* where a uniform store goes: as many halves as the mask says; aux: -, mask */
   ISA_FIELD_UNIFORM_DATA, /* what it stores; aux: -, mask */
   ISA_FIELD_TUPLE,        /* async: `constant` consecutive 32-bit registers or uniforms; aux: uniform */
   ISA_FIELD_FILE,         /* number in a file of its own (constant: enum isa_operand_kind): ts0, ss0, cf0, sr names.
                            * aux: set: a 16-bit register holds it */

   /* kind_graphics.c. `target` is an enum isa_target. */
   ISA_FIELD_TEXTURE, /* ts0, a 16-bit register, or bindless: duN, rN (base goes to src[5]); aux: type, base */
   ISA_FIELD_LOD,     /* what the lod mode (ISA_MOD_LOD_MODE) and dimension (ISA_MOD_DIM) want: 0, half uniforms or
                       * registers,     gradients; aux: mode, dimension in two pieces */
   ISA_FIELD_COMPARE, /* registers of reference value and offset, where ISA_MOD_SHADOW or ISA_MOD_OFFSET asks for them;
                       * aux: these two flags */
   ISA_FIELD_COORDS, /* tile coordinates where ISA_MOD_EXPLICIT_COORDS says they are explicit, else 0; aux: that flag */
   ISA_FIELD_SAMPLE, /* how iter interpolates, with its sample index; aux: mode */
   ISA_FIELD_VARYING, /* as many registers as iter has channels, times `constant`; aux: size, channels */

   /* kind_number.c. `target` is an enum isa_mod. */
   ISA_FIELD_NUMBER, /* unsigned number */
   ISA_FIELD_BRANCH, /* signed distance; a listing may write a label instead */
   ISA_FIELD_NAME,   /* a word of `names` (where several values share a word, the operands decide); rule SILENT: the
                      * value `constant` is not written */
   ISA_FIELD_COND,   /* condition and its inversion: ISA_MOD_COND and ISA_MOD_INVERT; aux: inversion */
   ISA_FIELD_FLAG,   /* `word` when the bit is set; rule INVERSE: when it is clear, and the number is then 1 */
   ISA_FIELD_WORD,   /* no bits: always `word`, and the number is `constant` */
   ISA_FIELD_SHIFT,  /* "lsl n" unless 0 */
   ISA_FIELD_MASK,   /* letters of xyzw; "_" for none */
   ISA_FIELD_EXTRA,  /* bits without a known meaning, as "bits=0x..", or ignored ones, as "ignored=0x.." (word), unless
                      * they have their usual value (constant) */
   ISA_FIELD_KINDS
};

enum isa_rule {
   ISA_RULE_WIDE = 1 << 0,
   ISA_RULE_NARROW = 1 << 1,
   ISA_RULE_FLOAT = 1 << 2,
   ISA_RULE_SIGNED = 1 << 3,
   ISA_RULE_SILENT = 1 << 4,
   ISA_RULE_INVERSE = 1 << 5,
   ISA_RULE_NEGATE = 1 << 6, /* aux[2] is the row's subtract bit: ISA_MOD_NEGATE; Mesa's syntax writes ".neg" */
   /* The field has text in one syntax only; in the other one the mnemonic implies its value. */
   ISA_RULE_MESA = 1 << 7,
   ISA_RULE_APPLEGPU = 1 << 8,
};

struct isa_field {
   uint8_t kind;              /* enum isa_field_kind */
   uint8_t target;            /* enum isa_target or enum isa_mod, by kind */
   uint16_t rule;             /* enum isa_rule */
   int32_t constant;          /* by kind */
   struct isa_piece value[5]; /* the number, lowest bits first */
   struct isa_piece aux[4];   /* its other bits, by kind: see the kind's comment */
   const struct isa_names *names;
   const char *word;
};

enum isa_flag {
   ISA_FLAG_ASYNC = 1 << 1,     /* scoreboarded on ISA_MOD_SLOT */
   ISA_FLAG_LONG = 1 << 3,      /* the long form is the usual one, even when the short one would do */
   ISA_FLAG_GRAPHICS = 1 << 4,  /* not for compute programs */
   ISA_FLAG_SHORTHAND = 1 << 6, /* Mesa's shorter text for some encodings of a later row; applegpu's syntax lacks it */
   ISA_FLAG_LONG_FROM_32 = 1 << 7, /* the long form is the usual one when a field has bits at 32 and up */
};

struct isa_opcode {
   const char *name;     /* Mesa's mnemonic */
   const char *applegpu; /* dougallj/applegpu's */
   /* An instruction is this row's when (code & mask) == match, its fields hold legal values, and all bits
    * that no field covers equal those of match. Earlier rows of a bucket win. */
   uint64_t mask, match;
   uint8_t length;      /* bytes; of the short form where there are two */
   uint8_t long_length; /* 0: one form only */
   uint8_t length_bit;  /* set in the long form */
   uint8_t op;          /* enum isa_op */
   struct {
      char confidence;   /* H, E, M, D, G: spec/isa.md */
      uint8_t timing[3]; /* enum isa_timing for 16-, 32- and 64-bit operands (the widest register counts) */
   } known;
   uint16_t flags; /* enum isa_flag */
   uint8_t flow;   /* enum isa_flow */
   struct isa_implicit implicit;
   bool implies;        /* the mnemonic implies a number: mod[implied_mod] == implied */
   uint8_t implied_mod; /* enum isa_mod */
   uint8_t implied;
   const char *source; /* section of spec/isa.md */
   const char *note;   /* what is not known about the hardware, or NULL */
   const struct isa_field *fields;
};

#define ISA_BUCKETS_MAX 128

struct isa_set {
   const char *name;
   /* Rows with the same low 7 bits, in the order in which they are tried, closed by one without a name; NULL: none.
    * Rows whose bit 6 is not fixed stand in two buckets. */
   const struct isa_opcode *const *buckets; /* ISA_BUCKETS_MAX of them */
   /* The bits that a row's fields cover, in the order of the buckets and of their rows. Made by derive.py. */
   const struct isa_code *const *row_bits;
};

/* All rows of the set, each once: the first for NULL, NULL after the last. */
const struct isa_opcode *isa_next_row(const struct isa_set *set, const struct isa_opcode *row);

/* ---- What a kind of field does ---- */

struct isa_writer { /* snprintf's rule: `length` counts what did not fit too */
   char *text;
   size_t size, length;
   enum isa_syntax syntax;
   const char *label; /* how a branch's distance is written; NULL: as the number */
   bool first;        /* no operand written yet */
};

struct isa_kind {
   const char *name; /* as error messages call it: "register" */
   /* Reads the field; false: these bits are no legal value. insn->row is set; fields before it are read. */
   bool (*decode)(const struct isa_field *field, const struct isa_code *code, struct isa_insn *insn);
   /* Adds the field's bits to code. NULL, or what is legal. */
   const char *(*encode)(const struct isa_field *field, const struct isa_insn *insn, struct isa_code *code);
   /* Writes nothing where the field has no text. */
   void (*print)(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out);
};
extern const struct isa_kind *const isa_kinds[ISA_FIELD_KINDS];

extern const struct isa_kind isa_kind_dst, isa_kind_src, isa_kind_src16, isa_kind_select, isa_kind_fixed;
extern const struct isa_kind isa_kind_reg, isa_kind_reg_or_imm, isa_kind_atomic_data, isa_kind_result, isa_kind_vector,
    isa_kind_base, isa_kind_index, isa_kind_offset, isa_kind_local_base, isa_kind_local_index, isa_kind_imm,
    isa_kind_uniforms, isa_kind_uniform_data, isa_kind_tuple, isa_kind_file;
extern const struct isa_kind isa_kind_texture, isa_kind_lod, isa_kind_compare, isa_kind_coords, isa_kind_sample,
    isa_kind_varying;
extern const struct isa_kind isa_kind_number, isa_kind_branch, isa_kind_name, isa_kind_cond, isa_kind_flag,
    isa_kind_word, isa_kind_shift, isa_kind_mask, isa_kind_extra;

/* ---- Bits ---- */

static inline uint32_t isa_bits(const struct isa_code *code, struct isa_piece piece)
{
   uint64_t word = piece.at < 64 ? code->low >> piece.at : code->high >> (piece.at - 64);
   return (uint32_t)(word & ((UINT64_C(1) << piece.width) - 1));
}

static inline void isa_put(struct isa_code *code, struct isa_piece piece, uint32_t value)
{
   uint64_t bits = value & ((UINT64_C(1) << piece.width) - 1);
   if (piece.at < 64) {
      code->low |= bits << piece.at;
   } else {
      code->high |= (uint32_t)(bits << (piece.at - 64));
   }
}

/* The field's number, its pieces put together. */
uint32_t isa_value(const struct isa_field *field, const struct isa_code *code);
void isa_put_value(const struct isa_field *field, struct isa_code *code, uint32_t value);
/* How many bits the number has. */
unsigned isa_value_width(const struct isa_field *field);
/* All bits that the row's fields (and its length bit) can set, in the form of `length` bytes. */
struct isa_code isa_covered(const struct isa_set *set, const struct isa_opcode *row, unsigned length);
/* Whether the short form holds these bits. */
bool isa_fits_short(const struct isa_opcode *row, const struct isa_code *code);
/* The form that the encoder picks for these bits when the caller does not name one. */
unsigned isa_usual_length(const struct isa_opcode *row, const struct isa_code *code);
/* The instruction's bits without any choice of form: insn->length is not read. NULL, or what is legal for
 * *field. */
const char *isa_encode_bits(const struct isa_insn *insn, struct isa_code *code, const struct isa_field **field);

static inline struct isa_operand *isa_operand_at(struct isa_insn *insn, unsigned target)
{
   return target == ISA_DST ? &insn->dst : &insn->src[target - ISA_SRC0];
}

static inline const struct isa_operand *isa_operand_in(const struct isa_insn *insn, unsigned target)
{
   return target == ISA_DST ? &insn->dst : &insn->src[target - ISA_SRC0];
}

/* Whether a register or uniform operand lies within its file and on the boundary that its text can name. */
bool isa_operand_fits(const struct isa_operand *operand);
/* Fills in the operand. Returns whether it fits into its file. */
bool isa_operand_set(struct isa_operand *operand, enum isa_operand_kind kind, unsigned size, unsigned count,
                     uint32_t value);
bool isa_operand_is_reg(const struct isa_operand *operand, unsigned size, unsigned count);
/* Without modifiers and hints. */
bool isa_operand_is_plain(const struct isa_operand *operand);

/* Whether the field has text in this syntax. */
static inline bool isa_has_text(const struct isa_field *field, enum isa_syntax syntax)
{
   return !(field->rule & (syntax == ISA_SYNTAX_MESA ? ISA_RULE_APPLEGPU : ISA_RULE_MESA));
}

/* isa_decode() without the rows that are shorthands. */
void isa_decode_plain(const struct isa_set *set, const uint8_t *code, size_t size, struct isa_insn *insn);

/* ---- Text ---- */

/* isa_print() with a label for the target of a branch (NULL: none). */
int isa_print_to_label(const struct isa_insn *insn, enum isa_syntax syntax, const char *label, char *text, size_t size);
/* The ".byte" line of some bytes. */
int isa_print_bytes(const uint8_t *bytes, size_t count, char *text, size_t size);

/* The value of a digit in any base up to 16; UINT_MAX: it is none. */
unsigned isa_digit(char c);

void isa_write(struct isa_writer *out, const char *text);
void isa_write_char(struct isa_writer *out, char c);
void isa_write_unsigned(struct isa_writer *out, uint32_t number);
void isa_write_signed(struct isa_writer *out, int32_t number);
void isa_write_hex(struct isa_writer *out, uint32_t number);
/* The text between the mnemonic and the first operand, or between two operands. */
void isa_write_separator(struct isa_writer *out);
void isa_write_operand(struct isa_writer *out, const struct isa_operand *operand);
/* Separator and the field's operand: the `print` of most kinds. */
void isa_print_operand(const struct isa_field *field, const struct isa_insn *insn, struct isa_writer *out);
void isa_write_name(struct isa_writer *out, const struct isa_names *names, uint32_t value);

#endif
