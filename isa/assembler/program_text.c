/* SPDX-License-Identifier: MIT
 *
 * struct agx_program to .agx text. Every line of code is assembled again before it is written: what would not give
 * back its own bytes becomes .byte.
 */
#include "isa/assembler/assembly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- One instruction ---- */

static bool assembles_to(const struct isa_asm *assembler, const char *text, size_t size, const struct isa_insn *insn)
{
   uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
   struct isa_diagnostic wrong;
   int length = isa_asm_line(assembler, text, size, bytes, &wrong);
   return length == insn->length && memcmp(bytes, insn->bytes, insn->length) == 0;
}

/* The line that assembles to the instruction's very bytes. */
static void print_line(const struct isa_asm *assembler, const struct isa_insn *insn, char *text, size_t size)
{
   int length = isa_print(insn, ISA_SYNTAX_MESA, text, size);
   if (length >= (int)size || !assembles_to(assembler, text, (size_t)length, insn)) {
      struct isa_insn bytes = *insn;
      bytes.row = NULL;
      isa_print(&bytes, ISA_SYNTAX_MESA, text, size);
   }
}

/* ---- The program's fields ---- */

static void write_string(FILE *out, const char *text)
{
   fputc('"', out);
   for (; *text != '\0'; text++) {
      if (*text == '"' || *text == '\\') {
         fprintf(out, "\\%c", *text);
      } else if (*text >= ' ' && *text <= '~') {
         fputc(*text, out);
      } else {
         fprintf(out, "\\x%02x", (unsigned)(uint8_t)*text);
      }
   }
   fputc('"', out);
}

static void write_number(FILE *out, const char *directive, uint32_t number)
{
   if (number != 0) {
      fprintf(out, ".%s %u\n", directive, number);
   }
}

static void write_arguments(FILE *out, const struct agx_program *program)
{
   for (size_t i = 0; i < program->argument_count; i++) {
      const struct agx_argument *argument = &program->arguments[i];
      fprintf(out, ".argument %s, ", isa_argument_kind_name(argument->kind));
      write_string(out, argument->name);
      if (argument->type[0] != '\0') {
         fputs(", ", out);
         write_string(out, argument->type);
      }
      fprintf(out, ", offset=%u, size=%u%s\n", argument->offset, argument->size,
              argument->read_only ? ", read_only" : "");
   }
   write_number(out, "argument_bytes", program->argument_bytes);
}

static void write_uniforms(FILE *out, const struct agx_program *program)
{
   fprintf(out, ".uniforms %u\n", program->uniform_halves);
   for (size_t i = 0; i < program->uniform_count; i++) {
      const struct agx_uniform_range *range = &program->uniforms[i];
      fprintf(out, ".uniform %u, %u, %s, %u\n", range->start, range->size, isa_uniform_source_name(range->source),
              range->offset);
   }
}

static void write_header(FILE *out, const struct agx_program *program)
{
   const uint32_t *group = program->workgroup_size;

   if (program->name[0] != '\0') {
      fputs(".kernel ", out);
      write_string(out, program->name);
      fputc('\n', out);
   }
   if (group[0] != 0) {
      fprintf(out, ".workgroup %u, %u, %u\n", group[0], group[1], group[2]);
   }
   write_arguments(out, program);
   write_uniforms(out, program);
   write_number(out, "registers", program->half_registers);
   write_number(out, "preamble_registers", program->preamble_half_registers);
   write_number(out, "threadgroup", program->threadgroup_bytes);
   write_number(out, "scratch", program->scratch_bytes);
   write_number(out, "preamble_scratch", program->preamble_scratch_bytes);
   fprintf(out, ".atomics %u\n", program->uses_atomics);
}

/* Bytes as words, four a line, and what is left as bytes. */
static void write_data(FILE *out, const uint8_t *bytes, size_t size)
{
   size_t at = 0;
   for (; size - at >= 4; at += 4) {
      uint32_t word =
          bytes[at] | (uint32_t)bytes[at + 1] << 8 | (uint32_t)bytes[at + 2] << 16 | (uint32_t)bytes[at + 3] << 24;
      fprintf(out, "%s0x%08x%s", at % 16 == 0 ? ".word " : ", ", word, at % 16 == 12 || size - at < 8 ? "\n" : "");
   }
   for (; at < size; at++) {
      fprintf(out, ".byte 0x%02x\n", bytes[at]);
   }
}

/* ---- Code ---- */

enum { STARTS = 1, IS_TARGET = 2 }; /* of each byte of the code: an instruction starts here; a branch goes here */

struct code_writer {
   const struct isa_asm *assembler;
   const struct agx_program *program;
   uint8_t *marks;
   FILE *out;
};

/* The next place after `at` where a section begins or ends: no instruction is read across it. */
static uint32_t next_boundary(const struct agx_program *program, uint32_t at)
{
   const uint32_t boundaries[] = {program->main_offset, program->main_offset + program->main_size,
                                  program->preamble_offset, program->preamble_offset + program->preamble_size};
   uint32_t next = (uint32_t)program->code_size;
   for (unsigned i = 0; i < (program->has_preamble ? 4u : 2u); i++) {
      next = boundaries[i] > at && boundaries[i] < next ? boundaries[i] : next;
   }
   return next;
}

/* Bytes of neither section are no code: constants that a compiler left there, or padding. */
static bool is_code(const struct agx_program *program, uint32_t at)
{
   return at - program->main_offset < program->main_size ||
          (program->has_preamble && at - program->preamble_offset < program->preamble_size);
}

static bool target_of(const struct code_writer *writer, const struct isa_insn *insn, uint32_t at, uint32_t *target)
{
   int64_t place = (int64_t)at + insn->mod[ISA_MOD_TARGET];
   if (!isa_is_branch(insn) || place < 0 || place >= (int64_t)writer->program->code_size) {
      return false;
   }
   *target = (uint32_t)place;
   return true;
}

static void decode_at(const struct code_writer *writer, uint32_t at, struct isa_insn *insn)
{
   isa_decode(writer->program->set, writer->program->code + at, next_boundary(writer->program, at) - at, insn);
}

static void mark_code(struct code_writer *writer)
{
   const struct agx_program *program = writer->program;
   struct isa_insn insn;
   uint32_t target, length;
   for (uint32_t at = 0; at < program->code_size; at += length) {
      length = next_boundary(program, at) - at;
      if (!is_code(program, at)) {
         continue;
      }
      decode_at(writer, at, &insn);
      length = insn.length;
      writer->marks[at] |= STARTS;
      if (target_of(writer, &insn, at, &target)) {
         writer->marks[target] |= IS_TARGET;
      }
   }
}

/* The section end that the assembler assumes without .end: section_end() in finish.c. */
static void write_end(const struct code_writer *writer, const char *name, uint32_t start, uint32_t end,
                      bool other_begun, uint32_t other_start, uint32_t at)
{
   uint32_t implied = other_begun && other_start > start ? other_start : (uint32_t)writer->program->code_size;
   if (at == end && end != implied) {
      fprintf(writer->out, ".end %s\n", name);
   }
}

static void write_boundaries(const struct code_writer *writer, uint32_t at)
{
   const struct agx_program *program = writer->program;
   uint32_t main_end = program->main_offset + program->main_size;
   uint32_t preamble_end = program->preamble_offset + program->preamble_size;

   write_end(writer, "main", program->main_offset, main_end, program->has_preamble, program->preamble_offset, at);
   if (program->has_preamble) {
      write_end(writer, "preamble", program->preamble_offset, preamble_end, true, program->main_offset, at);
   }
   if (program->has_preamble && at == program->preamble_offset) {
      fputs("\n.preamble\n", writer->out);
   }
   if (at == program->main_offset) {
      fputs("\n.main\n", writer->out);
   }
}

/* A branch's text with the label in place of its distance, which is the last operand. */
static void use_label(char *text, size_t size, const struct isa_insn *insn, uint32_t target)
{
   char distance[16];
   char *last = strrchr(text, ' ');
   snprintf(distance, sizeof(distance), "%d", insn->mod[ISA_MOD_TARGET]);
   if (last != NULL && strcmp(last + 1, distance) == 0) {
      snprintf(last + 1, size - (size_t)(last + 1 - text), "L_%x", target);
   }
}

static void write_line(const struct code_writer *writer, const struct isa_insn *insn, uint32_t at)
{
   char text[256];
   uint32_t target = 0;
   bool inside = target_of(writer, insn, at, &target);
   struct isa_insn line = *insn;

   if (isa_is_branch(insn) && !inside) {
      line.row = NULL; /* no text of it assembles */
   }
   print_line(writer->assembler, &line, text, sizeof(text));
   if (inside && (writer->marks[target] & STARTS)) {
      use_label(text, sizeof(text), insn, target);
   }
   fprintf(writer->out, "   %s\n", text);
}

static void write_code(struct code_writer *writer)
{
   const struct agx_program *program = writer->program;
   uint32_t length;
   for (uint32_t at = 0; at < program->code_size; at += length) {
      write_boundaries(writer, at);
      if (!is_code(program, at)) {
         length = next_boundary(program, at) - at;
         write_data(writer->out, program->code + at, length);
         continue;
      }
      struct isa_insn insn;
      if (writer->marks[at] == (STARTS | IS_TARGET)) {
         fprintf(writer->out, "L_%x:\n", at);
      }
      decode_at(writer, at, &insn);
      write_line(writer, &insn, at);
      length = insn.length;
   }
   write_boundaries(writer, (uint32_t)program->code_size);
}

char *isa_program_text(const struct isa_asm *assembler, const struct agx_program *program, size_t *size)
{
   char *text = NULL;
   FILE *out = open_memstream(&text, size);
   struct code_writer writer = {
       .assembler = assembler, .program = program, .marks = calloc(program->code_size + 1, 1), .out = out};

   if (out == NULL || writer.marks == NULL) {
      free(writer.marks);
      if (out != NULL) {
         fclose(out);
         free(text);
      }
      return NULL;
   }
   write_header(out, program);
   if (program->constants_size != 0) {
      fputs("\n.constants\n", out);
      write_data(out, program->constants, program->constants_size);
      fputs("\n.code\n", out);
   }
   mark_code(&writer);
   write_code(&writer);
   bool failed = ferror(out) != 0;
   failed |= fclose(out) != 0;
   free(writer.marks);
   if (failed) {
      free(text);
      return NULL;
   }
   return text;
}
