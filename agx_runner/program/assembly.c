/* SPDX-License-Identifier: MIT
 *
 * Assembles .agx text, and converts single lines between hex digits and assembly.
 */
#include "agx_runner/program/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "isa/assembler/asm.h"
#include "isa/listing.h"

/* Parses "NAME=VALUE", the value in decimal or 0x, with a sign. The caller frees `name`. */
static int parse_define(const char *text, struct isa_asm_define *define)
{
   const char *equals = strchr(text, '=');
   char *end;

   if (equals == NULL || equals == text || equals[1] == '\0') {
      return complain(EXIT_INVALID, "-D takes NAME=NUMBER, not '%s'", text);
   }
   errno = 0;
   define->value = strtoll(equals + 1, &end, 0);
   if (errno != 0 || *end != '\0') {
      return complain(EXIT_INVALID, "-D %s: '%s' is no whole number", text, equals + 1);
   }
   define->name = strndup(text, (size_t)(equals - text));
   return define->name == NULL ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;
}

static void free_defines(struct isa_asm_define *defines, size_t count)
{
   for (size_t i = 0; i < count; i++) {
      free((void *)defines[i].name);
   }
   free(defines);
}

static int make_defines(const struct program_settings *settings, struct isa_asm_define **defines)
{
   const size_t count = settings->defines.count;
   int code = EXIT_OK;

   *defines = calloc(count + 1, sizeof(**defines));
   if (*defines == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   for (size_t i = 0; code == EXIT_OK && i < count; i++) {
      code = parse_define(settings->defines.items[i], &(*defines)[i]);
   }
   return code;
}

static void print_diagnostics(const struct isa_asm_result *result, const char *path)
{
   for (size_t i = 0; i < result->diagnostic_count; i++) {
      char text[512];

      isa_diagnostic_print(&result->diagnostics[i], path, text, sizeof(text));
      fprintf(stderr, "%s\n", text);
   }
   if (result->errors + result->warnings > result->diagnostic_count) {
      fprintf(stderr, "%s: and %zu more\n", path, result->errors + result->warnings - result->diagnostic_count);
   }
}

int assembly_program(const char *path, const uint8_t *text, size_t size, const struct program_settings *settings,
                     struct agx_program **program)
{
   struct isa_asm_define *defines = NULL;
   struct isa_asm_result result = {0};
   int code = make_defines(settings, &defines);

   *program = NULL;
   if (code == EXIT_OK) {
      struct isa_asm_options asm_options = {.syntax = settings->syntax,
                                            .long_forms = settings->long_forms,
                                            .defines = defines,
                                            .define_count = settings->defines.count};
      struct isa_asm *assembler = isa_asm_create(&asm_options);
      int ret = assembler == NULL ? -ENOMEM : isa_asm_program(assembler, (const char *)text, size, &result);

      print_diagnostics(&result, path);
      if (ret == -ENOMEM) {
         code = complain(EXIT_FAILED, "%s: out of memory", path);
      } else if (ret < 0) {
         code = complain(EXIT_FAILED, "%s: %zu error%s", path, result.errors, result.errors == 1 ? "" : "s");
      } else {
         *program = result.program;
         result.program = NULL;
      }
      isa_asm_destroy(assembler);
   }
   isa_asm_result_finish(&result);
   free_defines(defines, settings->defines.count);
   return code;
}

int assembly_write(const struct agx_program *program, FILE *file)
{
   struct isa_asm *assembler = isa_asm_create(NULL);
   size_t size = 0;
   char *text = assembler == NULL ? NULL : isa_program_text(assembler, program, &size);

   if (text != NULL) {
      fwrite(text, 1, size, file);
   }
   free(text);
   isa_asm_destroy(assembler);
   return text == NULL ? -ENOMEM : 0;
}

/* ---- Line by line ---- */

/* No instruction's text is nearly as long; a file that is no text is not read into memory as a whole. */
enum { LINE_BYTES_MAX = 65536 };
/* The number of errors after which the rest of a file is not read. */
enum { LINE_ERRORS_MAX = 100 };

struct line {
   const char *path;
   size_t number;
   const char *text;
   size_t length;
};

typedef int (*line_fn)(const void *context, const struct line *line, FILE *out);

/* Reads a line without its end into `text`. Returns 1; 0: there is none; -1: it is longer than LINE_BYTES_MAX. */
static int read_line(FILE *in, char *text, size_t *length)
{
   int c = getc_unlocked(in);

   *length = 0;
   if (c == EOF) {
      return 0;
   }
   for (; c != EOF && c != '\n'; c = getc_unlocked(in)) {
      if (*length == LINE_BYTES_MAX) {
         return -1;
      }
      text[(*length)++] = (char)c;
   }
   while (*length > 0 && text[*length - 1] == '\r') {
      --*length;
   }
   text[*length] = '\0';
   return 1;
}

/* Converts all lines; a malformed line is reported, and the next one is read. */
static int convert_lines(FILE *in, struct line *line, char *text, line_fn convert, const void *context, FILE *out)
{
   size_t errors = 0;
   int got;

   line->text = text;
   while ((got = read_line(in, text, &line->length)) != 0) {
      line->number++;
      if (got < 0) {
         return complain(EXIT_FAILED, "%s:%zu:%d: a line of more than %d characters: expected one instruction",
                         line->path, line->number, LINE_BYTES_MAX + 1, LINE_BYTES_MAX);
      }
      if (convert(context, line, out) != EXIT_OK && ++errors == LINE_ERRORS_MAX) {
         return complain(EXIT_FAILED, "%s: %d errors: the rest is not read", line->path, LINE_ERRORS_MAX);
      }
   }
   if (ferror(in)) {
      return complain(EXIT_FAILED, "%s: cannot be read: %s", line->path, strerror(errno));
   }
   return errors == 0 ? EXIT_OK
                      : complain(EXIT_FAILED, "%s: %zu error%s; nothing is written", line->path, errors,
                                 errors == 1 ? "" : "s");
}

/* The text is collected in memory first, so that an error in any line prevents output. */
static int convert_all(FILE *in, struct line *line, line_fn convert, const void *context, const char *output_path)
{
   char *text = malloc(LINE_BYTES_MAX + 1), *converted = NULL;
   size_t size = 0;
   FILE *memory = open_memstream(&converted, &size);
   struct output output;
   int code = EXIT_FAILED;

   if (text == NULL || memory == NULL) {
      complain(EXIT_FAILED, "%s: out of memory", line->path);
   } else {
      code = convert_lines(in, line, text, convert, context, memory);
   }
   if (memory != NULL && fclose(memory) != 0 && code == EXIT_OK) {
      code = complain(EXIT_FAILED, "%s: out of memory", line->path);
   }
   if (code == EXIT_OK) {
      code = output_open(&output, output_path);
      if (code == EXIT_OK) {
         fwrite(converted, 1, size, output.file);
         code = output_commit(&output);
      }
      output_discard(&output);
   }
   free(converted);
   free(text);
   return code;
}

static int each_line(const char *path, const char *output_path, line_fn convert, const void *context)
{
   FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
   struct line line = {.path = path};

   if (in == NULL) {
      return complain(EXIT_INVALID, "%s: %s", path, strerror(errno));
   }
   int code = convert_all(in, &line, convert, context, output_path);
   if (in != stdin) {
      fclose(in);
   }
   return code;
}

/* Explains why these bytes, from `at` on, are no instruction. */
static void explain_bytes(const struct isa_set *set, const struct line *line, const uint8_t *bytes, size_t count,
                          size_t at)
{
   uint8_t longer[2 * ISA_MAX_LENGTH] = {0};
   struct isa_insn insn;
   char hex[2 * ISA_MAX_LENGTH + 1] = "";

   memcpy(longer, bytes + at, count - at < ISA_MAX_LENGTH ? count - at : ISA_MAX_LENGTH);
   isa_decode(set, longer, sizeof(longer), &insn);
   if (insn.row != NULL && insn.length > count - at) {
      complain(EXIT_FAILED, "%s:%zu: byte %zu: %s takes %u bytes; %zu are there", line->path, line->number, at + 1,
               insn.row != NULL ? isa_name(&insn) : "", insn.length, count - at);
      return;
   }
   isa_decode(set, bytes + at, count - at, &insn);
   for (unsigned i = 0; i < insn.length; i++) {
      snprintf(hex + 2 * i, 3, "%02x", bytes[at + i]);
   }
   fprintf(stderr, "agx-runner: %s:%zu: note: byte %zu: %s is no known instruction\n", line->path, line->number, at + 1,
           hex);
}

/* Writes all instructions of the line, a line each. Bytes that are none become .byte, with a note. */
static int hex_to_line(const void *context, const struct line *line, FILE *out)
{
   const struct program_settings *settings = context;
   const struct isa_set *set = isa_set_default(); /* a line of hex does not say what it is in */
   uint8_t bytes[ISA_HEX_LINE_MAX];
   char text[1024];
   size_t column, at = 0;
   int count = 0;

   if (line->text[strspn(line->text, " \t")] != '\0') {
      count = isa_parse_hex(line->text, bytes, sizeof(bytes), &column);
      if (count == -E2BIG) {
         return complain(EXIT_FAILED, "%s:%zu:%zu: more than %d bytes in a line", line->path, line->number, column,
                         ISA_HEX_LINE_MAX);
      }
      if (count < 0) {
         return complain(EXIT_FAILED, "%s:%zu:%zu: expected pairs of hex digits, found '%.*s'", line->path,
                         line->number, column, 20, line->text + column - 1);
      }
   }
   do {
      size_t length = (size_t)count - at;
      if (length != 0) {
         struct isa_insn insn;
         isa_decode(set, bytes + at, length, &insn);
         length = insn.length;
         if (insn.row == NULL) {
            explain_bytes(set, line, bytes, (size_t)count, at);
         }
         isa_print_exact(set, bytes + at, length, settings->syntax, text, sizeof(text));
         fputs(text, out);
      }
      fputc('\n', out);
      at += length;
   } while (at < (size_t)count);
   return EXIT_OK;
}

static int line_to_hex(const void *context, const struct line *line, FILE *out)
{
   static const char digits[] = "0123456789abcdef";
   uint8_t bytes[ISA_ASM_LINE_BYTES_MAX];
   char text[2 * ISA_ASM_LINE_BYTES_MAX + 1];
   struct isa_diagnostic wrong;
   const int count = isa_asm_line(context, line->text, line->length, bytes, &wrong);

   if (count < 0) {
      return complain(EXIT_FAILED, "%s:%zu:%u: %s", line->path, line->number, wrong.column, wrong.message);
   }
   for (int i = 0; i < count; i++) {
      text[2 * i] = digits[bytes[i] >> 4];
      text[2 * i + 1] = digits[bytes[i] & 15];
   }
   text[2 * count] = '\0';
   fputs(text, out);
   fputc('\n', out);
   return EXIT_OK;
}

int assembly_from_hex(const char *path, const struct program_settings *settings, const char *output)
{
   return each_line(path, output, hex_to_line, settings);
}

int assembly_to_hex(const char *path, const struct program_settings *settings, const char *output)
{
   const struct isa_asm_options asm_options = {.syntax = settings->syntax, .long_forms = settings->long_forms};
   struct isa_asm *assembler = isa_asm_create(&asm_options);

   if (assembler == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   const int code = each_line(path, output, line_to_hex, assembler);
   isa_asm_destroy(assembler);
   return code;
}
