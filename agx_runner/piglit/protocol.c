/* SPDX-License-Identifier: MIT
 *
 * Each record is one line, whatever characters a name has.
 */
#include "agx_runner/piglit/protocol.h"

/* names come from a file, so characters that JSON forbids are escaped */
static void print_string(FILE *out, const char *text)
{
   fputc('"', out);
   for (; *text != 0; text++) {
      unsigned char c = (unsigned char)*text;
      if (c == '"' || c == '\\') {
         fprintf(out, "\\%c", c);
      } else if (c < 0x20) {
         fprintf(out, "\\u%04x", c);
      } else {
         fputc(c, out);
      }
   }
   fputc('"', out);
}

void piglit_print_subtest(FILE *out, const char *name, const char *status)
{
   fputs("PIGLIT: {\"subtest\": {", out);
   print_string(out, name);
   fprintf(out, " : \"%s\"}}\n", status);
}

void piglit_print_result(FILE *out, const char *status)
{
   fprintf(out, "# Result:\nPIGLIT: {\"result\": \"%s\" }\n", status);
}
