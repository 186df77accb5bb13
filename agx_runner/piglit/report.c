/* SPDX-License-Identifier: MIT
 *
 * Results of one file are adjacent in a run; `file` identifies them.
 */
#include "agx_runner/piglit/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/piglit/format/name.h"
#include "agx_runner/piglit/protocol.h"
#include "agx_runner/piglit/script/load.h"
#include "util/array.h"

/* ---- The summary ---- */

/* A reason for skips, and the number of tests that have it. */
struct reason {
   const char *text;
   size_t tests;
};

static int by_text(const void *a, const void *b)
{
   const struct reason *left = a, *right = b;

   return strcmp(left->text, right->text);
}

static int most_first(const void *a, const void *b)
{
   const struct reason *left = a, *right = b;

   return left->tests != right->tests ? left->tests < right->tests ? 1 : -1 : by_text(a, b);
}

/* The reason without the "FILE:LINE: " of the test itself, so that those of several files are one. */
static const char *common_reason(const struct result *result)
{
   const size_t length = result->file != NULL ? strlen(result->file) : 0;

   if (length == 0 || strncmp(result->reason, result->file, length) != 0 || result->reason[length] != ':') {
      return result->reason;
   }
   const char *rest = result->reason + length + 1;
   rest += strspn(rest, "0123456789:");
   return rest + strspn(rest, " ");
}

static int write_reasons(const struct result_run *run, FILE *out)
{
   struct reason *reasons = calloc(run->count + 1, sizeof(*reasons));
   size_t skipped = 0, kept = 0;

   if (reasons == NULL) {
      return -ENOMEM;
   }
   for (size_t i = 0; i < run->count; i++) {
      if (run->results[i].status == RESULT_SKIP) {
         reasons[skipped++] = (struct reason){common_reason(&run->results[i]), 1};
      }
   }
   qsort(reasons, skipped, sizeof(*reasons), by_text);
   for (size_t i = 0; i < skipped; i++) {
      if (kept > 0 && strcmp(reasons[kept - 1].text, reasons[i].text) == 0) {
         reasons[kept - 1].tests++;
      } else {
         reasons[kept++] = reasons[i];
      }
   }
   qsort(reasons, kept, sizeof(*reasons), most_first);
   fputs(kept > 0 ? "skipped because:\n" : "", out);
   for (size_t i = 0; i < kept; i++) {
      fprintf(out, "%7zu %s\n", reasons[i].tests, reasons[i].text);
   }
   free(reasons);
   return 0;
}

static bool same_file(const struct result *a, const struct result *b)
{
   return a->file != NULL && b->file != NULL && strcmp(a->file, b->file) == 0;
}

/* Counts the files of programs with a [config] and without a [test], whose build alone is tested. */
static size_t count_builds(const struct result_run *run)
{
   size_t builds = 0;

   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];
      char *name = result->file != NULL && result->status == RESULT_PASS && !script_is_one(result->file)
                       ? piglit_test_name(result->file)
                       : NULL;

      builds += name != NULL && strcmp(name, result->name) == 0;
      free(name);
   }
   return builds;
}

static void write_totals(const struct result_run *run, bool expected, double seconds, FILE *out)
{
   size_t files = 0, unexpected = 0;

   for (size_t i = 0; i < run->count; i++) {
      files += run->results[i].file != NULL && (i == 0 || !same_file(&run->results[i - 1], &run->results[i]));
      unexpected += result_status_is_bad(run->results[i].status);
   }
   fprintf(out, "%zu tests", run->count);
   if (files > 0) {
      fprintf(out, " in %zu files", files);
   }
   fprintf(out, ", %.1f s: ", seconds);
   for (enum result_status status = 0; status < RESULT_STATUS_COUNT; status++) {
      const size_t count = result_count_status(run, status);

      if (status <= RESULT_SKIP || count > 0) {
         fprintf(out, "%s%zu %s", status > 0 ? ", " : "", count, result_status_names[status]);
      }
   }
   if (expected) {
      fprintf(out, "; %zu not as expected", unexpected);
   }
   const size_t builds = count_builds(run);
   if (builds > 0) {
      fprintf(out, "; %zu pass%s %s of a program without a [test], whose build alone is tested", builds,
              builds == 1 ? "" : "es", builds == 1 ? "is" : "are");
   }
   fputc('\n', out);
}

int piglit_write_summary(const struct result_run *run, bool expected, double seconds, FILE *out)
{
   fprintf(out, "device: %s (%s)\n", run->device.name, run->device.path);
   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];

      if (result->status != RESULT_PASS && result->status != RESULT_SKIP) {
         fprintf(out, "%-7s %s%s%s\n", result_status_names[result->status], result->name,
                 result->reason[0] != '\0' ? ": " : "", result->reason);
      }
   }
   const int ret = write_reasons(run, out);
   write_totals(run, expected, seconds, out);
   return ret;
}

/* ---- Piglit's protocol ---- */

/* The status words of Piglit's framework. */
static const char *protocol_status(enum result_status status)
{
   static const char *const words[RESULT_STATUS_COUNT] = {
       [RESULT_PASS] = "pass",       [RESULT_FLAKE] = "pass",   [RESULT_UNEXPECTED_PASS] = "pass",
       [RESULT_SKIP] = "skip",       [RESULT_INVALID] = "warn", [RESULT_WARN] = "warn",
       [RESULT_CRASH] = "crash",     [RESULT_HANG] = "crash",   [RESULT_INCOMPLETE] = "incomplete",
       [RESULT_TIMEOUT] = "timeout",
   };

   return words[status] != NULL ? words[status] : "fail";
}

/* Returns the rank of a file's status word: the highest one of its tests is the file's. */
static unsigned weight(const char *word)
{
   static const char *const words[] = {"skip", "pass", "warn", "fail", "incomplete", "timeout", "crash"};
   unsigned i = 0;

   while (i + 1 < ARRAY_COUNT(words) && strcmp(words[i], word) != 0) {
      i++;
   }
   return i;
}

static int write_file(const struct result *results, size_t count, FILE *out)
{
   char *name = piglit_test_name(results[0].file != NULL ? results[0].file : "");
   const char *all = "skip";

   if (name == NULL) {
      return -ENOMEM;
   }
   for (size_t i = 0; i < count; i++) {
      const char *word = protocol_status(results[i].status);
      const size_t length = strlen(name);

      fputs(results[i].output != NULL ? results[i].output : "", out);
      if (strlen(results[i].name) > length) {
         piglit_print_subtest(out, results[i].name + length + 1, word);
      }
      all = weight(word) > weight(all) ? word : all;
   }
   piglit_print_result(out, all);
   free(name);
   return 0;
}

int piglit_write_protocol(const struct result_run *run, FILE *out)
{
   int ret = 0;

   for (size_t first = 0, count; ret == 0 && first < run->count; first += count) {
      count = 1;
      while (first + count < run->count && same_file(&run->results[first], &run->results[first + count])) {
         count++;
      }
      ret = write_file(&run->results[first], count, out);
   }
   return ret;
}
