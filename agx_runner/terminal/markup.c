/* SPDX-License-Identifier: MIT
 *
 * Writes text from outside so that no format takes it for markup.
 */
#include "agx_runner/terminal/markup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Bytes of the character at `text`, 0 when it is no UTF-8 (RFC 3629). */
static size_t decode(const char *text, uint32_t *code_point)
{
   const uint8_t *byte = (const uint8_t *)text;
   const size_t length = byte[0] < 0x80       ? 1
                         : byte[0] >> 5 == 6  ? 2
                         : byte[0] >> 4 == 14 ? 3
                         : byte[0] >> 3 == 30 ? 4
                                              : 0;
   static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
   uint32_t code = length == 1 ? byte[0] : byte[0] & (0xffu >> (length + 1));

   for (size_t i = 1; i < length; i++) {
      if (byte[i] >> 6 != 2) { /* the terminating zero is no continuation either */
         return 0;
      }
      code = code << 6 | (byte[i] & 0x3f);
   }
   *code_point = code;
   return length != 0 && code >= least[length] && code < 0x110000 && (code < 0xd800 || code > 0xdfff) ? length : 0;
}

/* Writes a character, or the replacement of an invalid byte. Returns its bytes. */
static size_t put(const char *text, FILE *file)
{
   uint32_t code;
   const size_t length = decode(text, &code);

   if (length == 0) {
      fputs(REPLACEMENT, file);
      return 1;
   }
   fwrite(text, 1, length, file);
   return length;
}

void markup_utf8(const char *text, FILE *file)
{
   while (*text != '\0') {
      text += put(text, file);
   }
}

bool markup_is_utf8(const char *text)
{
   uint32_t code;
   size_t length = 1;

   while (*text != '\0' && length > 0) {
      length = (uint8_t)*text < 0x80 ? 1 : decode(text, &code);
      text += length;
   }
   return length > 0;
}

void markup_text(const char *text, int width, FILE *file)
{
   int columns = 0;

   for (uint32_t code; *text != '\0'; columns++) {
      const size_t length = decode(text, &code);
      const bool control = length != 0 && (code < 0x20 || (code >= 0x7f && code < 0xa0));

      if (control) {
         fputc('?', file);
         text += length;
      } else {
         text += put(text, file);
      }
   }
   fprintf(file, "%*s", columns < width ? width - columns : 0, "");
}

/* Bytes of the character at `text`, 0 when it is no UTF-8 or one that XML 1.0 forbids (section 2.2). */
static size_t character(const char *text)
{
   uint32_t code;
   const size_t length = decode(text, &code);

   return code >= 0x20                                   ? (code & 0x1ffffe) == 0xfffe ? 0 : length
          : code == '\t' || code == '\n' || code == '\r' ? length
                                                         : 0;
}

void markup_xml(const char *text, FILE *file)
{
   while (*text != '\0') {
      const size_t length = character(text);

      switch (length == 1 ? *text : 0) {
      case '&':
         fputs("&amp;", file);
         break;
      case '<':
         fputs("&lt;", file);
         break;
      case '>':
         fputs("&gt;", file);
         break;
      case '"':
         fputs("&quot;", file);
         break;
      case '\'':
         fputs("&#39;", file);
         break;
      default:
         if (length == 0) {
            fputs(REPLACEMENT, file);
         } else {
            fwrite(text, 1, length, file);
         }
      }
      text += length == 0 ? 1 : length;
   }
}

void markup_markdown(const char *text, FILE *file)
{
   while (*text != '\0') {
      if (strchr("\\`*_{}[]<>()#+!|~&", *text) != NULL) {
         fprintf(file, "\\%c", *text++);
      } else if ((unsigned char)*text < ' ') {
         fputc(' ', file);
         text++;
      } else {
         text += put(text, file);
      }
   }
}

void markup_csv(const char *text, FILE *file)
{
   if (strpbrk(text, ",\"\r\n") == NULL) {
      markup_utf8(text, file);
      return;
   }
   fputc('"', file);
   while (*text != '\0') {
      fputs(*text == '"' ? "\"" : "", file);
      text += put(text, file);
   }
   fputc('"', file);
}

void markup_tap(const char *text, FILE *file)
{
   while (*text != '\0') {
      if (*text == '#' || *text == '\\') {
         fputc('\\', file);
      }
      if ((unsigned char)*text < ' ') {
         fputc(' ', file);
         text++;
      } else {
         text += put(text, file);
      }
   }
}

void markup_yaml(const char *text, FILE *file)
{
   fputc('"', file);
   while (*text != '\0') {
      if (*text == '"' || *text == '\\') {
         fprintf(file, "\\%c", *text++);
      } else if ((unsigned char)*text < ' ') {
         fprintf(file, "\\x%02x", (unsigned)(unsigned char)*text++);
      } else {
         text += put(text, file);
      }
   }
   fputc('"', file);
}
