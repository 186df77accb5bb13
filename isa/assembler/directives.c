/* SPDX-License-Identifier: MIT
 *
 * The assembler's directives: one table. docs/agx-assembly.5.scd explains each, in the same order.
 */
#include "isa/assembler/assembly.h"

#include <stdio.h>
#include <string.h>

#include "util/array.h"

bool isa_read_comma(struct isa_parser *parser)
{
   return isa_accept(parser, ',') || isa_expected(parser, "','");
}

bool isa_read_choice(struct isa_parser *parser, const char *const *words, size_t count, const char *legal,
                     uint32_t *choice)
{
   isa_skip_space(parser);
   struct isa_word word = isa_next_word(parser);
   for (size_t i = 0; i < count && word.length != 0; i++) {
      if (isa_word_is(word, words[i])) {
         parser->at += word.length;
         *choice = (uint32_t)i;
         return true;
      }
   }
   return isa_expected(parser, legal);
}

/* ---- Where bytes go ---- */

static bool read_place(struct isa_assembly *assembly, struct isa_parser *parser, const struct isa_directive *directive,
                       const char *start)
{
   (void)parser, (void)start;
   assembly->in_constants = directive->low != 0;
   return true;
}

static bool read_section(struct isa_assembly *assembly, struct isa_parser *parser,
                         const struct isa_directive *directive, const char *start)
{
   (void)parser;
   assembly->in_constants = false;
   isa_begin_section(assembly, (enum isa_section)directive->low, isa_place_of(assembly, start));
   return true;
}

static bool read_end(struct isa_assembly *assembly, struct isa_parser *parser, const struct isa_directive *directive,
                     const char *start)
{
   static const char *const words[] = {[ISA_SECTION_MAIN] = "main", [ISA_SECTION_PREAMBLE] = "preamble"};
   uint32_t choice = 0;
   (void)directive;

   if (!isa_read_choice(parser, words, 2, "what ends: main or preamble", &choice)) {
      return false;
   }
   struct isa_section_marks *marks = &assembly->sections[choice];
   if (!marks->begun || marks->ended) {
      return isa_wrong(parser, start, "no .%s is open here", words[choice]);
   }
   marks->ended = true;
   marks->end = (uint32_t)assembly->code.size;
   if (assembly->section == (enum isa_section)choice) {
      assembly->section = ISA_SECTION_NONE;
   }
   isa_hazards_reset(&assembly->hazards);
   return true;
}

/* ---- Data ---- */

static bool append_to_program(void *data, const void *bytes, size_t size)
{
   return isa_append(data, bytes, size);
}

static bool read_data(struct isa_assembly *assembly, struct isa_parser *parser, const struct isa_directive *directive,
                      const char *start)
{
   (void)start;
   isa_hazards_reset(&assembly->hazards); /* whatever the bytes do */
   struct isa_word name = {directive->name, strlen(directive->name)};
   return isa_read_data(parser, name, append_to_program, assembly) || parser->wrong_at == NULL;
}

/* ---- Constants and repetition ---- */

static bool read_new_name(struct isa_parser *parser, struct isa_word *name)
{
   isa_skip_space(parser);
   *name = isa_next_word(parser);
   if (name->length == 0 || !isa_is_letter(*name->text) || isa_word_is(*name, "_")) {
      return isa_expected(parser, "a name: letters, digits and _");
   }
   parser->at += name->length;
   return true;
}

static bool same_number(const struct isa_number *a, const struct isa_number *b)
{
   return a->is_float == b->is_float && (a->is_float ? a->real == b->real : a->integer == b->integer);
}

static bool read_equ(struct isa_assembly *assembly, struct isa_parser *parser, const struct isa_directive *directive,
                     const char *start)
{
   struct isa_number value = {0};
   struct isa_word name;
   (void)directive, (void)start;

   if (!read_new_name(parser, &name) || !isa_read_comma(parser) || !isa_read_number(parser, &value)) {
      return false;
   }
   const struct isa_symbol *known = isa_symbols_find(&assembly->symbols, name);
   if (known != NULL && (known->kind == ISA_SYMBOL_DEFINE ||
                         (known->kind == ISA_SYMBOL_CONSTANT && same_number(&known->value, &value)))) {
      return true; /* a value from outside wins */
   }
   struct isa_symbol *symbol = isa_define(assembly, parser, name);
   if (symbol == NULL) {
      return assembly->out_of_memory;
   }
   symbol->kind = ISA_SYMBOL_CONSTANT;
   symbol->value = value;
   return true;
}

static void skip_repeat(struct isa_assembly *assembly, const char *start)
{
   assembly->skipped_repeats = 1;
   assembly->skipped_place = isa_place_of(assembly, start);
}

/* .rept COUNT[, NAME]: NAME counts from 0. A faulty .rept is skipped up to its .endr. */
static bool read_rept(struct isa_assembly *assembly, struct isa_parser *parser, const struct isa_directive *directive,
                      const char *start)
{
   struct isa_symbols *symbols = &assembly->symbols;
   struct isa_word name = {0};
   struct isa_number ignored;
   int64_t count;
   (void)directive;

   if (!isa_read_integer(parser, 0, UINT32_MAX, &count) || (isa_accept(parser, ',') && !read_new_name(parser, &name))) {
      skip_repeat(assembly, start);
      return false;
   }
   if (name.length != 0 && (isa_symbols_find(symbols, name) != NULL || isa_symbols_constant(symbols, name, &ignored))) {
      skip_repeat(assembly, start);
      return isa_wrong(parser, name.text, "'%.*s' is already defined", (int)name.length, name.text);
   }
   if (count == 0) {
      skip_repeat(assembly, start);
      return true;
   }
   if (symbols->repeat_depth == ISA_REPEAT_DEPTH_MAX) {
      skip_repeat(assembly, start);
      return isa_wrong(parser, start, ".rept nested more than %d deep", ISA_REPEAT_DEPTH_MAX);
   }
   assembly->repeats[symbols->repeat_depth] = (struct isa_repeat){
       .body = assembly->next, .body_line = assembly->line, .place = isa_place_of(assembly, start), .count = count};
   symbols->repeats[symbols->repeat_depth++] = (struct isa_repeat_constant){.name = name};
   return true;
}

static bool read_endr(struct isa_assembly *assembly, struct isa_parser *parser, const struct isa_directive *directive,
                      const char *start)
{
   struct isa_symbols *symbols = &assembly->symbols;
   (void)directive;
   if (symbols->repeat_depth == 0) {
      return isa_wrong(parser, start, ".endr without .rept");
   }
   if (!isa_at_end(parser)) {
      return isa_expected(parser, "the end of the line");
   }
   struct isa_repeat *repeat = &assembly->repeats[symbols->repeat_depth - 1];
   if (++repeat->index == repeat->count) {
      symbols->repeat_depth--;
      return true;
   }
   symbols->repeats[symbols->repeat_depth - 1].value = repeat->index;
   assembly->next = repeat->body;
   assembly->line = repeat->body_line;
   return true;
}

void isa_skip_repeat(struct isa_assembly *assembly, struct isa_parser *parser)
{
   if (!isa_accept(parser, '.')) {
      return;
   }
   struct isa_word name = isa_next_word(parser);
   if (name.length != 0 && isa_word_is(name, "rept")) {
      assembly->skipped_repeats++;
   } else if (name.length != 0 && isa_word_is(name, "endr")) {
      assembly->skipped_repeats--;
   }
}

/* ---- The table ---- */

#define MEMBER(member) .offset = offsetof(struct agx_program, member), .size = sizeof(((struct agx_program *)0)->member)
#define NUMBER(text, field, least, most)                                                                               \
   {                                                                                                                   \
      .name = (text), .read = isa_read_field, .once = true, MEMBER(field), .low = (least), .high = (most)              \
   }
#define DATA(text, bytes)                                                                                              \
   {                                                                                                                   \
      .name = (text), .read = read_data, .size = (bytes)                                                               \
   }

static const struct isa_directive directives[] = {
    {.name = "kernel", .read = isa_read_kernel, .once = true},
    {.name = "workgroup", .read = isa_read_workgroup, .once = true, .low = 1, .high = 1024},
    NUMBER("registers", half_registers, 1, 256),
    NUMBER("preamble_registers", preamble_half_registers, 1, 256),
    NUMBER("uniforms", uniform_halves, 0, AGX_UNIFORM_HALVES),
    {.name = "uniform", .read = isa_read_uniform},
    {.name = "argument", .read = isa_read_argument},
    NUMBER("argument_bytes", argument_bytes, 0, UINT32_MAX),
    {.name = "threadgroup", .read = isa_read_threadgroup, .once = true, MEMBER(threadgroup_bytes), .high = 65536},
    NUMBER("scratch", scratch_bytes, 0, UINT32_MAX),
    NUMBER("preamble_scratch", preamble_scratch_bytes, 0, UINT32_MAX),
    NUMBER("atomics", uses_atomics, 0, 1),
    {.name = "constants", .read = read_place, .low = 1},
    {.name = "code", .read = read_place, .low = 0},
    {.name = "main", .read = read_section, .low = ISA_SECTION_MAIN},
    {.name = "preamble", .read = read_section, .low = ISA_SECTION_PREAMBLE},
    {.name = "end", .read = read_end},
    DATA("byte", 1),
    DATA("half", 2),
    DATA("word", 4),
    DATA("quad", 8),
    {.name = "equ", .read = read_equ},
    {.name = "rept", .read = read_rept},
    {.name = "endr", .read = read_endr},
};
#define DIRECTIVES ARRAY_COUNT(directives)
_Static_assert(DIRECTIVES <= ISA_DIRECTIVES_MAX, "struct isa_assembly has room for each");

static const struct isa_directive *find_directive(struct isa_word name)
{
   for (size_t i = 0; i < DIRECTIVES && name.length != 0; i++) {
      if (directives[i].name[0] == name.text[0] && isa_word_is(name, directives[i].name)) {
         return &directives[i];
      }
   }
   return NULL;
}

bool isa_is_data(struct isa_word name)
{
   const struct isa_directive *directive = find_directive(name);
   return directive != NULL && directive->read == read_data;
}

bool isa_read_data(struct isa_parser *parser, struct isa_word name,
                   bool (*append)(void *data, const void *bytes, size_t size), void *data)
{
   unsigned size = find_directive(name)->size;
   do {
      uint8_t bytes[8];
      uint64_t value;
      if (!isa_read_bits(parser, 8 * size, &value)) {
         return false;
      }
      for (unsigned i = 0; i < size; i++) {
         bytes[i] = (uint8_t)(value >> (8 * i));
      }
      if (!append(data, bytes, size)) {
         return false;
      }
   } while (isa_accept(parser, ','));
   return true;
}

struct isa_place isa_directive_place(const struct isa_assembly *assembly, const char *name)
{
   return assembly->given[find_directive((struct isa_word){name, strlen(name)}) - directives];
}

static bool unknown_directive(struct isa_parser *parser)
{
   char legal[280] = "a directive:";
   for (size_t i = 0; i < DIRECTIVES; i++) {
      size_t length = strlen(legal);
      snprintf(legal + length, sizeof(legal) - length, "%s .%s", i == 0 ? "" : ",", directives[i].name);
   }
   return isa_expected(parser, legal);
}

bool isa_read_directive(struct isa_assembly *assembly, struct isa_parser *parser)
{
   const char *start = parser->at++;
   struct isa_word name = isa_next_word(parser);
   const struct isa_directive *directive = find_directive(name);

   if (directive == NULL) {
      parser->at = start;
      return unknown_directive(parser);
   }
   parser->at += name.length;
   struct isa_place *given = &assembly->given[directive - directives];
   if (directive->once && given->line != 0) {
      return isa_wrong(parser, start, ".%s is already given in line %u", directive->name, given->line);
   }
   *given = isa_place_of(assembly, start);
   return directive->read(assembly, parser, directive, start);
}
