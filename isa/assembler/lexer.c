/* SPDX-License-Identifier: MIT
 *
 * The assembler's lexer: space, comments, words, strings, registers. It works on the text in place and keeps nothing.
 */
#include "isa/assembler/parse.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/array.h"

bool isa_wrong(struct isa_parser *parser, const char *at, const char *format, ...)
{
   if (parser->wrong_at != NULL) {
      return false;
   }
   parser->wrong_at = at;
   if (parser->message != NULL) {
      va_list arguments;
      va_start(arguments, format);
      vsnprintf(parser->message, parser->message_size, format, arguments);
      va_end(arguments);
   }
   return false;
}

/* The token at the cursor as messages quote it: up to a comma or space, what cannot be printed as "\xNN". */
static void quote_token(const struct isa_parser *parser, char *text, size_t size)
{
   const char *at = parser->at;
   size_t length = 0;
   for (; at < parser->end && length + 8 < size; at++) {
      if (at != parser->at && (*at == ',' || *at == ' ' || *at == '\t' || *at == '\r' || *at == '#' || *at == ';')) {
         break;
      }
      if (*at > ' ' && *at <= '~') {
         text[length++] = *at;
      } else {
         length += (size_t)snprintf(text + length, size - length, "\\x%02x", (unsigned)(uint8_t)*at);
      }
   }
   text[length] = '\0';
}

bool isa_expected(struct isa_parser *parser, const char *what)
{
   char token[48];
   if (parser->message == NULL) {
      return isa_wrong(parser, parser->at, "%s", what);
   }
   if (isa_at_end(parser)) {
      return isa_wrong(parser, parser->at, "expected %s, found the end of the line", what);
   }
   quote_token(parser, token, sizeof(token));
   return isa_wrong(parser, parser->at, "expected %s, found '%s'", what, token);
}

static inline void skip_space(struct isa_parser *parser)
{
   while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\t' || *parser->at == '\r')) {
      parser->at++;
   }
}

void isa_skip_space(struct isa_parser *parser)
{
   skip_space(parser);
}

bool isa_at_end(struct isa_parser *parser)
{
   skip_space(parser);
   if (parser->at == parser->end || *parser->at == '#' || *parser->at == ';') {
      return true;
   }
   return *parser->at == '/' && parser->end - parser->at > 1 && parser->at[1] == '/';
}

bool isa_accept(struct isa_parser *parser, char c)
{
   skip_space(parser);
   if (parser->at == parser->end || *parser->at != c) {
      return false;
   }
   parser->at++;
   return true;
}

bool isa_is_letter(char c)
{
   return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isa_is_name(char c)
{
   return isa_is_letter(c) || (c >= '0' && c <= '9');
}

struct isa_word isa_next_word(const struct isa_parser *parser)
{
   const char *end = parser->at;
   while (end < parser->end && isa_is_name(*end)) {
      end++;
   }
   return (struct isa_word){parser->at, (size_t)(end - parser->at)};
}

bool isa_accept_word(struct isa_parser *parser, const char *text)
{
   skip_space(parser);
   struct isa_word word = isa_next_word(parser);
   if (word.length == 0 || !isa_word_is(word, text)) {
      return false;
   }
   parser->at += word.length;
   return true;
}

/* ---- Strings ---- */

int isa_read_character(struct isa_parser *parser)
{
   static const char escapes[] = "n\nt\tr\r\\\\\"\"''";
   const char *at = parser->at;

   if (isa_peek(parser) != '\\') {
      return at < parser->end ? (uint8_t)*parser->at++ : -1;
   }
   parser->at++;
   char c = isa_peek(parser);
   for (size_t i = 0; c != '\0' && i + 1 < sizeof(escapes); i += 2) {
      if (c == escapes[i]) {
         parser->at++;
         return (uint8_t)escapes[i + 1];
      }
   }
   if (c == '0') {
      parser->at++;
      return 0;
   }
   if (c == 'x' && parser->end - parser->at > 2 && isa_digit(parser->at[1]) < 16 && isa_digit(parser->at[2]) < 16) {
      int value = (int)(isa_digit(parser->at[1]) * 16 + isa_digit(parser->at[2]));
      parser->at += 3;
      return value;
   }
   parser->at = at;
   isa_wrong(parser, at, "unknown escape: legal are \\n \\t \\r \\\\ \\\" \\' \\0 and \\xNN");
   return -1;
}

bool isa_read_string(struct isa_parser *parser, char *text, size_t size)
{
   size_t length = 0;
   const char *start = parser->at;

   if (!isa_accept(parser, '"')) {
      return isa_expected(parser, "a string in double quotes");
   }
   while (isa_peek(parser) != '"') {
      int c = isa_read_character(parser);
      if (c < 0) {
         return isa_wrong(parser, start, "the string has no closing quote");
      }
      if (length + 1 >= size) {
         return isa_wrong(parser, start, "the string is too long: at most %zu bytes", size - 1);
      }
      if (c == 0) {
         return isa_wrong(parser, start, "a string cannot hold a zero byte");
      }
      text[length++] = (char)c;
   }
   parser->at++;
   memset(text + length, 0, size - length);
   return true;
}

/* ---- Registers ---- */

/* "r0", "u12l", "dr[i]" without what follows. */
static bool at_one_register(const char *at, const char *end)
{
   at += at < end && *at == 'd';
   if (end - at < 2 || (*at != 'r' && *at != 'u')) {
      return false;
   }
   at++;
   if (*at == '[') {
      return true;
   }
   const char *digits = at;
   while (at < end && *at >= '0' && *at <= '9') {
      at++;
   }
   if (at == digits) {
      return false;
   }
   at += at < end && (*at == 'l' || *at == 'h');
   /* "u8norm" is a word, "r0_r1" a list. */
   return at == end || *at == '_' || !isa_is_name(*at);
}

bool isa_at_register(const struct isa_parser *parser)
{
   char c = isa_peek(parser);
   return c == '$' || c == '^' || at_one_register(parser->at, parser->end);
}

struct one_register {
   enum isa_operand_kind kind;
   unsigned size;
   int64_t half; /* index */
};

static bool read_register_number(struct isa_parser *parser, int64_t *number)
{
   if (isa_accept(parser, '[')) {
      return isa_read_integer(parser, 0, INT32_MAX, number) && (isa_accept(parser, ']') || isa_expected(parser, "']'"));
   }
   *number = 0;
   while (isa_peek(parser) >= '0' && isa_peek(parser) <= '9') {
      *number = *number > 9999 ? *number : *number * 10 + (*parser->at - '0'); /* far past any register */
      parser->at++;
   }
   return true;
}

static bool read_one_register(struct isa_parser *parser, struct one_register *reg)
{
   const char *start = parser->at;
   bool wide = isa_peek(parser) == 'd';
   int64_t number;

   if (!at_one_register(parser->at, parser->end)) {
      return isa_expected(parser, "a register");
   }
   parser->at += wide;
   reg->kind = *parser->at++ == 'u' ? ISA_UNIFORM : ISA_REG;
   if (!read_register_number(parser, &number)) {
      return false;
   }
   reg->size = wide ? 64 : 32;
   reg->half = number * 2;
   if (!wide && (isa_peek(parser) == 'l' || isa_peek(parser) == 'h')) {
      reg->size = 16;
      reg->half += *parser->at++ == 'h';
   }
   if (reg->half + reg->size / 16 > (reg->kind == ISA_REG ? 256 : 512)) {
      return isa_wrong(parser, start, "there is no '%.*s': %s", (int)(parser->at - start), start,
                       reg->kind == ISA_REG ? "registers are r0..r127 (r0l..r127h, dr0..dr126)"
                                            : "uniforms are u0..u255 (u0l..u255h, du0..du254)");
   }
   return true;
}

/* More registers than any field takes. */
#define LIST_MAX 32

bool isa_read_registers(struct isa_parser *parser, struct isa_operand *operand)
{
   struct one_register reg;
   char hint = isa_peek(parser);

   *operand = (struct isa_operand){.cache = hint == '$', .discard = hint == '^'};
   parser->at += operand->cache || operand->discard;
   if (!read_one_register(parser, &reg)) {
      return false;
   }
   operand->kind = (uint8_t)reg.kind;
   operand->size = (uint8_t)reg.size;
   operand->count = 1;
   operand->value = (int32_t)reg.half;
   while (isa_peek(parser) == '_') {
      const char *start = ++parser->at;
      if (!read_one_register(parser, &reg)) {
         return false;
      }
      if (reg.kind != operand->kind || reg.size != operand->size ||
          reg.half != operand->value + (int64_t)operand->count * operand->size / 16 || operand->count == LIST_MAX) {
         return isa_wrong(parser, start, "the registers of a list must follow each other: '%.*s' does not",
                          (int)(parser->at - start), start);
      }
      operand->count++;
   }
   return true;
}

bool isa_read_modifiers(struct isa_parser *parser, struct isa_modifiers *modifiers)
{
   static const char *const names[] = {"abs", "neg", "sx", "zx", "wide", "odd"};
   bool *const flags[] = {&modifiers->abs, &modifiers->neg,  &modifiers->sx,
                          &modifiers->zx,  &modifiers->wide, &modifiers->odd};
   const size_t count = ARRAY_COUNT(names);

   *modifiers = (struct isa_modifiers){0};
   while (isa_peek(parser) == '.') {
      const char *start = parser->at++;
      struct isa_word word = isa_next_word(parser);
      size_t i = 0;
      while (i < count && !isa_word_is(word, names[i])) {
         i++;
      }
      if (i == count || *flags[i]) {
         return isa_wrong(parser, start, "expected a modifier, once each: .abs, .neg, .sx, .zx, .wide, .odd");
      }
      *flags[i] = true;
      parser->at += word.length;
   }
   return true;
}
