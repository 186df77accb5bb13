/* SPDX-License-Identifier: MIT
 *
 * Uses the edit distance: letters that are missing, added, replaced, or swapped with their neighbour. At most a third
 * of the longer word may differ.
 */
#include "agx_runner/terminal/suggest.h"

#include <stdio.h>
#include <string.h>

#define LETTERS_MAX 63

static unsigned least(unsigned a, unsigned b)
{
   return a < b ? a : b;
}

static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
   unsigned rows[3][LETTERS_MAX + 1] = {{0}};

   for (unsigned j = 0; j <= b_length; j++) {
      rows[0][j] = j;
   }
   for (unsigned i = 1; i <= a_length; i++) {
      unsigned *row = rows[i % 3];
      const unsigned *above = rows[(i - 1) % 3], *second = rows[(i + 1) % 3];

      row[0] = i;
      for (unsigned j = 1; j <= b_length; j++) {
         row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
         if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
            row[j] = least(row[j], second[j - 2] + 1);
         }
      }
   }
   return rows[a_length % 3][b_length];
}

void suggest_offer(struct suggestion *suggestion, const char *name, size_t length)
{
   const size_t word = strlen(suggestion->word), longer = word > length ? word : length;

   if (longer > LETTERS_MAX || word == 0 || length == 0) {
      return;
   }
   const unsigned distance = edit_distance(suggestion->word, word, name, length);
   if (distance <= (longer + 2) / 3 && distance < longer &&
       (suggestion->best[0] == '\0' || distance < suggestion->distance)) {
      snprintf(suggestion->best, sizeof(suggestion->best), "%.*s", (int)length, name);
      suggestion->distance = distance;
   }
}

void suggest_print(const struct suggestion *suggestion, char text[SUGGEST_TEXT])
{
   text[0] = '\0';
   if (suggestion->best[0] != '\0') {
      snprintf(text, SUGGEST_TEXT, ": did you mean '%s'?", suggestion->best);
   }
}
