/* SPDX-License-Identifier: MIT
 *
 * The list of findings, which owns its texts.
 */
#include "agx_runner/compare/finding.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

const struct compare_harm_info compare_harm_infos[HARM_COUNT] = {
    [HARM_WRONG] = {"wrong", "wrong answers"},
    [HARM_BROKEN] = {"broken", "broken"},
    [HARM_LESS_EXACT] = {"less-exact", "less exact"},
    [HARM_SLOWER] = {"slower", "slower"},
    [HARM_BIGGER] = {"bigger", "bigger"},
    [HARM_NOT_RUN] = {"not-run", "not run"},
    [HARM_BOTH] = {"both", "wrong or broken on both sides"},
    [HARM_STATUS] = {"status", "other status"},
    [HARM_OTHER_CODE] = {"other-code", "other code"},
    [HARM_MENDED] = {"mended", "mended"},
    [HARM_FASTER] = {"faster", "faster"},
    [HARM_SMALLER] = {"smaller", "smaller"},
    [HARM_NEW] = {"new", "new"},
};

static void finish_finding(struct compare_finding *finding)
{
   free(finding->name);
   free(finding->evidence);
   free(finding->details);
   free(finding->command);
}

void compare_findings_finish(struct compare_findings *findings)
{
   for (size_t i = 0; i < findings->part_count; i++) {
      free(findings->parts[i].title);
      free(findings->parts[i].note);
      free(findings->parts[i].skipped_why);
   }
   for (size_t i = 0; i < findings->count; i++) {
      finish_finding(&findings->items[i]);
   }
   free(findings->parts);
   free(findings->items);
   *findings = (struct compare_findings){0};
}

/* Returns true if *to is a copy of `from`, or if both are NULL. */
static bool copy(const char *from, char **to)
{
   *to = from != NULL ? strdup(from) : NULL;
   return *to != NULL || from == NULL;
}

struct compare_part *compare_findings_part(struct compare_findings *findings, const char *title, const char *note)
{
   if (!ARRAY_RESERVE_ONE(findings->parts, findings->part_count)) {
      return NULL;
   }
   struct compare_part *part = &findings->parts[findings->part_count];
   *part = (struct compare_part){0};
   if (!copy(title, &part->title) || !copy(note, &part->note)) {
      free(part->title);
      return NULL;
   }
   findings->part_count++;
   return part;
}

int compare_findings_add(struct compare_findings *findings, const struct compare_finding *finding)
{
   if (!ARRAY_RESERVE_ONE(findings->items, findings->count)) {
      return -ENOMEM;
   }
   struct compare_finding *added = &findings->items[findings->count];
   *added = *finding;
   added->part = findings->part_count - 1;
   added->evidence = added->details = added->command = NULL;
   if (!copy(finding->name, &added->name) || !copy(finding->evidence, &added->evidence) ||
       !copy(finding->details, &added->details) || !copy(finding->command, &added->command)) {
      finish_finding(added);
      return -ENOMEM;
   }
   findings->count++;
   findings->counts[finding->harm]++;
   return 0;
}

static double size_of(const struct compare_finding *finding)
{
   return isnan(finding->percent) ? 0 : finding->percent * finding->weight;
}

static int by_harm(const void *x, const void *y)
{
   const struct compare_finding *a = x, *b = y;
   const double one = size_of(a), two = size_of(b);

   const bool cause = a->details != NULL, other_cause = b->details != NULL;

   if (a->harm != b->harm) {
      return a->harm < b->harm ? -1 : 1;
   }
   if (a->harm < HARM_LESS_EXACT && cause != other_cause) {
      return cause ? -1 : 1;
   }
   return one != two ? (one < two) - (one > two) : strcmp(a->name, b->name);
}

void compare_findings_sort(struct compare_findings *findings)
{
   if (findings->count > 0) {
      qsort(findings->items, findings->count, sizeof(*findings->items), by_harm);
   }
}

bool compare_findings_are_bad(const struct compare_findings *findings)
{
   size_t count = 0;

   for (enum compare_harm harm = HARM_WRONG; harm < HARM_NOT_RUN; harm++) {
      count += findings->counts[harm];
   }
   return count > 0;
}
