/* SPDX-License-Identifier: MIT
 *
 * The results of the tries of units. Invariant: each planned result gets a status, from its own report or from the
 * fate of its process.
 */
#include "agx_runner/runs/recording.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/clock.h"

#define MESSAGE_PREFIX "agx-runner: "
#define CANCELED_MAX 3 /* most tries of a unit that do not count */
#define TEXT_MAX (1u << 20)

/* The reports of a try so far. */
struct reported {
   struct attempt attempt;
   size_t planned, done; /* numbers of results */
   bool begun_one;       /* the next planned result has begun */
   char *text;           /* text that was printed since the last result */
   size_t text_size;
   double since; /* time of the last result in seconds of the monotonic clock */
};

static const char *unit_name(const struct recording *recording, const struct unit_try *try)
{
   const struct work *work = recording->pool->work;

   return work->name(work->data, try->unit);
}

static bool start(struct unit_try *try, double since)
{
   struct reported *reported = calloc(1, sizeof(*reported));

   try->state = reported;
   if (reported != NULL) {
      reported->since = since;
   }
   return reported != NULL;
}

static void forget(void *data, struct unit_try *try)
{
   struct reported *reported = try->state;

   (void)data;
   if (reported != NULL) {
      attempt_finish(&reported->attempt);
      free(reported->text);
      free(reported);
   }
   try->state = NULL;
}

static bool wanted(const void *data, size_t unit, unsigned *number)
{
   const struct recording *recording = data;
   const struct outcome *outcome = &recording->outcomes[unit];

   *number = outcome->tries + 1;
   return outcome->tries == 0 || outcome_wants_another_try(outcome, recording->expectations, recording->reruns);
}

static bool begin(void *data, struct unit_try *try)
{
   struct recording *recording = data;

   if (try->number == 1 && recording->outcomes[try->unit].canceled == 0) {
      progress_step(&recording->progress, unit_name(recording, try));
   }
   return start(try, util_clock_seconds());
}

static void finish_result(struct reported *reported, struct result *result)
{
   const double now = util_clock_seconds();

   result->seconds = now - reported->since;
   reported->since = now;
   result->output = reported->text;
   reported->text = NULL;
   reported->text_size = 0;
   reported->begun_one = false;
   reported->done++;
}

/* ---- Reports ---- */

static bool hear_plan(const struct recording *recording, const struct unit_try *try, const char *rest)
{
   struct reported *reported = try->state;
   const char *unit = unit_name(recording, try);

   if (reported->done > 0 || strncmp(rest, unit, strlen(unit)) != 0 || attempt_add(&reported->attempt, rest) == NULL) {
      return false;
   }
   reported->attempt.results[reported->planned++].status = RESULT_INCOMPLETE;
   return true;
}

static bool hear_begin(const struct recording *recording, const struct unit_try *try, const char *rest)
{
   struct reported *reported = try->state;

   (void)recording, (void)rest;
   reported->begun_one = true;
   return true;
}

static bool hear_result(const struct recording *recording, const struct unit_try *try, const char *rest)
{
   struct reported *reported = try->state;
   const bool planned = reported->done < reported->planned;
   struct result result;
   char message[128];

   (void)recording;
   if (reported->planned > 0 && !planned) {
      return false;
   }
   if (result_from_line(rest, &result, message, sizeof(message)) < 0) {
      return false;
   }
   if (!planned && attempt_add(&reported->attempt, "") == NULL) {
      result_finish(&result);
      return false;
   }
   if (planned) {
      /* the plan has the exact name; JSON lacks bytes that are no text */
      memcpy(result.name, reported->attempt.results[reported->done].name, sizeof(result.name));
   }
   reported->attempt.results[reported->done] = result;
   finish_result(reported, &reported->attempt.results[reported->done]);
   return true;
}

static bool hear_print(const struct recording *recording, const struct unit_try *try, const char *rest)
{
   struct reported *reported = try->state;
   const size_t length = strlen(rest);

   if (!recording->keep_output || reported->text_size + length > TEXT_MAX) {
      return true;
   }
   char *text = realloc(reported->text, reported->text_size + length + 2);
   if (text == NULL) {
      return false;
   }
   memcpy(text + reported->text_size, rest, length);
   memcpy(text + reported->text_size + length, "\n", 2);
   reported->text = text;
   reported->text_size += length + 1;
   return true;
}

static bool report(void *data, struct unit_try *try, const char *word, const char *rest)
{
   static const struct {
      const char *word;
      bool (*hear)(const struct recording *, const struct unit_try *, const char *);
   } words[] = {{"plan", hear_plan}, {"begin", hear_begin}, {"result", hear_result}, {"print", hear_print}};

   for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
      if (strcmp(words[i].word, word) == 0) {
         return words[i].hear(data, try, rest);
      }
   }
   return false;
}

static void show_progress(void *data, const struct unit_try *try, double fraction)
{
   struct recording *recording = data;

   if (try->number == 1 && recording->pool->jobs <= 1) {
      progress_update(&recording->progress, fraction);
   }
}

/* ---- The end of a try ---- */

/* Whether another client's fault ended the job: the kernel's driver resets the GPU and cancels all jobs that were
 * lost. */
static bool is_canceled(const struct attempt *attempt)
{
   for (size_t i = 0; i < attempt->count; i++) {
      if (attempt->results[i].status == RESULT_FAIL && strstr(attempt->results[i].reason, "ECANCELED") != NULL) {
         return true;
      }
   }
   return false;
}

/* Whether there is a failure that the device may have caused. */
static bool is_failure(const struct attempt *attempt)
{
   for (size_t i = 0; i < attempt->count; i++) {
      const enum result_status status = attempt->results[i].status;

      if (result_status_is_bad(status) && status != RESULT_INVALID) {
         return true;
      }
   }
   return false;
}

static const struct result *first_bad(const struct attempt *attempt)
{
   for (size_t i = 0; i < attempt->count; i++) {
      if (result_status_is_bad(attempt->results[i].status)) {
         return &attempt->results[i];
      }
   }
   return NULL;
}

static bool complete(void *data, struct unit_try *try, bool *failed)
{
   struct reported *reported = try->state;

   (void)data;
   *failed = is_failure(&reported->attempt);
   if (reported->attempt.count == 0 || reported->done < reported->attempt.count) {
      return false;
   }
   /* text after the last result belongs to it */
   struct result *last = &reported->attempt.results[reported->attempt.count - 1];
   if (last->output == NULL) {
      last->output = reported->text;
      reported->text = NULL;
   }
   return true;
}

/* Gives planned results that were not reached the fate of the process. If one of several had begun, it gets the fate,
 * and the others are marked as not reached. */
static bool lose_rest(const struct recording *recording, const struct unit_try *try, enum result_status status,
                      const char *reason)
{
   struct reported *reported = try->state;
   const char *culprit = NULL;

   if (reported->attempt.count == 0 && attempt_add(&reported->attempt, unit_name(recording, try)) == NULL) {
      return false;
   }
   const bool begun = reported->begun_one;
   while (reported->done < reported->attempt.count) {
      struct result *result = &reported->attempt.results[reported->done];

      if (culprit != NULL) {
         result_set(result, status, "not reached after %.200s", culprit);
      } else {
         result_set(result, status, "%.230s", reason);
      }
      finish_result(reported, result);
      culprit = begun && culprit == NULL ? result->name : culprit;
   }
   return true;
}

/* The device did not survive the unit: changes the result of its last try. */
static bool lose_device(const struct recording *recording, struct unit_try *try, const char *why, double seconds)
{
   struct outcome *outcome = &recording->outcomes[try->unit];
   const struct result *bad = first_bad(outcome->tries > 1 ? &outcome->last : &outcome->first);
   char before[160] = "", reason[400];

   if (bad != NULL) {
      snprintf(before, sizeof(before), "%s: %.120s", result_status_names[bad->status], bad->reason);
   }
   outcome->tries -= outcome->tries > 0;
   snprintf(reason, sizeof(reason), "the device did not come back: %.90s (%.120s)", why, before);
   return start(try, util_clock_seconds() - seconds) && lose_rest(recording, try, RESULT_HANG, reason);
}

static bool lose(void *data, struct unit_try *try, enum unit_fate fate, const char *why, double seconds)
{
   static const enum result_status statuses[] = {
       [UNIT_CRASHED] = RESULT_CRASH, [UNIT_LATE] = RESULT_TIMEOUT, [UNIT_STUCK] = RESULT_HANG};
   const struct recording *recording = data;
   const bool ours = strncmp(why, MESSAGE_PREFIX, strlen(MESSAGE_PREFIX)) == 0;
   char reason[400];

   switch (fate) {
   case UNIT_LOST:
      return lose_device(recording, try, why, seconds);
   case UNIT_UNOPENED:
      snprintf(reason, sizeof(reason), "the device cannot be opened: %.300s",
               ours ? why + strlen(MESSAGE_PREFIX) : why);
      return lose_rest(recording, try, RESULT_FAIL, reason);
   case UNIT_CRASHED:
   case UNIT_LATE:
   case UNIT_STUCK:
      break;
   }
   return lose_rest(recording, try, statuses[fate], why);
}

static void add_kernel_log(const struct recording *recording, struct attempt *attempt)
{
   struct result *bad = (struct result *)first_bad(attempt);

   if (bad != NULL && bad->kernel_log == NULL) {
      bad->kernel_log = kmsg_end(&recording->pool->kmsg);
   }
}

static enum try_end end(void *data, struct unit_try *try, char **line)
{
   const struct recording *recording = data;
   struct outcome *outcome = &recording->outcomes[try->unit];
   struct reported *reported = try->state;

   if (reported == NULL) {
      return TRY_NO_MEMORY;
   }
   if (is_canceled(&reported->attempt) && outcome->canceled < CANCELED_MAX) {
      outcome->canceled++;
      forget(data, try);
      return TRY_REPEATED;
   }
   add_kernel_log(recording, &reported->attempt);
   if (line != NULL) {
      *line = attempt_to_line(&reported->attempt);
   }
   outcome_add(outcome, &reported->attempt);
   forget(data, try);
   return line != NULL && *line == NULL ? TRY_NO_MEMORY : TRY_COUNTS;
}

static struct tries tries_of(struct recording *recording)
{
   return (struct tries){.data = recording,
                         .wanted = wanted,
                         .begin = begin,
                         .report = report,
                         .progress = show_progress,
                         .complete = complete,
                         .lose = lose,
                         .end = end,
                         .forget = forget};
}

int recording_run(struct recording *recording, struct pool *pool)
{
   const struct tries tries = tries_of(recording);
   size_t missing = 0;

   recording->pool = pool;
   pool->tries = &tries;
   for (size_t i = 0; i < pool->work->count; i++) {
      missing += recording->outcomes[i].tries == 0;
   }
   progress_start(&recording->progress, missing);
   const int code = pool_run(pool);
   progress_finish(&recording->progress);
   pool->tries = NULL;
   return code;
}
