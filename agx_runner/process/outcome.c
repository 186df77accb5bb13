/* SPDX-License-Identifier: MIT */
#include "agx_runner/process/outcome.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* In the order of a message; each is a result_status_names[] with a capital letter. */
const char *const verdict_statuses[] = {"Fail", "Crash", "Timeout", "Hang", "Invalid", "Incomplete", "Warn", NULL};

void outcome_finish(struct outcome *outcome)
{
   result_finish(&outcome->first);
   result_finish(&outcome->last);
   *outcome = (struct outcome){0};
}

void outcome_add(struct outcome *outcome, struct result *result)
{
   struct result *place = outcome->tries++ == 0 ? &outcome->first : &outcome->last;

   result_finish(place);
   *place = *result;
   *result = (struct result){0};
}

static bool is_expected_failure(const struct expectations *expectations, const struct result *result)
{
   const char *expected = expect_fail(expectations, result->name);

   return expected != NULL && strcasecmp(expected, result_status_names[result->status]) == 0;
}

bool verdict_is_surprise(const struct expectations *expectations, const struct result *result)
{
   return result_status_is_bad(result->status) && !is_expected_failure(expectations, result) &&
          !expect_flake(expectations, result->name);
}

/* Puts another status in front of the result's own, which moves into the reason. */
static void cover(struct result *result, enum result_status status, const char *before)
{
   char reason[sizeof(result->reason)];

   snprintf(reason, sizeof(reason), "%s%s%s%.200s", before, result_status_names[result->status],
            result->reason[0] != '\0' ? ": " : "", result->reason);
   result_set(result, status, "%s", reason);
}

/* The samples stay the outcome's: a result of the report is freed with its run. */
static void copy(const struct result *from, struct result *to)
{
   double *samples = from->sample_count > 0 ? calloc(from->sample_count, sizeof(*samples)) : NULL;

   *to = *from;
   to->samples = samples;
   if (samples != NULL) {
      memcpy(samples, from->samples, from->sample_count * sizeof(*samples));
   } else {
      to->sample_count = 0;
   }
   to->kernel_log = from->kernel_log != NULL ? strdup(from->kernel_log) : NULL;
}

void verdict_apply(const struct expectations *expectations, const struct outcome *outcome, struct result *result)
{
   const struct result *first = &outcome->first, *last = outcome->tries > 1 ? &outcome->last : first;
   const char *expected = expect_fail(expectations, first->name);

   if (!result_status_is_bad(first->status)) {
      copy(first, result);
      if (expected != NULL && first->status == RESULT_PASS) {
         result_set(result, RESULT_UNEXPECTED_PASS, "expected: %.100s", expected);
      }
      return;
   }
   if (!result_status_is_bad(last->status)) {
      copy(last, result);
      /* A pass after all: its figure stands. */
      result->status = RESULT_FLAKE;
      snprintf(result->reason, sizeof(result->reason), "%s on try %u, before that %s: %.150s",
               result_status_names[last->status], outcome->tries, result_status_names[first->status], first->reason);
      return;
   }
   copy(first, result);
   if (is_expected_failure(expectations, first)) {
      cover(result, RESULT_EXPECTED_FAIL, "");
   } else if (expect_flake(expectations, first->name)) {
      cover(result, RESULT_KNOWN_FLAKE, "");
   }
}

void verdict_write_failure(const struct expectations *expectations, const struct outcome *outcome, FILE *file)
{
   const struct result *result = &outcome->first;
   const char *status = result_status_names[result->status];

   if (!result_status_is_bad(result->status) || expect_flake(expectations, result->name) ||
       (outcome->tries > 1 && !result_status_is_bad(outcome->last.status))) {
      return;
   }
   fprintf(file, "%s,%c%s\n", result->name, toupper(status[0]), status + 1);
}
