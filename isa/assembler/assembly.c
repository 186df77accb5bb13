/* SPDX-License-Identifier: MIT
 *
 * The assembler: reads lines, makes code, and collects what is wrong with them. Repetitions are read again from the
 * text, so that memory is bounded by the text and the code, and time by the limits of struct isa_asm_options.
 */
#include "isa/assembler/assembly.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/* Limits the memory for a text that consists of labels to tens of megabytes. */
#define SYMBOLS_MAX (1u << 18)

struct isa_asm {
   struct isa_asm_options options;
   struct isa_mnemonics *mnemonics;
};

struct isa_asm *isa_asm_create(const struct isa_asm_options *options)
{
   struct isa_asm *assembler = calloc(1, sizeof(*assembler));
   if (assembler == NULL) {
      return NULL;
   }
   if (options != NULL) {
      assembler->options = *options;
   }
   if (assembler->options.set == NULL) {
      assembler->options.set = isa_set_default();
   }
   assembler->mnemonics = isa_mnemonics_create(assembler->options.set, assembler->options.syntax);
   if (assembler->mnemonics == NULL) {
      free(assembler);
      return NULL;
   }
   struct isa_asm_options *set = &assembler->options;
   set->text_max = set->text_max != 0 ? set->text_max : ISA_ASM_TEXT_MAX;
   set->code_max = set->code_max != 0 ? set->code_max : ISA_ASM_CODE_MAX;
   set->repeated_max = set->repeated_max != 0 ? set->repeated_max : ISA_ASM_REPEATED_MAX;
   set->diagnostics_max = set->diagnostics_max != 0 ? set->diagnostics_max : ISA_ASM_DIAGNOSTICS_MAX;
   return assembler;
}

void isa_asm_destroy(struct isa_asm *assembler)
{
   if (assembler != NULL) {
      isa_mnemonics_destroy(assembler->mnemonics);
      free(assembler);
   }
}

void isa_asm_result_finish(struct isa_asm_result *result)
{
   agx_program_destroy(result->program);
   free(result->diagnostics);
   memset(result, 0, sizeof(*result));
}

int isa_diagnostic_print(const struct isa_diagnostic *diagnostic, const char *file, char *text, size_t size)
{
   const char *severity = diagnostic->severity == ISA_ERROR ? "error" : "warning";
   if (diagnostic->line == 0) {
      return snprintf(text, size, "%s: %s: %s", file, severity, diagnostic->message);
   }
   return snprintf(text, size, "%s:%u:%u: %s: %s", file, diagnostic->line, diagnostic->column, severity,
                   diagnostic->message);
}

/* ---- Diagnostics ---- */

struct isa_place isa_place_of(const struct isa_assembly *assembly, const char *at)
{
   return (struct isa_place){assembly->line, (unsigned)(at - assembly->line_start) + 1};
}

/* A repeated line says the same thing each time. */
static bool is_repeated(const struct isa_asm_result *result, const struct isa_diagnostic *diagnostic)
{
   for (size_t i = result->diagnostic_count; i-- > 0;) {
      const struct isa_diagnostic *other = &result->diagnostics[i];
      if (other->line == diagnostic->line && other->column == diagnostic->column &&
          other->severity == diagnostic->severity && strcmp(other->message, diagnostic->message) == 0) {
         return true;
      }
   }
   return false;
}

static bool make_room(struct isa_assembly *assembly, size_t count)
{
   assembly->result->diagnostics = calloc(count, sizeof(struct isa_diagnostic));
   if (assembly->result->diagnostics == NULL) {
      assembly->stopped = assembly->out_of_memory = true;
   }
   return assembly->result->diagnostics != NULL;
}

void isa_report(struct isa_assembly *assembly, enum isa_severity severity, struct isa_place place, const char *format,
                ...)
{
   struct isa_asm_result *result = assembly->result;
   struct isa_diagnostic diagnostic = {.severity = severity, .line = place.line, .column = place.column};
   va_list arguments;

   va_start(arguments, format);
   vsnprintf(diagnostic.message, sizeof(diagnostic.message), format, arguments);
   va_end(arguments);
   if (assembly->symbols.repeat_depth != 0 && is_repeated(result, &diagnostic)) {
      return;
   }
   /* Errors and warnings each have half of the room, so that neither can displace the other. */
   size_t max = assembly->options->diagnostics_max;
   size_t *met = severity == ISA_ERROR ? &result->errors : &result->warnings;
   if (++*met > max || (result->diagnostics == NULL && !make_room(assembly, 2 * max))) {
      return;
   }
   if (severity == ISA_ERROR && *met == max) {
      snprintf(diagnostic.message, sizeof(diagnostic.message), "too many errors; the rest is not read");
      assembly->stopped = true;
   }
   result->diagnostics[result->diagnostic_count++] = diagnostic;
}

/* ---- Arrays ---- */

bool isa_no_memory(struct isa_assembly *assembly)
{
   assembly->stopped = assembly->out_of_memory = true;
   return false;
}

bool isa_append(struct isa_assembly *assembly, const void *bytes, size_t size)
{
   struct isa_bytes *to = assembly->in_constants ? &assembly->constants : &assembly->code;
   if (size > assembly->options->code_max - to->size) {
      isa_report(assembly, ISA_ERROR, isa_place_of(assembly, assembly->line_start),
                 "more than %zu bytes of %s; the rest is not read", assembly->options->code_max,
                 assembly->in_constants ? "constants" : "code");
      assembly->stopped = true;
      return false;
   }
   if (!ARRAY_RESERVE(to->data, to->capacity, to->size + size)) {
      return isa_no_memory(assembly);
   }
   memcpy(to->data + to->size, bytes, size);
   to->size += size;
   return true;
}

/* ---- Statements ---- */

struct isa_symbol *isa_define(struct isa_assembly *assembly, struct isa_parser *parser, struct isa_word name)
{
   const struct isa_symbol *known = isa_symbols_find(&assembly->symbols, name);
   struct isa_number ignored;
   if (isa_at_register(&(struct isa_parser){.at = name.text, .end = name.text + name.length})) {
      isa_wrong(parser, name.text, "'%.*s' is a register and can name nothing else", (int)name.length, name.text);
   } else if (known != NULL && known->kind == ISA_SYMBOL_DEFINE) {
      isa_wrong(parser, name.text, "'%.*s' is a constant given from outside", (int)name.length, name.text);
   } else if (known != NULL) {
      isa_wrong(parser, name.text, "'%.*s' is already defined in line %u", (int)name.length, name.text, known->line);
   } else if (isa_symbols_constant(&assembly->symbols, name, &ignored)) {
      isa_wrong(parser, name.text, "'%.*s' is already the constant of a .rept", (int)name.length, name.text);
   } else if (assembly->symbols.count == SYMBOLS_MAX) {
      isa_wrong(parser, name.text, "more than %u labels and constants", SYMBOLS_MAX);
   } else {
      struct isa_symbol *symbol = isa_symbols_add(&assembly->symbols, name);
      if (symbol == NULL) {
         assembly->stopped = assembly->out_of_memory = true;
         return NULL;
      }
      symbol->line = assembly->line;
      return symbol;
   }
   return NULL;
}

static bool read_label(struct isa_assembly *assembly, struct isa_parser *parser, struct isa_word name)
{
   if (assembly->in_constants) {
      return isa_wrong(parser, name.text, "a label names a place in the code, not in the constants");
   }
   struct isa_symbol *label = isa_define(assembly, parser, name);
   if (label == NULL) {
      return assembly->out_of_memory;
   }
   label->kind = ISA_SYMBOL_LABEL;
   label->offset = (uint32_t)assembly->code.size;
   isa_hazards_reset(&assembly->hazards);
   return true;
}

/* Records the registers and uniforms that an instruction's operands need. */
static void count_registers(struct isa_assembly *assembly, const struct isa_insn *insn)
{
   struct isa_usage *usage = &assembly->usage[assembly->section];
   unsigned registers = isa_registers_end(insn);

   usage->half_registers = registers > usage->half_registers ? registers : usage->half_registers;
   for (unsigned target = ISA_DST; target <= ISA_SRC5; target++) {
      const struct isa_operand *operand = isa_operand_in(insn, target);
      unsigned end = (unsigned)operand->value + operand->count * operand->size / 16u;
      if (operand->kind == ISA_UNIFORM) {
         usage->uniform_halves = end > usage->uniform_halves ? end : usage->uniform_halves;
      }
   }
   usage->atomics |= insn->op == ISA_OP_ATOMIC;
}

static void warn(struct isa_assembly *assembly, const struct isa_parser *parser, const struct isa_insn *insn)
{
   struct isa_hazard found[ISA_HAZARDS_MAX];
   unsigned count = isa_hazards_next(&assembly->hazards, insn, assembly->line, found);
   for (unsigned i = 0; i < count; i++) {
      const char *at = parser->target_at[found[i].target];
      isa_report(assembly, ISA_WARNING, isa_place_of(assembly, at != NULL ? at : assembly->line_start), "%s",
                 found[i].text);
   }
}

static bool add_branch(struct isa_assembly *assembly, const struct isa_parser *parser, const struct isa_insn *insn,
                       const char *start)
{
   if (!ARRAY_RESERVE_ONE(assembly->branches, assembly->branch_count)) {
      return isa_no_memory(assembly);
   }
   const char *at = parser->label.length != 0 ? parser->label.text : start;
   assembly->branches[assembly->branch_count++] = (struct isa_branch){
       .row = insn->row,
       .label = parser->label,
       .distance = insn->mod[ISA_MOD_TARGET],
       .offset = (uint32_t)assembly->code.size,
       .place = isa_place_of(assembly, at),
   };
   return true;
}

static bool read_instruction(struct isa_assembly *assembly, struct isa_parser *parser)
{
   const char *start = parser->at;
   struct isa_insn insn;

   if (assembly->in_constants) {
      return isa_wrong(parser, start, "no instruction can stand among the constants: .code, .main or .preamble first");
   }
   if (!isa_parse_insn(assembly->mnemonics, assembly->options->long_forms, parser, &insn)) {
      return false;
   }
   count_registers(assembly, &insn);
   warn(assembly, parser, &insn);
   if (isa_is_branch(&insn) && !add_branch(assembly, parser, &insn, start)) {
      return true;
   }
   isa_append(assembly, insn.bytes, insn.length);
   return true;
}

static bool read_statement(struct isa_assembly *assembly, struct isa_parser *parser)
{
   while (!isa_at_end(parser)) {
      if (*parser->at == '.') {
         return isa_read_directive(assembly, parser) &&
                (assembly->stopped || isa_at_end(parser) || isa_expected(parser, "the end of the line"));
      }
      struct isa_word word = isa_next_word(parser);
      const char *after = word.text + word.length;
      if (word.length == 0 || !isa_is_letter(*word.text) || after == parser->end || *after != ':') {
         return read_instruction(assembly, parser);
      }
      if (!read_label(assembly, parser, word)) {
         return false;
      }
      parser->at = after + 1;
   }
   return true;
}

/* Lines within a .rept, those that are skipped too; a long one counts for several, so that time is bounded. */
static bool count_repeated(struct isa_assembly *assembly, size_t length)
{
   size_t max = assembly->options->repeated_max;
   assembly->repeated_lines += 1 + length / ISA_ASM_LINE_LENGTH;
   if (assembly->repeated_lines > max) {
      isa_report(assembly, ISA_ERROR, assembly->repeats[0].place,
                 "this .rept comes to more than %zu lines; the rest is not read", max);
      assembly->stopped = true;
   }
   return !assembly->stopped;
}

static void read_line(struct isa_assembly *assembly)
{
   const char *newline = memchr(assembly->next, '\n', (size_t)(assembly->end - assembly->next));
   const char *end = newline != NULL ? newline : assembly->end;
   char message[sizeof(((struct isa_diagnostic *)0)->message)];
   struct isa_parser parser = {.at = assembly->next,
                               .end = end,
                               .symbols = &assembly->symbols,
                               .message = message,
                               .message_size = sizeof(message)};

   assembly->line_start = assembly->next;
   assembly->next = newline != NULL ? newline + 1 : assembly->end;
   assembly->line++;
   if (assembly->symbols.repeat_depth != 0 && !count_repeated(assembly, (size_t)(end - assembly->line_start))) {
      return;
   }
   if (assembly->skipped_repeats != 0) {
      isa_skip_repeat(assembly, &parser);
      return;
   }
   if (!read_statement(assembly, &parser)) {
      isa_report(assembly, ISA_ERROR, isa_place_of(assembly, parser.wrong_at), "%s", message);
   }
}

/* ---- A whole program ---- */

static bool is_constant_name(struct isa_word name)
{
   struct isa_parser parser = {.at = name.text, .end = name.text + name.length};
   return name.length != 0 && isa_is_letter(*name.text) && isa_next_word(&parser).length == name.length &&
          !isa_at_register(&parser);
}

/* If a name gets two values, the last one counts. */
static void add_defines(struct isa_assembly *assembly)
{
   for (size_t i = 0; i < assembly->options->define_count; i++) {
      const struct isa_asm_define *define = &assembly->options->defines[i];
      struct isa_word name = {define->name, strlen(define->name)};
      if (!is_constant_name(name)) {
         isa_report(assembly, ISA_ERROR, (struct isa_place){0, 0}, "'%s' cannot name a constant", define->name);
         continue;
      }
      struct isa_symbol *symbol = isa_symbols_find(&assembly->symbols, name);
      symbol = symbol != NULL ? symbol : isa_symbols_add(&assembly->symbols, name);
      if (symbol == NULL) {
         assembly->out_of_memory = true;
         return;
      }
      symbol->kind = ISA_SYMBOL_DEFINE;
      symbol->value = (struct isa_number){.integer = define->value};
   }
}

static void read_text(struct isa_assembly *assembly, const char *text, size_t size)
{
   assembly->next = assembly->line_start = text;
   assembly->end = text + size;
   if (size > assembly->options->text_max) {
      isa_report(assembly, ISA_ERROR, (struct isa_place){0, 0}, "a text of %zu bytes; at most %zu are read", size,
                 assembly->options->text_max);
      return;
   }
   while (assembly->next < assembly->end && !assembly->stopped) {
      read_line(assembly);
   }
   if (assembly->stopped) {
      return;
   }
   if (assembly->skipped_repeats != 0 || assembly->symbols.repeat_depth != 0) {
      isa_report(assembly, ISA_ERROR,
                 assembly->skipped_repeats != 0 ? assembly->skipped_place
                                                : assembly->repeats[assembly->symbols.repeat_depth - 1].place,
                 ".rept without .endr");
      return;
   }
   isa_finish_program(assembly);
}

static void finish_assembly(struct isa_assembly *assembly)
{
   isa_symbols_finish(&assembly->symbols);
   free(assembly->code.data);
   free(assembly->constants.data);
   free(assembly->branches);
   free(assembly->uniform_places);
   free(assembly->argument_places);
   agx_program_destroy(assembly->program);
}

int isa_asm_program(const struct isa_asm *assembler, const char *text, size_t size, struct isa_asm_result *result)
{
   struct isa_assembly assembly = {.options = &assembler->options, .mnemonics = assembler->mnemonics, .result = result};

   memset(result, 0, sizeof(*result));
   assembly.program = agx_program_create();
   assembly.out_of_memory = assembly.program == NULL;
   if (!assembly.out_of_memory) {
      assembly.program->set = assembler->options.set;
      add_defines(&assembly);
   }
   if (!assembly.out_of_memory) {
      read_text(&assembly, text, size);
   }
   if (!assembly.out_of_memory && result->errors == 0) {
      result->program = assembly.program;
      assembly.program = NULL;
   }
   finish_assembly(&assembly);
   if (assembly.out_of_memory) {
      isa_asm_result_finish(result);
      return -ENOMEM;
   }
   return result->errors == 0 ? 0 : -EINVAL;
}

/* ---- One line ---- */

struct line_bytes {
   uint8_t *bytes;
   size_t size;
};

static bool append_to_line(void *data, const void *bytes, size_t size)
{
   struct line_bytes *line = data;
   if (size > ISA_ASM_LINE_BYTES_MAX - line->size) {
      return false;
   }
   memcpy(line->bytes + line->size, bytes, size);
   line->size += size;
   return true;
}

static bool read_lone_directive(struct isa_parser *parser, struct line_bytes *line)
{
   const char *start = parser->at++;
   struct isa_word name = isa_next_word(parser);
   if (!isa_is_data(name)) {
      parser->at = start;
      return isa_expected(parser, "an instruction or .byte, which stand for themselves");
   }
   parser->at += name.length;
   if (!isa_read_data(parser, name, append_to_line, line)) {
      return isa_wrong(parser, start, "more than %d bytes in one line", ISA_ASM_LINE_BYTES_MAX);
   }
   return true;
}

static bool read_lone_instruction(const struct isa_asm *assembler, struct isa_parser *parser, struct line_bytes *line)
{
   struct isa_insn insn;
   if (!isa_parse_insn(assembler->mnemonics, assembler->options.long_forms, parser, &insn)) {
      return false;
   }
   if (parser->label.length != 0) {
      return isa_wrong(parser, parser->label.text, "a line by itself has no labels: a distance in bytes goes here");
   }
   return append_to_line(line, insn.bytes, insn.length);
}

int isa_asm_line(const struct isa_asm *assembler, const char *text, size_t size, uint8_t bytes[ISA_ASM_LINE_BYTES_MAX],
                 struct isa_diagnostic *wrong)
{
   const struct isa_symbols none = {.symbols = NULL};
   struct line_bytes line = {.bytes = bytes};
   struct isa_parser parser = {.at = text,
                               .end = text + size,
                               .symbols = &none,
                               .message = wrong->message,
                               .message_size = sizeof(wrong->message)};

   if (isa_at_end(&parser)) {
      return 0;
   }
   bool good =
       *parser.at == '.' ? read_lone_directive(&parser, &line) : read_lone_instruction(assembler, &parser, &line);
   if (good && (isa_at_end(&parser) || isa_expected(&parser, "the end of the line"))) {
      return (int)line.size;
   }
   wrong->severity = ISA_ERROR;
   wrong->line = 1;
   wrong->column = (unsigned)(parser.wrong_at - text) + 1;
   return -EINVAL;
}
