/* SPDX-License-Identifier: MIT
 *
 * The rules of --fail-on. If there is any rule, a changed answer always breaks it.
 */
#include "agx_runner/compare/fail_on.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"

/* Parses what follows the word: nothing, or ":3%". */
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

static bool breaks(const struct fail_on *rules, const struct compare_finding *finding)
{
   return finding->harm == HARM_WRONG || finding->harm == HARM_BROKEN || finding->worse > rules->worse ||
          finding->hurt > rules->hurt || (rules->missing && finding->harm == HARM_NOT_RUN);
}

int fail_on_check(const struct fail_on *rules, const struct compare_findings *findings)
{
   const struct compare_finding *first = NULL;
   char percent[32] = "";
   size_t count = 0;

   for (size_t i = 0; rules->given && i < findings->count; i++) {
      if (breaks(rules, &findings->items[i])) {
         first = first == NULL ? &findings->items[i] : first;
         count++;
      }
   }
   if (first == NULL) {
      return EXIT_OK;
   }
   if (isfinite(first->percent)) {
      snprintf(percent, sizeof(percent), " by %.2f %%", first->percent);
   }
   const char *evidence = first->evidence != NULL ? first->evidence : "";
   return count == 1 ? complain(EXIT_FAILED, "--fail-on: %s: %s%s: %s", first->name,
                                compare_harm_infos[first->harm].title, percent, evidence)
                     : complain(EXIT_FAILED, "--fail-on: %s: %s%s: %s, and %zu more", first->name,
                                compare_harm_infos[first->harm].title, percent, evidence, count - 1);
}
