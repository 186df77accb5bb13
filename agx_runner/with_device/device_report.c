/* SPDX-License-Identifier: MIT
 *
 * Writes the text of a report. A process that opened its device and did not end normally has left only a first line,
 * with its counters at the end of its last job; the text says so.
 */
#include "agx_runner/with_device/device_report.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agx_runner/terminal/runner.h"
#include "util/array.h"

static uint64_t number(struct json_object *object, const char *key)
{
   struct json_object *value;
   return object != NULL && json_object_object_get_ex(object, key, &value) ? json_object_get_uint64(value) : 0;
}

static const char *string(struct json_object *object, const char *key)
{
   struct json_object *value;
   return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value) : "";
}

static int by_cycles(const void *left, const void *right)
{
   struct json_object *const *a = left, *const *b = right;
   const uint64_t first = number(*a, "cycles"), second = number(*b, "cycles");
   return first < second ? 1 : first > second ? -1 : 0;
}

static void write_programs(struct json_object *report, FILE *out)
{
   struct json_object *programs;
   if (!json_object_object_get_ex(report, "programs", &programs) || json_object_array_length(programs) == 0) {
      return;
   }
   json_object_array_sort(programs, by_cycles);
   const size_t count = json_object_array_length(programs);
   fprintf(out, "  %-18s %-11s %9s %12s %14s %14s %7s\n", "program at", "stage", "launches", "threads", "instructions",
           "cycles (model)", "faults");
   for (size_t i = 0; i < count; i++) {
      struct json_object *program = json_object_array_get_idx(programs, i);
      char cycles[32] = "not modelled"; /* of render passes */
      if (strcmp(string(program, "stage"), "compute") == 0) {
         snprintf(cycles, sizeof(cycles), "%" PRIu64, number(program, "cycles"));
      }
      fprintf(out, "  0x%-16" PRIx64 " %-11s %9" PRIu64 " %12" PRIu64 " %14" PRIu64 " %14s %7" PRIu64 "\n",
              number(program, "code"), string(program, "stage"), number(program, "launches"),
              number(program, "threads"), number(program, "instructions"), cycles, number(program, "faults"));
   }
   const uint64_t all = number(report, "program_count");
   if (all > count) {
      fprintf(out, "  and %" PRIu64 " more programs\n", all - count);
   }
}

static uint64_t launches(struct json_object *report)
{
   struct json_object *programs;
   uint64_t sum = 0;
   if (json_object_object_get_ex(report, "programs", &programs)) {
      for (size_t i = 0; i < json_object_array_length(programs); i++) {
         sum += number(json_object_array_get_idx(programs, i), "launches");
      }
   }
   return sum;
}

static void write_checks(struct json_object *report, FILE *out)
{
   struct json_object *checks, *places;
   const uint64_t all = number(report, "check_reports");
   if (all == 0 || !json_object_object_get_ex(report, "checks", &checks)) {
      return;
   }
   const size_t known =
       json_object_object_get_ex(report, "check_places", &places) ? json_object_array_length(places) : 0;
   for (size_t i = 0; i < json_object_array_length(checks); i++) {
      fprintf(out, "  check: %s\n", json_object_get_string(json_object_array_get_idx(checks, i)));
      if (i < known) {
         fprintf(out, "    at %s\n", json_object_get_string(json_object_array_get_idx(places, i)));
      }
   }
   if (all > json_object_array_length(checks)) {
      fprintf(out, "  check: %" PRIu64 " more\n", all - json_object_array_length(checks));
   }
}

/* Writes the report of the last fault. */
static void write_postmortem(struct json_object *report, FILE *out)
{
   struct json_object *lines;
   if (json_object_object_get_ex(report, "postmortem", &lines)) {
      for (size_t i = 0; i < json_object_array_length(lines); i++) {
         fprintf(out, "    %s\n", json_object_get_string(json_object_array_get_idx(lines, i)));
      }
   }
}

/* Each distinct fault and how often it happened. */
static void write_faults(struct json_object *report, FILE *out)
{
   struct json_object *faults;
   if (!json_object_object_get_ex(report, "distinct_faults", &faults)) {
      return;
   }
   for (size_t i = 0; i < json_object_array_length(faults); i++) {
      struct json_object *fault = json_object_array_get_idx(faults, i);
      const uint64_t times = number(fault, "times");
      fprintf(out, "  fault, %" PRIu64 " time%s: %s\n", times, times == 1 ? "" : "s", string(fault, "fault"));
   }
   if (number(report, "other_faults") != 0) {
      fprintf(out, "  and %" PRIu64 " other faults\n", number(report, "other_faults"));
   }
}

static void write_accesses(struct json_object *report, FILE *out)
{
   const uint64_t soft = number(report, "soft_fault_loads") + number(report, "soft_fault_stores");
   if (soft != 0) {
      fprintf(out, "  %" PRIu64 " accesses to unmapped memory; the first: %s\n", soft,
              string(report, "soft_fault_place"));
   }
}

static bool is_bad(struct json_object *report)
{
   return number(report, "faults") != 0 || number(report, "check_reports") != 0;
}

/* Faults, accesses to unmapped memory, and what checks found. */
static void write_findings(struct json_object *report, FILE *out)
{
   if (number(report, "faults") != 0) {
      write_faults(report, out);
      fprintf(out, "  last fault: %s\n", string(report, "last_fault"));
      write_postmortem(report, out);
   }
   write_accesses(report, out);
   write_checks(report, out);
}

/* What the device took on the host, and why instructions were interpreted beside compiled blocks. */
static void write_host_time(struct json_object *report, FILE *out)
{
   struct json_object *causes;
   const uint64_t executed = number(report, "executed");
   fprintf(out, "  processor time of the device: %.2f s\n", (double)number(report, "device_ns") / 1e9);
   if (executed == 0 || !json_object_object_get_ex(report, "interpreted", &causes)) {
      return;
   }
   fprintf(out, "  host code: %" PRIu64 " functions compiled, %" PRIu64 " loaded from the cache, in %.2f s of it\n",
           number(report, "compiled_functions"), number(report, "loaded_functions"),
           (double)number(report, "compile_ns") / 1e9);
   fprintf(out, "  interpreted by the host, of %" PRIu64 " simdgroup instructions of launches with a compiler:\n",
           executed);
   for (size_t i = 0; i < json_object_array_length(causes); i++) {
      struct json_object *cause = json_object_array_get_idx(causes, i);
      const uint64_t instructions = number(cause, "instructions");
      fprintf(out, "    %5.1f %%  %s\n", 100.0 * (double)instructions / (double)executed, string(cause, "cause"));
   }
}

static void write_close(struct json_object *report, bool stats, FILE *out)
{
   fprintf(out,
           "%s (%" PRIu64 "): %" PRIu64 " commands, %" PRIu64 " programs, %" PRIu64 " launches, %" PRIu64
           " cycles (modelled), %" PRIu64 " faults\n",
           string(report, "program"), number(report, "pid"), number(report, "commands"),
           number(report, "program_count"), launches(report), number(report, "cycles"), number(report, "faults"));
   write_findings(report, out);
   if (stats) {
      write_programs(report, out);
      write_host_time(report, out);
   }
}

/* A process that has left no more than its first line. */
static void write_killed(struct json_object *report, FILE *out)
{
   fprintf(out,
           "%s (%" PRIu64 ") was killed, or ended by _exit(); until its last job: %" PRIu64 " commands, %" PRIu64
           " cycles (modelled), %" PRIu64 " faults\n",
           string(report, "program"), number(report, "pid"), number(report, "commands"), number(report, "cycles"),
           number(report, "faults"));
   if (number(report, "faults") != 0) {
      fprintf(out, "  last fault: %s\n", string(report, "last_fault"));
   }
   write_accesses(report, out);
   if (number(report, "check_reports") != 0) {
      fprintf(out, "  check: %" PRIu64 " reports, which are lost\n", number(report, "check_reports"));
   }
}

/* Returns all of the file, followed by a '\0'; NULL: out of memory or a read error. */
static char *read_all(int fd)
{
   const off_t size = lseek(fd, 0, SEEK_END);
   char *text = size < 0 ? NULL : malloc((size_t)size + 1);
   if (text != NULL && pread(fd, text, (size_t)size, 0) != (ssize_t)size) {
      free(text);
      return NULL;
   }
   if (text != NULL) {
      text[size] = '\0';
   }
   return text;
}

#define LINE_BYTES 4096 /* of a fault; more than it takes */

void device_report_follow(int fd, off_t *place, FILE *out)
{
   char bytes[LINE_BYTES];
   ssize_t size;
   while ((size = pread(fd, bytes, sizeof(bytes) - 1, *place)) > 0) {
      bytes[size] = '\0';
      char *end = memchr(bytes, '\n', (size_t)size);
      if (end == NULL) {
         /* A line that is longer than those of faults is passed over. */
         *place += size == sizeof(bytes) - 1 ? size : 0;
         if (size < (ssize_t)sizeof(bytes) - 1) {
            return;
         }
         continue;
      }
      *end = '\0';
      *place += end + 1 - bytes;
      struct json_object *line = strstr(bytes, "\"fault\"") != NULL ? json_tokener_parse(bytes) : NULL;
      if (line != NULL && strcmp(string(line, "event"), "fault") == 0) {
         fprintf(out, "agx-runner: with-device: %s (%" PRIu64 "): fault: %s\n", string(line, "program"),
                 number(line, "pid"), string(line, "fault"));
         fflush(out);
      }
      json_object_put(line);
   }
}

#define PROCESSES 4096

int device_report_write(int fd, bool stats, bool *found, FILE *out)
{
   struct json_object **open = calloc(PROCESSES, sizeof(struct json_object *));
   char *text = read_all(fd), *rest = text;
   size_t count = 0;
   bool any = false;
   *found = false;
   if (open == NULL || text == NULL) {
      free(open);
      free(text);
      return complain(EXIT_FAILED, "with-device: the report cannot be read: %s", strerror(errno));
   }
   for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
      struct json_object *report = *line != '\0' ? json_tokener_parse(line) : NULL;
      if (report == NULL) {
         continue;
      }
      const uint64_t pid = number(report, "pid");
      any = true;
      *found |= is_bad(report);
      if (strcmp(string(report, "event"), "open") == 0 && count < PROCESSES) {
         open[count++] = json_object_get(report);
      } else if (strcmp(string(report, "event"), "close") == 0) {
         write_close(report, stats, out);
         for (size_t i = 0; i < count; i++) {
            if (number(open[i], "pid") == pid) {
               json_object_put(open[i]);
               open[i] = NULL;
            }
         }
      }
      json_object_put(report);
   }
   for (size_t i = 0; i < count; i++) {
      if (open[i] != NULL) {
         write_killed(open[i], out);
         json_object_put(open[i]);
      }
   }
   if (!any) {
      fprintf(out, "no process opened the device\n");
   }
   free(open);
   free(text);
   return EXIT_OK;
}

/* The text of an array's first element; "" where there is none. */
static const char *first_of(struct json_object *report, const char *key)
{
   struct json_object *list;
   return json_object_object_get_ex(report, key, &list) && json_object_array_length(list) > 0
              ? json_object_get_string(json_object_array_get_idx(list, 0))
              : "";
}

static void add_counters(struct device_report *report, struct json_object *line)
{
   report->faults += number(line, "faults");
   report->soft_faults += number(line, "soft_fault_loads") + number(line, "soft_fault_stores");
   report->findings += number(line, "check_reports");
   report->launches += launches(line);
   report->instructions += number(line, "instructions");
   report->cycles += number(line, "cycles");
   if (report->first == NULL && is_bad(line)) {
      report->first = strdup(number(line, "faults") != 0 ? string(line, "last_fault") : first_of(line, "checks"));
   }
}

/* Whether the process of a first line has left a last one. */
static bool has_ended(struct json_object *lines, uint64_t pid)
{
   for (size_t i = 0; i < json_object_array_length(lines); i++) {
      struct json_object *line = json_object_array_get_idx(lines, i);
      if (strcmp(string(line, "event"), "close") == 0 && number(line, "pid") == pid) {
         return true;
      }
   }
   return false;
}

static struct json_object *parse_lines(char *text)
{
   struct json_object *lines = json_object_new_array();
   for (char *line; lines != NULL && text != NULL && (line = strsep(&text, "\n")) != NULL;) {
      struct json_object *read = *line != '\0' ? json_tokener_parse(line) : NULL;
      if (read != NULL && json_object_array_add(lines, read) < 0) {
         json_object_put(read);
      }
   }
   return lines;
}

bool device_report_read(int fd, struct device_report *report)
{
   char *text = read_all(fd);
   struct json_object *lines = parse_lines(text);
   *report = (struct device_report){.close = NULL};
   for (size_t i = 0; lines != NULL && i < json_object_array_length(lines); i++) {
      struct json_object *line = json_object_array_get_idx(lines, i);
      const char *event = string(line, "event");
      if (strcmp(event, "close") == 0) {
         json_object_put(report->close);
         report->close = json_object_get(line);
         add_counters(report, line);
      } else if (strcmp(event, "open") == 0 && !has_ended(lines, number(line, "pid"))) {
         add_counters(report, line);
      }
   }
   const bool good = text != NULL && lines != NULL;
   json_object_put(lines);
   free(text);
   return good;
}

int device_report_post_mortems(int fd, const char *path)
{
   static const char *const kept[] = {"program", "pid", "last_fault", "post_mortem"};
   char *text = read_all(fd);
   struct json_object *lines = parse_lines(text), *all = json_object_new_array();
   for (size_t i = 0; lines != NULL && i < json_object_array_length(lines); i++) {
      struct json_object *line = json_object_array_get_idx(lines, i);
      if (strcmp(string(line, "event"), "close") != 0 || number(line, "faults") == 0) {
         continue;
      }
      struct json_object *one = json_object_new_object();
      for (size_t k = 0; k < ARRAY_COUNT(kept); k++) {
         json_object_object_add(one, kept[k], json_object_get(json_object_object_get(line, kept[k])));
      }
      json_object_array_add(all, one);
   }
   const bool good = lines != NULL && json_object_to_file_ext(path, all, JSON_C_TO_STRING_PRETTY) == 0;
   json_object_put(all);
   json_object_put(lines);
   free(text);
   return good ? EXIT_OK : complain(EXIT_FAILED, "with-device: --post-mortem %s cannot be written", path);
}

void device_report_findings(const struct device_report *report, FILE *out)
{
   if (report->close != NULL) {
      write_findings(report->close, out);
   }
}

void device_report_finish(struct device_report *report)
{
   json_object_put(report->close);
   free(report->first);
   *report = (struct device_report){.close = NULL};
}
