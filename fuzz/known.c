/* SPDX-License-Identifier: MIT
 *
 * The file of --known: signatures and rules of findings that are reported already, or patterns for them.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/finding.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

bool findings_know(const struct findings *findings, const char *what)
{
   for (size_t i = 0; i < findings->known_count; i++) {
      if (strcmp(findings->known[i], what) == 0 || fnmatch(findings->known[i], what, 0) == 0) {
         return true;
      }
   }
   return false;
}

#define KNOWN_LINE 1024

static bool add_known(struct findings *findings, const char *line)
{
   if (!ARRAY_RESERVE_ONE(findings->known, findings->known_count)) {
      return false;
   }
   findings->known[findings->known_count] = strdup(line);
   return findings->known[findings->known_count] != NULL && ++findings->known_count != 0;
}

/* "a{b|c}d" are "abd" and "acd". A line without braces, or with one that does not end, is taken as it is. */
static bool add_known_lines(struct findings *findings, const char *line)
{
   char one[KNOWN_LINE];
   const char *open = strchr(line, '{'), *close = open != NULL ? strchr(open, '}') : NULL;

   if (close == NULL) {
      return add_known(findings, line);
   }
   for (const char *at = open; at < close;) {
      const char *word = at + 1;
      const int length = (int)strcspn(word, "|}");
      snprintf(one, sizeof(one), "%.*s%.*s%s", (int)(open - line), line, length, word, close + 1);
      if (!add_known_lines(findings, one)) {
         return false;
      }
      at = word + length;
   }
   return true;
}

int findings_load_known(struct findings *findings, const char *path)
{
   FILE *file = fopen(path, "r");
   char line[KNOWN_LINE];
   int code = EXIT_OK;

   if (file == NULL) {
      return complain(EXIT_INVALID, "--known %s: %s", path, strerror(errno));
   }
   while (code == EXIT_OK && fgets(line, sizeof(line), file) != NULL) {
      line[strcspn(line, "\r\n")] = '\0';
      if (line[0] != '\0' && line[0] != '#' && !add_known_lines(findings, line)) {
         code = complain(EXIT_FAILED, "out of memory");
      }
   }
   fclose(file);
   return code;
}
