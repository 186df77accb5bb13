/* SPDX-License-Identifier: MIT
 *
 * The tries of a unit, and how expectation files classify their results. A result depends on its own tries alone, not
 * on other results of the unit.
 */
#include "agx_runner/runs/outcome.h"

#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/array.h"

/* In the order of a message; each is a result_status_names[] with a capital letter. */
const char *const outcome_fail_words[] = {"Fail", "Crash", "Timeout", "Hang", "Invalid", "Incomplete", "Warn", NULL};

/* ---- Attempts ---- */

void attempt_finish(struct attempt *attempt)
{
   for (size_t i = 0; i < attempt->count; i++) {
      result_finish(&attempt->results[i]);
   }
   free(attempt->results);
   *attempt = (struct attempt){0};
}

struct result *attempt_add(struct attempt *attempt, const char *name)
{
   if (!ARRAY_RESERVE_ONE(attempt->results, attempt->count)) {
      return NULL;
   }
   result_init(&attempt->results[attempt->count], name);
   return &attempt->results[attempt->count++];
}

bool attempt_is_bad(const struct attempt *attempt)
{
   for (size_t i = 0; i < attempt->count; i++) {
      if (result_status_is_bad(attempt->results[i].status)) {
         return true;
      }
   }
   return false;
}

char *attempt_to_line(const struct attempt *attempt)
{
   char *text = NULL;
   size_t size = 0;
   bool whole = true;

   if (attempt->count == 1) {
      return result_to_line(&attempt->results[0]);
   }
   FILE *stream = open_memstream(&text, &size);
   if (stream == NULL) {
      return NULL;
   }
   for (size_t i = 0; i < attempt->count; i++) {
      char *line = result_to_line(&attempt->results[i]);

      whole &= line != NULL;
      fprintf(stream, "%c%s", i == 0 ? '[' : ',', line != NULL ? line : "");
      free(line);
   }
   fputs(attempt->count == 0 ? "[]" : "]", stream);
   if (fclose(stream) != 0 || !whole) {
      free(text);
      return NULL;
   }
   return text;
}

static int read_one(const char *line, struct attempt *attempt, char *message, size_t message_size)
{
   struct result *result = attempt_add(attempt, "");

   if (result == NULL) {
      return -ENOMEM;
   }
   const int error = result_from_line(line, result, message, message_size);
   if (error < 0) {
      result_init(result, "");
   }
   return error;
}

int attempt_from_line(const char *line, struct attempt *attempt, char *message, size_t message_size)
{
   int error = 0;

   *attempt = (struct attempt){0};
   if (line[0] != '[') {
      error = read_one(line, attempt, message, message_size);
   } else {
      struct json_object *list = json_tokener_parse(line);

      if (list == NULL) {
         snprintf(message, message_size, "not JSON");
         error = -EINVAL;
      }
      for (size_t i = 0; error == 0 && i < json_object_array_length(list); i++) {
         error = read_one(json_object_to_json_string_ext(json_object_array_get_idx(list, i), JSON_C_TO_STRING_PLAIN),
                          attempt, message, message_size);
      }
      json_object_put(list);
   }
   if (error < 0) {
      attempt_finish(attempt);
   }
   return error;
}

/* ---- Outcomes ---- */

void outcome_finish(struct outcome *outcome)
{
   attempt_finish(&outcome->first);
   attempt_finish(&outcome->last);
   *outcome = (struct outcome){0};
}

void outcome_add(struct outcome *outcome, struct attempt *attempt)
{
   struct attempt *place = outcome->tries++ == 0 ? &outcome->first : &outcome->last;

   attempt_finish(place);
   *place = *attempt;
   *attempt = (struct attempt){0};
}

/* ---- Classification ---- */

static bool is_expected_failure(const struct expectations *expectations, const struct result *result)
{
   const char *expected = expect_fail(expectations, result->name);

   return expected != NULL && strcasecmp(expected, result_status_names[result->status]) == 0;
}

bool outcome_wants_another_try(const struct outcome *outcome, const struct expectations *expectations, unsigned reruns)
{
   bool surprise = false;

   if (outcome->tries == 0 || outcome->tries > reruns || (outcome->tries > 1 && !attempt_is_bad(&outcome->last))) {
      return false;
   }
   for (size_t i = 0; i < outcome->first.count; i++) {
      const struct result *result = &outcome->first.results[i];

      if (result->status == RESULT_HANG || result->status == RESULT_INCOMPLETE) {
         return false;
      }
      surprise |= result_status_is_bad(result->status) && result->status != RESULT_INVALID &&
                  !is_expected_failure(expectations, result) && !expect_flake(expectations, result->name);
   }
   return surprise;
}

/* Replaces the status of a result; the reason then begins with the old one. */
static void cover(struct result *result, enum result_status status)
{
   char reason[sizeof(result->reason)];

   snprintf(reason, sizeof(reason), "%s%s%.200s", result_status_names[result->status],
            result->reason[0] != '\0' ? ": " : "", result->reason);
   result_set(result, status, "%s", reason);
}

/* Classifies a result. The outcome keeps its own results: those of the report are copies, and are freed with their
 * run. */
static void judge(const struct expectations *expectations, const struct result *first, const struct result *last,
                  unsigned tries, struct result *result)
{
   const char *expected = expect_fail(expectations, first->name);

   if (!result_status_is_bad(first->status)) {
      result_copy(first, result);
      if (expected != NULL && first->status == RESULT_PASS) {
         result_set(result, RESULT_UNEXPECTED_PASS, "expected: %.100s", expected);
      }
      return;
   }
   if (!result_status_is_bad(last->status)) {
      result_copy(last, result);
      /* it passed in the end, so its figure is valid */
      result->status = RESULT_FLAKE;
      snprintf(result->reason, sizeof(result->reason), "%s on try %u, before that %s: %.150s",
               result_status_names[last->status], tries, result_status_names[first->status], first->reason);
      return;
   }
   result_copy(first, result);
   if (is_expected_failure(expectations, first)) {
      cover(result, RESULT_EXPECTED_FAIL);
   } else if (expect_flake(expectations, first->name)) {
      cover(result, RESULT_KNOWN_FLAKE);
   }
}

/* Returns the same result of the last try; the first try's if the last one did not reach it. */
static const struct result *last_result(const struct outcome *outcome, size_t index)
{
   const struct result *first = &outcome->first.results[index];

   if (outcome->tries > 1 && index < outcome->last.count &&
       strcmp(outcome->last.results[index].name, first->name) == 0) {
      return &outcome->last.results[index];
   }
   return first;
}

bool outcome_judge(const struct outcome *outcome, const struct expectations *expectations, struct result_run *run)
{
   for (size_t i = 0; i < outcome->first.count; i++) {
      struct result *result = result_add(run, "");

      if (result == NULL) {
         return false;
      }
      judge(expectations, &outcome->first.results[i], last_result(outcome, i), outcome->tries, result);
   }
   return true;
}

void outcome_write_failures(const struct outcome *outcome, const struct expectations *expectations, FILE *file)
{
   for (size_t i = 0; i < outcome->first.count; i++) {
      const struct result *result = &outcome->first.results[i];
      const char *status = result_status_names[result->status];

      if (result_status_is_bad(result->status) && !expect_flake(expectations, result->name) &&
          result_status_is_bad(last_result(outcome, i)->status)) {
         fprintf(file, "%s,%c%s\n", result->name, toupper(status[0]), status + 1);
      }
   }
}
