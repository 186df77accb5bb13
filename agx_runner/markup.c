/* SPDX-License-Identifier: MIT */
#include "agx_runner/markup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Bytes of the character at `text`, 0 when it is no UTF-8 (RFC 3629) or one that XML 1.0 forbids (section 2.2). */
static size_t character(const char *text)
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
   const bool allowed = code >= 0x20
                            ? code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code < 0x110000)
                            : code == '\t' || code == '\n' || code == '\r';
   return length != 0 && code >= least[length] && allowed ? length : 0;
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
   for (; *text != '\0'; text++) {
      if (strchr("\\`*_{}[]<>()#+!|~&", *text) != NULL) {
         fprintf(file, "\\%c", *text);
      } else {
         fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
      }
   }
}

void markup_csv(const char *text, FILE *file)
{
   if (strpbrk(text, ",\"\r\n") == NULL) {
      fputs(text, file);
      return;
   }
   fputc('"', file);
   for (; *text != '\0'; text++) {
      fprintf(file, "%s%c", *text == '"' ? "\"" : "", *text);
   }
   fputc('"', file);
}

void markup_tap(const char *text, FILE *file)
{
   for (; *text != '\0'; text++) {
      if (*text == '#' || *text == '\\') {
         fputc('\\', file);
      }
      fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
   }
}

void markup_yaml(const char *text, FILE *file)
{
   fputc('"', file);
   for (; *text != '\0'; text++) {
      if (*text == '"' || *text == '\\') {
         fprintf(file, "\\%c", *text);
      } else if ((unsigned char)*text < ' ') {
         fprintf(file, "\\x%02x", (unsigned)(unsigned char)*text);
      } else {
         fputc(*text, file);
      }
   }
   fputc('"', file);
}
