/* SPDX-License-Identifier: MIT
 *
 * The rules of --fail-on. A changed answer always breaks them once any rule is given.
 */
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

int fail_on_parse(const struct string_list *words, struct fail_on *rules)
{
   *rules = (struct fail_on){.given = words->count > 0, .worse = NAN, .hurt = NAN};
   for (size_t i = 0; i < words->count; i++) {
      const char *word = words->items[i];
      const size_t length = strcspn(word, ":");
      bool right = true;

      if (!strncmp(word, "worse", length) && length == 5) {
         right = parse_share(word + length, &rules->worse);
      } else if (!strncmp(word, "hurt", length) && length == 4) {
         right = parse_share(word + length, &rules->hurt);
      } else if (!strcmp(word, "missing")) {
         rules->missing = true;
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

/* Which rule a row breaks; false: none. */
static bool breaks(const struct fail_on *rules, const struct compare_row *row, char *why, size_t size)
{
   enum program_stat stat = 0;
   const double worse = compare_worse_by(row), hurt = compare_hurt_by(row, &stat);

   if (compare_change_is_bad(row->change) || (rules->missing && row->change == COMPARE_MISSING)) {
      snprintf(why, size, "%s", compare_change_names[row->change]);
   } else if (worse > rules->worse) {
      snprintf(why, size, "worse by %.2f %%", worse * 100);
   } else if (hurt > rules->hurt) {
      snprintf(why, size, "%s: %g -> %g", program_stat_infos[stat].name, row->a->program.values[stat],
               row->b->program.values[stat]);
   } else {
      return false;
   }
   return true;
}

int fail_on_check(const struct fail_on *rules, const struct comparison *comparison)
{
   char first[600], why[80];
   size_t count = 0;
   bool answer = false; /* the first is about one: what is slower does not matter then */

   for (size_t i = 0; rules->given && i < comparison->count; i++) {
      const struct compare_row *row = &comparison->rows[i];
      const bool bad = compare_change_is_bad(row->change);

      if (breaks(rules, row, why, sizeof(why)) && (count++ == 0 || (bad && !answer))) {
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
