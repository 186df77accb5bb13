/* SPDX-License-Identifier: MIT
 *
 * One instruction's text to its bytes: the rows that the mnemonic names are tried in the table's order, each by
 * walking its fields. When none fits, the row that came furthest says what is wrong.
 */
#include "isa/assembler/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* ---- The kinds of fields ---- */

/* clang-format off */
#define PARSERS(X)                                                                                                     \
   X(DST, dst) X(SRC, src) X(SRC16, src16) X(SELECT, select) X(FIXED, fixed)                                           \
   X(REG, registers) X(REG_OR_IMM, reg_or_imm) X(ATOMIC_DATA, registers) X(RESULT, result) X(VECTOR, registers) X(BASE, registers)               \
   X(INDEX, index) X(OFFSET, reg_or_imm) X(LOCAL_BASE, local_base) X(LOCAL_INDEX, local_index) X(IMM, imm)             \
   X(UNIFORMS, halves) X(UNIFORM_DATA, halves) X(TUPLE, registers) X(FILE, file)                                       \
   X(TEXTURE, texture) X(LOD, lod) X(COMPARE, compare) X(COORDS, lod) X(SAMPLE, sample) X(VARYING, registers)          \
   X(NUMBER, field_number) X(BRANCH, branch) X(NAME, name) X(COND, cond) X(FLAG, flag) X(WORD, word) X(SHIFT, shift)   \
   X(MASK, mask) X(EXTRA, extra)
/* clang-format on */
#define ENTRY(kind, function) [ISA_FIELD_##kind] = isa_parse_##function,
#define ONE(kind, function) +1
static isa_parse_field *const parsers[ISA_FIELD_KINDS] = {PARSERS(ENTRY)};
_Static_assert(0 PARSERS(ONE) == ISA_FIELD_KINDS - ISA_FIELD_END - 1, "each kind of field has its parse function");

/* ---- What a field takes, in words ---- */

static void list_words(const struct isa_names *names, char *text, size_t size)
{
   size_t length = 0;
   for (unsigned i = 0; i < names->count; i++) {
      if (names->words[i] == NULL) {
         continue;
      }
      if (length + strlen(names->words[i]) + 8 > size) {
         snprintf(text + length, size - length, ", ...");
         return;
      }
      length += (size_t)snprintf(text + length, size - length, "%s%s", length == 0 ? "" : ", ", names->words[i]);
   }
   if (length == 0) {
      snprintf(text, size, "%s0 and up", names->prefix);
   }
}

/* The kind's own message: the one with which it refuses an impossible operand. */
static const char *legal_operand(const struct isa_field *field)
{
   struct isa_insn insn = {.row = NULL};
   struct isa_code code = {0, 0};
   for (unsigned target = ISA_DST; target <= ISA_SRC5; target++) {
      isa_operand_at(&insn, target)->kind = UINT8_MAX;
      isa_operand_at(&insn, target)->value = -1;
   }
   const char *legal = isa_kinds[field->kind]->encode(field, &insn, &code);
   return legal != NULL ? legal : isa_kinds[field->kind]->name;
}

static void describe(const struct isa_field *field, char *text, size_t size)
{
   long long limit = 1ll << isa_value_width(field);
   size_t length;

   switch (field->kind) {
   case ISA_FIELD_NAME:
   case ISA_FIELD_COND:
      length = (size_t)snprintf(text, size, "%s", field->kind == ISA_FIELD_COND ? "a condition: " : "one of ");
      list_words(field->names, text + length, size - length);
      break;
   case ISA_FIELD_FLAG:
   case ISA_FIELD_WORD:
      snprintf(text, size, "'%s'", field->word);
      break;
   case ISA_FIELD_NUMBER:
   case ISA_FIELD_SHIFT:
   case ISA_FIELD_EXTRA:
      snprintf(text, size, "a number, 0..%lld", limit - 1);
      break;
   case ISA_FIELD_BRANCH:
      snprintf(text, size, "a label, or a distance in bytes, %lld..%lld", -limit / 2, limit / 2 - 1);
      break;
   case ISA_FIELD_MASK:
      snprintf(text, size, "a mask: letters of xyzw in that order, or _ for none");
      break;
   case ISA_FIELD_IMM:
      snprintf(text, size, "a number of %u bits", isa_value_width(field));
      break;
   default:
      snprintf(text, size, "%s", legal_operand(field));
      break;
   }
}

enum isa_parsed isa_unexpected(const struct isa_field *field, struct isa_parser *parser)
{
   (void)field;
   parser->unexpected = parser->wrong_at == NULL;
   isa_wrong(parser, parser->at, "%s", ""); /* explain() has the words */
   return ISA_FAULT;
}

/* ---- Mnemonics ---- */

struct mnemonic {
   struct isa_word name;
   const struct isa_opcode **rows; /* NULL after the last */
};

struct isa_mnemonics {
   const struct isa_set *set;
   enum isa_syntax syntax;
   struct util_hash by_name;
   struct mnemonic *names;
   const struct isa_opcode **rows; /* the buffer that the names point into */
   uint32_t count;
};

static struct mnemonic *find_mnemonic(const struct isa_mnemonics *mnemonics, struct isa_word name)
{
   uint32_t entry, hash = util_hash_bytes(name.text, name.length);
   for (struct util_hash_probe probe = util_hash_find(&mnemonics->by_name, hash); util_hash_next(&probe, &entry);) {
      const struct isa_word *other = &mnemonics->names[entry].name;
      if (other->length == name.length && memcmp(other->text, name.text, name.length) == 0) {
         return &mnemonics->names[entry];
      }
   }
   return NULL;
}

static bool add_mnemonic(struct isa_mnemonics *mnemonics, struct isa_word name, const struct isa_opcode **rows)
{
   mnemonics->names[mnemonics->count] = (struct mnemonic){name, rows};
   return util_hash_add(&mnemonics->by_name, util_hash_bytes(name.text, name.length), mnemonics->count++);
}

static const char *name_of(const struct isa_opcode *row, enum isa_syntax syntax)
{
   return syntax == ISA_SYNTAX_APPLEGPU ? row->applegpu : row->name;
}

static bool is_left_out(const struct isa_opcode *row, enum isa_syntax syntax)
{
   return syntax == ISA_SYNTAX_APPLEGPU && (row->flags & ISA_FLAG_SHORTHAND);
}

struct isa_mnemonics *isa_mnemonics_create(const struct isa_set *set, enum isa_syntax syntax)
{
   struct isa_mnemonics *mnemonics = calloc(1, sizeof(*mnemonics));
   size_t count = 0, used = 0;
   for (const struct isa_opcode *row = isa_next_row(set, NULL); row != NULL; row = isa_next_row(set, row)) {
      count++;
   }
   if (mnemonics == NULL || (mnemonics->names = calloc(count, sizeof(*mnemonics->names))) == NULL ||
       (mnemonics->rows = calloc(2 * count, sizeof(*mnemonics->rows))) == NULL) {
      isa_mnemonics_destroy(mnemonics);
      return NULL;
   }
   mnemonics->set = set;
   mnemonics->syntax = syntax;
   for (const struct isa_opcode *row = isa_next_row(set, NULL); row != NULL; row = isa_next_row(set, row)) {
      const char *text = name_of(row, syntax);
      struct isa_word name = {text, strlen(text)};
      if (is_left_out(row, syntax) || find_mnemonic(mnemonics, name) != NULL) {
         continue; /* an earlier row has added the name and all rows of it */
      }
      if (!add_mnemonic(mnemonics, name, &mnemonics->rows[used])) {
         isa_mnemonics_destroy(mnemonics);
         return NULL;
      }
      for (const struct isa_opcode *other = row; other != NULL; other = isa_next_row(set, other)) {
         if (!is_left_out(other, syntax) && isa_word_is(name, name_of(other, syntax))) {
            mnemonics->rows[used++] = other;
         }
      }
      used++; /* the NULL that calloc left */
   }
   return mnemonics;
}

void isa_mnemonics_destroy(struct isa_mnemonics *mnemonics)
{
   if (mnemonics != NULL) {
      util_hash_finish(&mnemonics->by_name);
      free(mnemonics->names);
      free(mnemonics->rows);
      free(mnemonics);
   }
}

/* ---- One row ---- */

/* Parses the field at the cursor. A field without text in this syntax takes its value from the row's own bits. */
static enum isa_parsed parse_field(const struct isa_opcode *row, const struct isa_field *field,
                                   struct isa_parser *parser, struct isa_insn *insn)
{
   if (!isa_has_text(field, parser->syntax)) {
      struct isa_code own = {row->match, 0};
      isa_kinds[field->kind]->decode(field, &own, insn);
      return ISA_NOT_HERE;
   }
   return parsers[field->kind](field, parser, insn);
}

static bool is_word_field(const struct isa_field *field)
{
   return field->kind > ISA_FIELD_BRANCH; /* they follow the operands and are told apart by their words */
}

#define FIELDS_MAX 32 /* of a row */

/* The word at the cursor belongs to a field that has not been read: reads it as that. */
static bool parse_early(const struct isa_opcode *row, const struct isa_field *current, uint32_t *read,
                        struct isa_parser *parser, struct isa_insn *insn)
{
   for (const struct isa_field *field = row->fields; field->kind != ISA_FIELD_END; field++) {
      uint32_t bit = 1u << (field - row->fields);
      if (field == current || !is_word_field(field) || (*read & bit) != 0 || !isa_has_text(field, parser->syntax)) {
         continue;
      }
      struct isa_parser attempt = *parser;
      struct isa_insn changed = *insn;
      attempt.message = NULL;
      if (parsers[field->kind](field, &attempt, &changed) == ISA_PARSED) {
         parser->at = attempt.at;
         *insn = changed;
         *read |= bit;
         return true;
      }
   }
   return false;
}

/* After an operand: its comma, if another one follows. */
static bool read_comma(struct isa_parser *parser, bool *more)
{
   *more = isa_accept(parser, ',');
   if (!*more && !isa_at_end(parser)) {
      return isa_expected(parser, "',' or the end of the line");
   }
   isa_skip_space(parser);
   return true;
}

/* parse_fields() for a text whose words do not stand in the row's order. */
static bool parse_fields_in_any_order(const struct isa_opcode *row, struct isa_parser *parser, struct isa_insn *insn)
{
   bool more = !isa_at_end(parser);
   uint32_t read = 0;
   for (const struct isa_field *field = row->fields; field->kind != ISA_FIELD_END;) {
      struct isa_parser attempt = *parser;
      if (read >> (field - row->fields) & 1) {
         field++;
         continue;
      }
      parser->stopped_at = field;
      attempt.message = NULL;
      enum isa_parsed parsed = more ? parse_field(row, field, &attempt, insn) : ISA_FAULT;
      if (parsed == ISA_FAULT) {
         if (more && parse_early(row, field, &read, parser, insn)) {
            if (!read_comma(parser, &more)) {
               return false;
            }
            continue;
         }
         parsed = parse_field(row, field, parser, insn);
      } else {
         parser->at = attempt.at;
         parser->label = attempt.label;
      }
      if (parsed == ISA_FAULT) {
         return false;
      }
      if (parsed == ISA_PARSED) {
         read |= 1u << (field - row->fields);
         if (!read_comma(parser, &more)) {
            return false;
         }
      }
      field++;
   }
   while (more && parse_early(row, NULL, &read, parser, insn)) {
      if (!read_comma(parser, &more)) {
         return false;
      }
   }
   parser->stopped_at = NULL;
   return !more || isa_wrong(parser, parser->at, "one operand too many for %s", row->name);
}

static bool parse_fields(const struct isa_opcode *row, struct isa_parser *parser, struct isa_insn *insn)
{
   bool more = !isa_at_end(parser);
   if (parser->any_order) {
      return parse_fields_in_any_order(row, parser, insn);
   }
   for (const struct isa_field *field = row->fields; field->kind != ISA_FIELD_END; field++) {
      const char *start = parser->at;
      parser->stopped_at = field;
      switch (parse_field(row, field, parser, insn)) {
      case ISA_FAULT:
         return false;
      case ISA_NOT_HERE:
         continue;
      case ISA_PARSED:
         break;
      }
      if (field->kind < ISA_FIELD_NUMBER) {
         parser->target_at[field->target] = start;
      }
      if (!read_comma(parser, &more)) {
         return false;
      }
   }
   parser->stopped_at = NULL;
   if (more) {
      return isa_at_end(parser) ? isa_expected(parser, "another operand")
                                : isa_wrong(parser, parser->at, "one operand too many for %s", row->name);
   }
   return true;
}

/* The position of the operand that a field refused. */
static const char *place_of(const struct isa_parser *parser, const struct isa_field *field, const char *mnemonic)
{
   if (field == NULL || field->kind >= ISA_FIELD_NUMBER || parser->target_at[field->target] == NULL) {
      return mnemonic;
   }
   return parser->target_at[field->target];
}

static bool encode(struct isa_parser *parser, const char *mnemonic, struct isa_insn *insn)
{
   const struct isa_field *field = NULL;
   struct isa_code code;
   char why[160];
   int length = isa_encode(insn, insn->bytes, why, sizeof(why));

   if (length > 0) {
      insn->length = (uint8_t)length;
      return true;
   }
   const char *legal = isa_encode_bits(insn, &code, &field);
   if (legal == NULL || field == NULL) {
      return isa_wrong(parser, mnemonic, "%s", why);
   }
   const char *at = place_of(parser, field, mnemonic);
   int shown = 0;
   while (at != mnemonic && at + shown < parser->end && shown < 40 && at[shown] != ',' && at[shown] != ' ' &&
          at[shown] != '\t' && at[shown] != ';' && at[shown] != '#') {
      shown++;
   }
   return isa_wrong(parser, at, "%.*s%sthe %s of %s takes %s", shown, at, shown != 0 ? " does not fit: " : "",
                    isa_kinds[field->kind]->name, insn->row->name, legal);
}

enum form { FORM_USUAL, FORM_SHORT, FORM_LONG };

static bool parse_row(const struct isa_set *set, const struct isa_opcode *row, enum form form, const char *mnemonic,
                      struct isa_parser *parser, struct isa_insn *insn)
{
   memset(insn, 0, sizeof(*insn));
   insn->set = set;
   insn->row = row;
   insn->op = row->op;
   if (row->implies) {
      insn->mod[row->implied_mod] = row->implied;
   }
   if (form != FORM_USUAL && row->long_length == 0) {
      return isa_wrong(parser, mnemonic, "%s has one form only, neither short nor long", row->name);
   }
   insn->length = form == FORM_USUAL ? 0 : form == FORM_SHORT ? row->length : row->long_length;
   return parse_fields(row, parser, insn) && encode(parser, mnemonic, insn);
}

/* ---- The choice among rows ---- */

static bool read_form(struct isa_parser *parser, enum form *form)
{
   const char *start = parser->at;
   *form = FORM_USUAL;
   if (isa_peek(parser) != '.') {
      return true;
   }
   parser->at++;
   if (isa_accept_word(parser, "long")) {
      *form = FORM_LONG;
      return true;
   }
   if (isa_accept_word(parser, "short")) {
      *form = FORM_SHORT;
      return true;
   }
   return isa_wrong(parser, start, "a mnemonic takes .long or .short and nothing else");
}

static enum form form_of(const struct isa_opcode *row, enum form form, bool long_forms)
{
   return form == FORM_USUAL && long_forms && row->long_length != 0 ? FORM_LONG : form;
}

/* Whether the fields before the one that a row stopped at agree with the row's own bits, by which alone some rows
 * differ: the two ldimm do by the size of the destination. */
static bool holds(const struct isa_opcode *row, const struct isa_parser *parser, const struct isa_insn *insn)
{
   struct isa_code code = {0, 0}, all = {0, 0};
   for (const struct isa_field *field = row->fields; field != parser->stopped_at && field->kind != ISA_FIELD_END;
        field++) {
      if (isa_kinds[field->kind]->encode(field, insn, &code) != NULL) {
         continue;
      }
      isa_put_value(field, &all, UINT32_MAX);
      for (size_t i = 0; i < ARRAY_COUNT(field->aux); i++) {
         isa_put(&all, field->aux[i], UINT32_MAX);
      }
   }
   return ((code.low ^ row->match) & row->mask & all.low) == 0;
}

/* How well a text that no row takes fits one of them, the weightiest first. */
struct fit {
   bool holds;
   bool whole; /* the line was read to its end; the operands do not go together */
   const char *at;
};

static int compare_fits(const struct fit *a, const struct fit *b)
{
   return a->holds != b->holds   ? a->holds - b->holds
          : a->whole != b->whole ? a->whole - b->whole
                                 : (a->at > b->at) - (a->at < b->at);
}

/* The choice of a row of the mnemonic for the text. */
struct choice {
   const struct isa_set *set;
   const struct isa_opcode **rows;
   const char *mnemonic;
   enum form form;
   bool long_forms;
   struct isa_parser start; /* behind the mnemonic, without room for a message */
};

static bool try_row(const struct choice *choice, const struct isa_opcode *row, struct isa_parser *attempt,
                    struct isa_insn *insn)
{
   *attempt = choice->start;
   return parse_row(choice->set, row, form_of(row, choice->form, choice->long_forms), choice->mnemonic, attempt, insn);
}

static struct fit fit_of(const struct choice *choice, const struct isa_opcode *row, struct isa_parser *attempt)
{
   struct isa_insn insn;
   try_row(choice, row, attempt, &insn);
   return (struct fit){
       .holds = holds(row, attempt, &insn), .whole = attempt->stopped_at == NULL, .at = attempt->wrong_at};
}

/* Appends the words that the field accepts to text, unless they are there already. */
static void add_legal(const struct isa_field *field, char *text, size_t size)
{
   char what[192];
   size_t length = strlen(text);
   describe(field, what, sizeof(what));
   if (strstr(text, what) == NULL) {
      snprintf(text + length, size - length, "%s%s", length == 0 ? "" : "; or ", what);
   }
}

/* Reports why no row accepts the text, by the rows that fit it best. */
static bool explain(const struct choice *choice, struct isa_parser *parser)
{
   const struct isa_opcode *best = NULL;
   struct isa_parser attempt;
   struct isa_insn insn;
   struct fit best_fit = {0};
   char legal[200] = "";

   for (const struct isa_opcode **row = choice->rows; *row != NULL; row++) {
      struct fit fit = fit_of(choice, *row, &attempt);
      if (best == NULL || compare_fits(&fit, &best_fit) > 0) {
         best = *row;
         best_fit = fit;
      }
   }
   for (const struct isa_opcode **row = choice->rows; *row != NULL; row++) {
      struct fit fit = fit_of(choice, *row, &attempt);
      if (compare_fits(&fit, &best_fit) == 0 && attempt.unexpected) {
         add_legal(attempt.stopped_at, legal, sizeof(legal));
      }
   }
   if (legal[0] != '\0') {
      parser->at = best_fit.at;
      return isa_expected(parser, legal);
   }
   struct choice reporting = *choice;
   reporting.start.message = parser->message;
   return try_row(&reporting, best, parser, &insn);
}

bool isa_parse_insn(const struct isa_mnemonics *mnemonics, bool long_forms, struct isa_parser *parser,
                    struct isa_insn *insn)
{
   struct isa_word name = isa_next_word(parser);
   const struct mnemonic *mnemonic = find_mnemonic(mnemonics, name);
   struct isa_parser attempt;

   if (mnemonic == NULL) {
      return isa_expected(parser, "an instruction, a directive or a label");
   }
   struct choice choice = {
       .set = mnemonics->set, .rows = mnemonic->rows, .mnemonic = parser->at, .long_forms = long_forms};
   parser->at += name.length;
   if (!read_form(parser, &choice.form)) {
      return false;
   }
   isa_skip_space(parser);
   parser->syntax = mnemonics->syntax;
   choice.start = *parser;
   choice.start.message = NULL;
   for (unsigned pass = 0; pass < 2; pass++) {
      choice.start.any_order = pass == 1;
      for (const struct isa_opcode **row = choice.rows; *row != NULL; row++) {
         if (try_row(&choice, *row, &attempt, insn)) {
            attempt.message = parser->message;
            *parser = attempt;
            return true;
         }
      }
   }
   choice.start.any_order = false;
   return explain(&choice, parser);
}
