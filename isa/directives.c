/* SPDX-License-Identifier: MIT
 *
 * The assembler's directives: one table. docs/agx-assembly.5.scd explains each, in the same order.
 */
#include "isa/assembly.h"

#include <stdio.h>
#include <string.h>

struct directive {
   const char *name; /* without its dot */
   /* The cursor stands behind the name, `start` on the dot. False: isa_wrong() was called. */
   bool (*read)(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
                const char *start);
   bool once;       /* may stand in a program once only */
   uint16_t offset; /* of the member of struct agx_program that a number goes to */
   uint8_t size;    /* bytes of that member, or of a piece of data */
   uint32_t low, high;
};

/* Uniform ranges, and arguments: more than any program has. */
#define LIST_MAX 4096

static bool comma(struct isa_parser *parser)
{
   return isa_accept(parser, ',') || isa_expected(parser, "','");
}

/* ---- Numbers and names of the program ---- */

static bool read_name(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
                      const char *start)
{
   (void)directive, (void)start;
   isa_skip_space(parser);
   return isa_read_string(parser, assembly->program->name, sizeof(assembly->program->name));
}

static void set_member(struct agx_program *program, const struct directive *directive, uint32_t value)
{
   uint16_t half = (uint16_t)value;
   bool flag = value != 0;
   const void *from = directive->size == 2 ? (const void *)&half : directive->size == 1 ? (const void *)&flag : &value;
   memcpy((char *)program + directive->offset, from, directive->size);
}

static bool read_number(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
                        const char *start)
{
   int64_t value;
   (void)start;
   if (!isa_read_integer(parser, directive->low, directive->high, &value)) {
      return false;
   }
   set_member(assembly->program, directive, (uint32_t)value);
   return true;
}

static bool read_threadgroup(struct isa_assembly *assembly, struct isa_parser *parser,
                             const struct directive *directive, const char *start)
{
   if (!read_number(assembly, parser, directive, start)) {
      return false;
   }
   if (assembly->program->threadgroup_bytes > AGX_THREADGROUP_BYTES) {
      isa_report(assembly, ISA_WARNING, isa_place_of(assembly, start),
                 "%u bytes of threadgroup memory: no threadgroup gets more than %u",
                 assembly->program->threadgroup_bytes, AGX_THREADGROUP_BYTES);
   }
   return true;
}

static bool read_workgroup(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
                           const char *start)
{
   uint32_t *size = assembly->program->workgroup_size;
   (void)start;
   for (unsigned i = 0; i < 3; i++) {
      int64_t value = 1;
      if ((i == 0 || isa_accept(parser, ',')) && !isa_read_integer(parser, directive->low, directive->high, &value)) {
         return false;
      }
      size[i] = (uint32_t)value;
   }
   if ((uint64_t)size[0] * size[1] * size[2] > directive->high) {
      return isa_wrong(parser, start, "a workgroup of %llu threads: at most %u",
                       (unsigned long long)size[0] * size[1] * size[2], directive->high);
   }
   return true;
}

/* ---- Uniforms ---- */

static const char *const uniform_sources[] = {
    [AGX_UNIFORM_ARGUMENTS] = "arguments",
    [AGX_UNIFORM_CONSTANTS] = "constants",
    [AGX_UNIFORM_DISPATCH] = "dispatch",
    [AGX_UNIFORM_ARGUMENTS_ADDRESS] = "arguments_address",
    [AGX_UNIFORM_CONSTANTS_ADDRESS] = "constants_address",
};
#define UNIFORM_SOURCES (sizeof(uniform_sources) / sizeof(uniform_sources[0]))

static const char *const argument_kinds[] = {
    [AGX_ARGUMENT_BUFFER] = "buffer",
    [AGX_ARGUMENT_LOCAL] = "local",
    [AGX_ARGUMENT_VALUE] = "value",
};
#define ARGUMENT_KINDS (sizeof(argument_kinds) / sizeof(argument_kinds[0]))

const char *isa_uniform_source_name(uint32_t source)
{
   return uniform_sources[source];
}

const char *isa_argument_kind_name(uint32_t kind)
{
   return argument_kinds[kind];
}

/* The index of the word at the cursor; `legal` names the words. */
static bool read_choice(struct isa_parser *parser, const char *const *words, size_t count, const char *legal,
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

static bool add_uniform(struct isa_assembly *assembly, struct isa_parser *parser, const struct agx_uniform_range *range,
                        const char *start)
{
   struct agx_program *program = assembly->program;
   size_t capacity = assembly->uniform_capacity;
   if (program->uniform_count == LIST_MAX) {
      return isa_wrong(parser, start, "more than %d uniform ranges", LIST_MAX);
   }
   if (!isa_grow(assembly, &assembly->uniform_places, &capacity, program->uniform_count,
                 sizeof(*assembly->uniform_places)) ||
       !isa_grow(assembly, &program->uniforms, &assembly->uniform_capacity, program->uniform_count, sizeof(*range))) {
      return true;
   }
   assembly->uniform_places[program->uniform_count] = isa_place_of(assembly, start);
   program->uniforms[program->uniform_count++] = *range;
   return true;
}

/* .uniform START, SIZE, SOURCE[, OFFSET] */
static bool read_uniform(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
                         const char *start)
{
   struct agx_uniform_range range = {0};
   int64_t first, size, offset = 0;
   (void)directive;

   if (!isa_read_integer(parser, 0, AGX_UNIFORM_HALVES - 1, &first) || !comma(parser) ||
       !isa_read_integer(parser, 1, AGX_UNIFORM_HALVES - first, &size) || !comma(parser) ||
       !read_choice(parser, uniform_sources, UNIFORM_SOURCES,
                    "where the uniforms come from: arguments, constants, dispatch, arguments_address, "
                    "constants_address",
                    &range.source)) {
      return false;
   }
   if (isa_accept(parser, ',') && !isa_read_integer(parser, 0, UINT32_MAX, &offset)) {
      return false;
   }
   range.start = (uint16_t)first;
   range.size = (uint16_t)size;
   range.offset = (uint32_t)offset;
   return add_uniform(assembly, parser, &range, start);
}

/* ---- Arguments ---- */

static uint32_t end_of_arguments(const struct agx_program *program)
{
   if (program->argument_count == 0) {
      return 0;
   }
   const struct agx_argument *last = &program->arguments[program->argument_count - 1];
   return last->offset + last->size;
}

#define ARGUMENT_BYTES_MAX (1 << 30) /* far past any; an end that fits 32 bits */

/* "type", offset=N, size=N, read_only: in any order, each once. */
static bool read_argument_option(struct isa_parser *parser, struct agx_argument *argument, unsigned *given)
{
   static const char *const words[] = {"offset", "size", "read_only"};
   uint32_t choice = 0;
   int64_t value;

   isa_skip_space(parser);
   const char *start = parser->at;
   if (isa_peek(parser) == '"') {
      choice = 3;
      if (!isa_read_string(parser, argument->type, sizeof(argument->type))) {
         return false;
      }
   } else if (!read_choice(parser, words, 3, "\"type\", offset=, size= or read_only", &choice)) {
      return false;
   }
   if (*given >> choice & 1) {
      return isa_wrong(parser, start, "this is given twice");
   }
   *given |= 1u << choice;
   if (choice >= 2) {
      argument->read_only |= choice == 2;
      return true;
   }
   if (!isa_accept(parser, '=')) {
      return isa_expected(parser, "'='");
   }
   if (!isa_read_integer(parser, choice, ARGUMENT_BYTES_MAX, &value)) {
      return false;
   }
   *(choice == 0 ? &argument->offset : &argument->size) = (uint32_t)value;
   return true;
}

static bool add_argument(struct isa_assembly *assembly, const struct agx_argument *argument, const char *start)
{
   struct agx_program *program = assembly->program;
   size_t capacity = assembly->argument_capacity;
   if (!isa_grow(assembly, &assembly->argument_places, &capacity, program->argument_count,
                 sizeof(*assembly->argument_places)) ||
       !isa_grow(assembly, &program->arguments, &assembly->argument_capacity, program->argument_count,
                 sizeof(*argument))) {
      return true;
   }
   assembly->argument_places[program->argument_count] = isa_place_of(assembly, start);
   program->arguments[program->argument_count++] = *argument;
   return true;
}

/* .argument KIND, "name"[, option]... Without an offset, it follows the one before, aligned to its size. */
static bool read_argument(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
                          const char *start)
{
   struct agx_program *program = assembly->program;
   struct agx_argument argument = {0};
   unsigned given = 0;
   (void)directive;

   if (program->argument_count == LIST_MAX) {
      return isa_wrong(parser, start, "more than %d arguments", LIST_MAX);
   }
   if (!read_choice(parser, argument_kinds, ARGUMENT_KINDS, "a kind of argument: buffer, local, value",
                    &argument.kind) ||
       !comma(parser)) {
      return false;
   }
   isa_skip_space(parser);
   if (!isa_read_string(parser, argument.name, sizeof(argument.name))) {
      return false;
   }
   argument.size = argument.kind == AGX_ARGUMENT_VALUE ? 4 : 8;
   while (isa_accept(parser, ',')) {
      if (!read_argument_option(parser, &argument, &given)) {
         return false;
      }
   }
   if ((given & 1) == 0) {
      uint32_t align = argument.size % 8 == 0 ? 8 : argument.size % 4 == 0 ? 4 : argument.size % 2 == 0 ? 2 : 1;
      argument.offset = (end_of_arguments(program) + align - 1) / align * align;
   }
   return add_argument(assembly, &argument, start);
}

/* ---- Where bytes go ---- */

static bool read_place(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
                       const char *start)
{
   (void)parser, (void)start;
   assembly->in_constants = directive->low != 0;
   return true;
}

static bool read_section(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
                         const char *start)
{
   (void)parser;
   assembly->in_constants = false;
   isa_begin_section(assembly, (enum isa_section)directive->low, isa_place_of(assembly, start));
   return true;
}

static bool read_end(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
                     const char *start)
{
   static const char *const words[] = {[ISA_SECTION_MAIN] = "main", [ISA_SECTION_PREAMBLE] = "preamble"};
   uint32_t choice = 0;
   (void)directive;

   if (!read_choice(parser, words, 2, "what ends: main or preamble", &choice)) {
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

static bool read_data(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
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

static bool read_equ(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
                     const char *start)
{
   struct isa_number value = {0};
   struct isa_word name;
   (void)directive, (void)start;

   if (!read_new_name(parser, &name) || !comma(parser) || !isa_read_number(parser, &value)) {
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

/* .rept COUNT[, NAME]: NAME counts from 0. One that is wrong is skipped, so that its .endr still has its pair. */
static bool read_rept(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
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

static bool read_endr(struct isa_assembly *assembly, struct isa_parser *parser, const struct directive *directive,
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
      .name = (text), .read = read_number, .once = true, MEMBER(field), .low = (least), .high = (most)                 \
   }
#define DATA(text, bytes)                                                                                              \
   {                                                                                                                   \
      .name = (text), .read = read_data, .size = (bytes)                                                               \
   }

static const struct directive directives[] = {
    {.name = "kernel", .read = read_name, .once = true},
    {.name = "workgroup", .read = read_workgroup, .once = true, .low = 1, .high = 1024},
    NUMBER("registers", half_registers, 1, 256),
    NUMBER("preamble_registers", preamble_half_registers, 1, 256),
    NUMBER("uniforms", uniform_halves, 0, AGX_UNIFORM_HALVES),
    {.name = "uniform", .read = read_uniform},
    {.name = "argument", .read = read_argument},
    NUMBER("argument_bytes", argument_bytes, 0, UINT32_MAX),
    {.name = "threadgroup", .read = read_threadgroup, .once = true, MEMBER(threadgroup_bytes), .high = 65536},
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
#define DIRECTIVES (sizeof(directives) / sizeof(directives[0]))
_Static_assert(DIRECTIVES <= ISA_DIRECTIVES_MAX, "struct isa_assembly has room for each");

static const struct directive *find_directive(struct isa_word name)
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
   const struct directive *directive = find_directive(name);
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
   const struct directive *directive = find_directive(name);

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
