/* SPDX-License-Identifier: MIT
 *
 * Reading assembly text: the parser's state, its lexer, constant expressions, symbols, and one parse function for
 * each kind of field of the instruction table. For the assembler's own files.
 */
#ifndef ISA_PARSE_H
#define ISA_PARSE_H

#include "isa/assembler/asm.h"
#include "util/hash.h"
#include "isa/table.h"

/* ---- Symbols ---- */

struct isa_word { /* a piece of the text; no NUL at its end */
   const char *text;
   size_t length;
};

enum isa_symbol_kind { ISA_SYMBOL_CONSTANT, ISA_SYMBOL_DEFINE /* a constant given from outside */, ISA_SYMBOL_LABEL };

struct isa_number {
   bool is_float;
   int64_t integer; /* when !is_float; literals up to 2^64-1 are kept as their bits */
   double real;     /* when is_float */
};

struct isa_symbol {
   struct isa_word name;
   enum isa_symbol_kind kind;
   unsigned line; /* where it was defined */
   struct isa_number value;
   uint32_t offset; /* of a label: bytes into the code */
};

/* Constants and labels, by name. A .rept's own constants are found before them. */
#define ISA_REPEAT_DEPTH_MAX 16
struct isa_repeat_constant {
   struct isa_word name; /* length 0: this .rept has none */
   int64_t value;
};
struct isa_symbols {
   struct isa_symbol *symbols; /* in the order in which they were defined */
   uint32_t count, capacity;
   struct util_hash by_name;
   struct isa_repeat_constant repeats[ISA_REPEAT_DEPTH_MAX];
   unsigned repeat_depth;
};
void isa_symbols_finish(struct isa_symbols *symbols);
struct isa_symbol *isa_symbols_find(const struct isa_symbols *symbols, struct isa_word name);
/* The name must not be there yet. The pointer holds until the next addition. NULL: out of memory. */
struct isa_symbol *isa_symbols_add(struct isa_symbols *symbols, struct isa_word name);
/* A constant's value, .rept's own included; false: there is none of that name. */
bool isa_symbols_constant(const struct isa_symbols *symbols, struct isa_word name, struct isa_number *value);

bool isa_word_is(struct isa_word word, const char *text);

/* ---- The parser: one line ---- */

struct isa_parser {
   const char *at, *end; /* the line's rest; a comment ends it too */
   const struct isa_symbols *symbols;
   const char *wrong_at; /* the position of the first error */
   enum isa_syntax syntax;
   bool any_order; /* words after the operands may come in any order */
   char *message;  /* what is wrong, in words; NULL: only the place is wanted */
   size_t message_size;
   unsigned depth; /* of a constant expression */
   /* The parts of an instruction's text that are not numbers. */
   struct isa_word label;               /* its branch target; length 0: none */
   const char *target_at[ISA_SRC5 + 1]; /* the position of an operand's text */
   /* How far a row came: the field that it stopped at (NULL: it read the whole line), and whether that field's text is
    * something else altogether, so that the message lists what is legal. */
   const struct isa_field *stopped_at;
   bool unexpected;
};

/* Records a fault at `at`, unless there is one already. Always returns false. */
__attribute__((format(printf, 3, 4))) bool isa_wrong(struct isa_parser *parser, const char *at, const char *format,
                                                     ...);
/* "expected X, found 'token'" at the cursor. */
bool isa_expected(struct isa_parser *parser, const char *what);

/* ---- Lexer ---- */

static inline char isa_peek(const struct isa_parser *parser)
{
   return parser->at < parser->end ? *parser->at : '\0';
}

void isa_skip_space(struct isa_parser *parser);
/* Skips space. Returns whether the line, or its part before a comment, ends there. */
bool isa_at_end(struct isa_parser *parser);
/* Skips space and the character c. False: the next character is not c. */
bool isa_accept(struct isa_parser *parser, char c);
bool isa_is_letter(char c); /* may start a name: letters and _ */
bool isa_is_name(char c);   /* may continue a name: letters, digits and _ */
/* The letters, digits and _ at the cursor; length 0: none. The cursor stays. */
struct isa_word isa_next_word(const struct isa_parser *parser);
bool isa_accept_word(struct isa_parser *parser, const char *text);
/* One character, or its escape sequence; -1: there is none. */
int isa_read_character(struct isa_parser *parser);
/* Reads "text" with C's escapes (\n \t \\ \" \0 \xNN) into text[size]. False: it is too long. */
bool isa_read_string(struct isa_parser *parser, char *text, size_t size);

/* Whether a register or a list of them begins at the cursor: r0, u3l, dr4, $r1, r[i+1], r0_r1. */
bool isa_at_register(const struct isa_parser *parser);
/* Reads it: kind, size, count, value, cache, discard. */
bool isa_read_registers(struct isa_parser *parser, struct isa_operand *operand);

/* Whether a constant expression can start at the cursor. An unknown name is none. */
bool isa_at_number(const struct isa_parser *parser);
bool isa_read_number(struct isa_parser *parser, struct isa_number *number);
/* An integer within low..high. */
bool isa_read_integer(struct isa_parser *parser, int64_t low, int64_t high, int64_t *integer);
/* A number as `bits` bits (8, 16, 32, 64): an integer, signed or not, or the binary16/32/64 of a float. */
bool isa_read_bits(struct isa_parser *parser, unsigned bits, uint64_t *value);

/* The minifloat of exactly this value (spec/isa.md 3.1), or -1. */
int isa_minifloat_bits(double value);

/* ---- Instructions ---- */

enum isa_parsed {
   ISA_PARSED,   /* the cursor is behind the field's text */
   ISA_NOT_HERE, /* the field's optional text is missing, and its value is the default */
   ISA_FAULT,    /* isa_wrong() was called */
};
typedef enum isa_parsed isa_parse_field(const struct isa_field *field, struct isa_parser *parser,
                                        struct isa_insn *insn);

isa_parse_field isa_parse_dst, isa_parse_src, isa_parse_src16, isa_parse_select, isa_parse_fixed;
isa_parse_field isa_parse_registers, isa_parse_reg_or_imm, isa_parse_result, isa_parse_index, isa_parse_local_base,
    isa_parse_local_index, isa_parse_imm, isa_parse_halves, isa_parse_file;
/* "ts3", "ss0", "cf5": the files that an operand kind of their own names. */
bool isa_at_file(const struct isa_parser *parser, enum isa_operand_kind kind);
bool isa_read_file(struct isa_parser *parser, enum isa_operand_kind kind, struct isa_operand *operand);
isa_parse_field isa_parse_texture, isa_parse_lod, isa_parse_compare, isa_parse_coords, isa_parse_sample;
isa_parse_field isa_parse_field_number, isa_parse_branch, isa_parse_name, isa_parse_cond, isa_parse_flag,
    isa_parse_word, isa_parse_shift, isa_parse_mask, isa_parse_extra;

/* Reports what the field takes and what the cursor points at, by isa_wrong(). Returns ISA_FAULT. */
enum isa_parsed isa_unexpected(const struct isa_field *field, struct isa_parser *parser);

/* Registers with their modifiers, or where the field's rule says so a number. */
struct isa_modifiers {
   bool abs, neg, sx, zx, wide, odd;
};
bool isa_read_modifiers(struct isa_parser *parser, struct isa_modifiers *modifiers);

/* The index of a word in `names`, its number after the prefix included; -1: not there. */
int isa_names_find(const struct isa_names *names, struct isa_word word);

/* All mnemonics, with the rows of each in the table's order. */
struct isa_mnemonics;
struct isa_mnemonics *isa_mnemonics_create(const struct isa_set *set, enum isa_syntax syntax); /* NULL: out of memory */
void isa_mnemonics_destroy(struct isa_mnemonics *mnemonics);

/* Reads the instruction at the cursor to the end of the line, and encodes it into insn->bytes and insn->length.
 * False: isa_wrong() was called. */
bool isa_parse_insn(const struct isa_mnemonics *mnemonics, bool long_forms, struct isa_parser *parser,
                    struct isa_insn *insn);

#endif
