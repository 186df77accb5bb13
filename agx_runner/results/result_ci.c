/* SPDX-License-Identifier: MIT
 *
 * A run in the formats of continuous integration systems: JUnit (Ant's format) and TAP 14.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "agx_runner/terminal/markup.h"
#include "agx_runner/results/result.h"

/* The meaning of a status in these formats. */
enum verdict { VERDICT_OK, VERDICT_SKIP, VERDICT_EXPECTED, VERDICT_FAILURE, VERDICT_ERROR };

static enum verdict verdict_of(enum result_status status)
{
   switch (status) {
   case RESULT_PASS:
   case RESULT_WARN:
   case RESULT_FLAKE:
      return VERDICT_OK;
   case RESULT_SKIP:
      return VERDICT_SKIP;
   case RESULT_EXPECTED_FAIL:
   case RESULT_KNOWN_FLAKE:
      return VERDICT_EXPECTED;
   case RESULT_FAIL:
   case RESULT_INVALID:
   case RESULT_UNEXPECTED_PASS:
      return VERDICT_FAILURE;
   default:
      return VERDICT_ERROR; /* there is no answer */
   }
}

static void attribute(const char *name, const char *value, FILE *file)
{
   fprintf(file, " %s=\"", name);
   markup_xml(value, file);
   fputc('"', file);
}

static void property(const char *name, const char *value, FILE *file)
{
   fputs("   <property", file);
   attribute("name", name, file);
   attribute("value", value, file);
   fputs("/>\n", file);
}

static void write_properties(const struct result_run *run, FILE *file)
{
   fputs("  <properties>\n", file);
   property("device", run->device.path, file);
   property("device_name", run->device.name, file);
   property("device_kind", run->device.is_virtual ? RESULT_VIRTUAL_NOTE : "hardware", file);
   property("agx_runner", run->agx_runner, file);
   property("commit", run->commit, file);
   property("mesa", run->mesa, file);
   property("mesa_commit", run->mesa_commit, file);
   property("mesa_debug", run->mesa_debug, file);
   property("kernel", run->kernel, file);
   property("command_line", run->command_line, file);
   fputs("  </properties>\n", file);
}

static void write_outcome(const struct result *result, FILE *file)
{
   static const char *const elements[] = {[VERDICT_SKIP] = "skipped",
                                          [VERDICT_EXPECTED] = "skipped",
                                          [VERDICT_FAILURE] = "failure",
                                          [VERDICT_ERROR] = "error"};
   const char *element = elements[verdict_of(result->status)];
   const char *status = result_status_names[result->status];

   if (element == NULL) {
      return;
   }
   fprintf(file, "   <%s", element);
   if (strcmp(element, "skipped") != 0) {
      attribute("type", status, file);
   }
   attribute("message", result->reason[0] != '\0' ? result->reason : status, file);
   fputs("/>\n", file);
}

/* Ant's format needs a number: 0 for tests that were not run. */
static double seconds_of(const struct result *result)
{
   return isfinite(result->seconds) ? result->seconds : 0;
}

/* Returns the name of a test in a file: after the file's own name, which ends its path, "@" and the test. A name
 * without that part is the file itself. */
static const char *test_in_file(const struct result *result)
{
   const char *slash = strrchr(result->file, '/'), *base = slash != NULL ? slash + 1 : result->file;
   const size_t length = strcspn(base, ".");

   for (const char *at = result->name; at != NULL; at = strchr(at, '@')) {
      at += *at == '@';
      if (strncasecmp(at, base, length) == 0 && at[length] == '@' && at[length + 1] != '\0') {
         return at + length + 1;
      }
   }
   return base;
}

/* Writes a benchmark's "group/name". */
static void write_case_name(const struct result *result, FILE *file)
{
   const char *slash = strchr(result->name, '/');
   char group[RESULT_NAME_MAX];

   if (result->file != NULL && result->file[0] != '\0') {
      attribute("classname", result->file + (strncmp(result->file, "./", 2) == 0 ? 2 : 0), file);
      attribute("name", test_in_file(result), file);
      return;
   }
   snprintf(group, sizeof(group), "%.*s", slash != NULL ? (int)(slash - result->name) : 0, result->name);
   attribute("classname", group[0] != '\0' ? group : "mix", file);
   attribute("name", slash != NULL ? slash + 1 : result->name, file);
}

static void write_case(const struct result *result, FILE *file)
{
   fputs("  <testcase", file);
   write_case_name(result, file);
   fprintf(file, " time=\"%.6f\">\n", seconds_of(result));
   write_outcome(result, file);
   if (isfinite(result->value)) {
      fputs("   <system-out>", file);
      fprintf(file, "%.9g ", result->value);
      markup_xml(result->unit, file);
      fprintf(file, ", 95 %% interval %.9g .. %.9g, %zu samples", result->low, result->high, result->sample_count);
      fputs("</system-out>\n", file);
   }
   fputs("  </testcase>\n", file);
}

int result_write_junit(const struct result_run *run, FILE *file)
{
   size_t counts[VERDICT_ERROR + 1] = {0};
   double seconds = 0;

   for (size_t i = 0; i < run->count; i++) {
      counts[verdict_of(run->results[i].status)]++;
      seconds += seconds_of(&run->results[i]);
   }
   fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"agx-runner\" id=\"0\"", file);
   attribute("package", run->device.is_virtual ? "virtual" : "hardware", file);
   attribute("hostname", run->host[0] != '\0' ? run->host : "unknown", file);
   /* Ant's format has no time zone; the time is UTC. */
   fprintf(file, " timestamp=\"%.19s\"", strlen(run->time) >= 19 ? run->time : "1970-01-01T00:00:00");
   fprintf(file, " time=\"%.6f\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", seconds, run->count,
           counts[VERDICT_FAILURE], counts[VERDICT_ERROR], counts[VERDICT_SKIP] + counts[VERDICT_EXPECTED]);
   write_properties(run, file);
   for (size_t i = 0; i < run->count; i++) {
      write_case(&run->results[i], file);
   }
   fputs("  <system-out>", file);
   if (run->device.is_virtual) {
      fputs(RESULT_VIRTUAL_NOTE, file);
   }
   fputs("</system-out>\n  <system-err></system-err>\n </testsuite>\n</testsuites>\n", file);
   return 0;
}

static void diagnostic(const char *key, const char *value, FILE *file)
{
   if (value[0] != '\0') {
      fprintf(file, "  %s: ", key);
      markup_yaml(value, file);
      fputc('\n', file);
   }
}

int result_write_tap(const struct result_run *run, FILE *file)
{
   fprintf(file, "TAP version 14\n1..%zu%s\n", run->count, run->count == 0 ? " # SKIP nothing was measured" : "");
   if (run->device.is_virtual) {
      fputs("# " RESULT_VIRTUAL_NOTE "\n", file);
   }
   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];
      const enum verdict verdict = verdict_of(result->status);

      fprintf(file, "%sok %zu - ", verdict >= VERDICT_EXPECTED ? "not " : "", i + 1);
      markup_tap(result->name, file);
      if (verdict == VERDICT_SKIP || verdict == VERDICT_EXPECTED) {
         fputs(verdict == VERDICT_SKIP ? " # SKIP " : " # TODO ", file);
         markup_tap(result->reason, file);
      }
      fputs("\n  ---\n", file);
      diagnostic("status", result_status_names[result->status], file);
      diagnostic("reason", result->reason, file);
      if (isfinite(result->value)) {
         fprintf(file, "  value: %.9g\n  low: %.9g\n  high: %.9g\n", result->value, result->low, result->high);
         diagnostic("unit", result->unit, file);
      }
      fputs("  ...\n", file);
   }
   return 0;
}
