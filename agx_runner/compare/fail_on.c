/* SPDX-License-Identifier: MIT */
#include "agx_runner/compare/fail_on.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"

/* After the word: nothing, or ":3%". */
static bool parse_share(const char *text, double *share)
{
   char *end;

   *share = 0;
   if (*text == '\0') {
      return true;
   }
   const double percent = *text == ':' ? strtod(text + 1, &end) : NAN;
   *share = percent / 100;
   return *text == ':' && end != text + 1 && isfinite(percent) && percent >= 0 && (*end == '\0' || !strcmp(end, "%"));
}

int gate_parse(const struct string_list *words, struct gate *gate)
{
   *gate = (struct gate){.armed = words->count > 0, .worse = NAN, .hurt = NAN};
   for (size_t i = 0; i < words->count; i++) {
      const char *word = words->items[i];
      const size_t length = strcspn(word, ":");
      bool right = true;

      if (!strncmp(word, "worse", length) && length == 5) {
         right = parse_share(word + length, &gate->worse);
      } else if (!strncmp(word, "hurt", length) && length == 4) {
         right = parse_share(word + length, &gate->hurt);
      } else if (!strcmp(word, "missing")) {
         gate->missing = true;
      } else {
         right = !strcmp(word, "answers");
      }
      if (!right) {
         return complain(EXIT_INVALID,
                         "--fail-on takes answers, missing, worse[:PERCENT%%] or hurt[:PERCENT%%], not '%s'", word);
      }
   }
   return EXIT_OK;
}

/* Why the gate stops at a row; false: it does not. */
static bool stops(const struct gate *gate, const struct compare_row *row, char *why, size_t size)
{
   enum program_stat stat = 0;
   const double worse = compare_worse_by(row), hurt = compare_hurt_by(row, &stat);

   if (compare_change_is_bad(row->change) || (gate->missing && row->change == COMPARE_MISSING)) {
      snprintf(why, size, "%s", compare_change_names[row->change]);
   } else if (worse > gate->worse) {
      snprintf(why, size, "worse by %.2f %%", worse * 100);
   } else if (hurt > gate->hurt) {
      snprintf(why, size, "%s: %g -> %g", program_stat_infos[stat].name, row->a->program.values[stat],
               row->b->program.values[stat]);
   } else {
      return false;
   }
   return true;
}

int gate_check(const struct gate *gate, const struct comparison *comparison)
{
   char first[600], why[80];
   size_t count = 0;
   bool answer = false; /* the first is about one: what is slower does not matter then */

   for (size_t i = 0; gate->armed && i < comparison->count; i++) {
      const struct compare_row *row = &comparison->rows[i];
      const bool bad = compare_change_is_bad(row->change);

      if (stops(gate, row, why, sizeof(why)) && (count++ == 0 || (bad && !answer))) {
         snprintf(first, sizeof(first), "%s: %s", row->name, why);
         answer = bad;
      }
   }
   if (count == 0) {
      return EXIT_OK;
   }
   return count == 1 ? complain(EXIT_FAILED, "--fail-on: %s", first)
                     : complain(EXIT_FAILED, "--fail-on: %s, and %zu more", first, count - 1);
}
