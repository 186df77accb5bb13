/* SPDX-License-Identifier: MIT
 *
 * A session for people, and as Piglit's own tester would have told it. JSON: json.c.
 */
#include "agx_runner/piglit/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A reason for skips, and how many tests have it. */
struct reason {
   char *text;
   size_t tests;
};

struct summary {
   FILE *out;
   struct reason *reasons;
   size_t count;
   bool no_memory;
};

/* In a reason such as "FILE:LINE: why", FILE is the test's own. */
static const char *without_path(const char *reason, const char *path)
{
   size_t length = strlen(path);

   if (strncmp(reason, path, length) != 0 || reason[length] != ':') {
      return reason;
   }
   reason += length + 1;
   reason += strspn(reason, "0123456789:");
   return reason + strspn(reason, " ");
}

static void count_reason(struct summary *summary, const char *text)
{
   for (size_t i = 0; i < summary->count; i++) {
      if (strcmp(summary->reasons[i].text, text) == 0) {
         summary->reasons[i].tests++;
         return;
      }
   }
   struct reason *grown = realloc(summary->reasons, (summary->count + 1) * sizeof(*grown));
   char *copy = strdup(text);
   if (grown != NULL) {
      summary->reasons = grown;
   }
   if (grown == NULL || copy == NULL) {
      free(copy);
      summary->no_memory = true;
      return;
   }
   grown[summary->count++] = (struct reason){.text = copy, .tests = 1};
}

static void summarize(void *data, const struct piglit_record *record)
{
   static const char *const notes[] = {
       [PIGLIT_EXPECTED] = " (expected)",
       [PIGLIT_FLAKE] = " (flake)",
       [PIGLIT_IMPROVED] = " (better than expected)",
       [PIGLIT_UNEXPECTED] = "",
   };
   struct summary *summary = data;

   if (record->status == PIGLIT_SKIP) {
      count_reason(summary, without_path(record->reason, record->file->path));
   }
   if ((record->status != PIGLIT_PASS && record->status != PIGLIT_SKIP) || record->verdict != PIGLIT_EXPECTED) {
      fprintf(summary->out, "%-7s %s%s%s%s\n", piglit_status_name(record->status), record->name, notes[record->verdict],
              record->reason[0] != 0 ? ": " : "", record->reason);
   }
}

static int most_first(const void *a, const void *b)
{
   const struct reason *left = a, *right = b;

   return left->tests != right->tests ? left->tests < right->tests ? 1 : -1 : strcmp(left->text, right->text);
}

static void write_totals(const struct piglit_session *session, const struct piglit_totals *totals, FILE *out)
{
   fprintf(out, "%zu tests in %zu files, %.1f s: ", totals->tests, totals->files, session->seconds);
   for (unsigned i = 0; i < PIGLIT_STATUSES; i++) {
      if (i <= PIGLIT_SKIP || totals->status[i] > 0) {
         fprintf(out, "%s%zu %s", i > 0 ? ", " : "", totals->status[i], piglit_status_name(i));
      }
   }
   if (session->expectations != NULL) {
      fprintf(out, "; %zu unexpected, %zu better than expected, %zu flaky", totals->unexpected, totals->improved,
              totals->flaky);
   }
   fputc('\n', out);
}

int piglit_write_summary(const struct piglit_session *session, FILE *out)
{
   struct summary summary = {.out = out};
   struct piglit_totals totals;

   fprintf(out, "device: %s (%s)\n", session->device.name, session->device.path);
   int ret = piglit_session_each(session, summarize, &summary);
   if (ret == 0) {
      ret = piglit_session_count(session, &totals);
   }
   if (ret == 0 && summary.no_memory) {
      ret = -ENOMEM;
   }
   if (ret == 0 && summary.count > 0) {
      qsort(summary.reasons, summary.count, sizeof(*summary.reasons), most_first);
      fputs("skipped because:\n", out);
      for (size_t i = 0; i < summary.count; i++) {
         fprintf(out, "%7zu %s\n", summary.reasons[i].tests, summary.reasons[i].text);
      }
   }
   if (ret == 0) {
      write_totals(session, &totals, out);
   }
   for (size_t i = 0; i < summary.count; i++) {
      free(summary.reasons[i].text);
   }
   free(summary.reasons);
   return ret;
}

int piglit_write_protocol(const struct piglit_session *session, FILE *out)
{
   for (size_t i = 0; i < session->count; i++) {
      if (session->results[i].no_memory) {
         return -ENOMEM;
      }
      fwrite(session->results[i].text, 1, session->results[i].text_size, out);
   }
   return 0;
}
