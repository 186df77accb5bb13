/* SPDX-License-Identifier: MIT
 *
 * The reports of a fuzzing run. Invariant: text, Markdown and JSON are written from the same summary.
 */
#include "fuzz/report.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/coverage.h"
#include "agx_runner/terminal/format.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"

#define TITLE "found by agx-runner fuzz" /* of a program that is shown as a file */

static const char *const kinds[] = {[FINDING_WRONG] = "wrong answer",
                                    [FINDING_CRASH] = "crash of the compiler",
                                    [FINDING_FAULT] = "fault on the device",
                                    [FINDING_UNHANDLED] = "no code for an op",
                                    [FINDING_CHECKED] = "report of a check",
                                    [FINDING_REFUSED] = "refused by the front end",
                                    [FINDING_HANG] = "hang",
                                    [FINDING_KILLED] = "killed process"};

static void print_program(FILE *file, const struct finding *finding)
{
   const struct fuzz_report *report = &finding->report;
   const struct language *language = fuzz_language(report);

   if (language->print != NULL) {
      language->print(file, &report->program, report->difference.lane);
   } else {
      language->write(file, &report->program, &finding->expected, TITLE);
   }
}

static bool is_unrepaired(const struct fuzz_report *report)
{
   return report->language == LANGUAGE_OPENCL && report->kernel.unrepaired;
}

/* What became of it in one line; "": it was not asked. */
static void translated_line(const struct translated *translated, char *line, size_t size)
{
   static const struct {
      const char *text;
      bool why; /* follows */
   } lines[] = {
       [TRANSLATED_NOT_TRIED] = {"", false},
       [TRANSLATED_FAILS] = {"the same in OpenCL C:", false},
       [TRANSLATED_OTHERWISE] = {"OpenCL C fails, too, but who is to blame is another: ", true},
       [TRANSLATED_RIGHT] = {"OpenCL C does not show it", false},
       [TRANSLATED_IMPOSSIBLE] = {"cannot be translated to OpenCL C: ", true},
       [TRANSLATED_LATE] = {"not tried in all ways in OpenCL C: ", true},
   };

   snprintf(line, size, "%s%s", lines[translated->state].text, lines[translated->state].why ? translated->why : "");
}

/* A finding in NIR that was translated to OpenCL C, as a Piglit test. */
static void print_translated_test(FILE *file, const struct finding *finding)
{
   if (finding->translated.state == TRANSLATED_FAILS) {
      language_opencl.write(file, &finding->translated.kernel->program, &finding->translated.kernel->expected, TITLE);
   }
}

static void print_translated(FILE *file, const struct finding *finding)
{
   char line[224];

   translated_line(&finding->translated, line, sizeof(line));
   if (line[0] != '\0') {
      fprintf(file, "   %s\n", line);
   }
   print_translated_test(file, finding);
   if (finding->translated.state == TRANSLATED_FAILS && finding->kind == FINDING_WRONG) {
      fprintf(file, "   right 0x%" PRIx64 ", wrong 0x%" PRIx64 "\n", finding->translated.difference.expected,
              finding->translated.difference.found);
   }
}

void fuzz_report_finding(FILE *file, const struct finding *finding)
{
   const struct fuzz_report *report = &finding->report;

   fprintf(file, "%s%s: %s\n", finding->known ? "known " : "", kinds[finding->kind], finding->blamed);
   fprintf(file, "   verdict: %s\n", finding->verdict);
   if (finding->rule[0] != '\0') {
      fprintf(file, "   %s\n", finding->rule);
   }
   print_program(file, finding);
   if (finding->kind == FINDING_WRONG) {
      fprintf(file, "   right 0x%" PRIx64 ", wrong 0x%" PRIx64 " (lane %u)\n", report->difference.expected,
              report->difference.found, report->difference.lane);
   } else if (report->why[0] != '\0') {
      fprintf(file, "   %s\n", report->why);
   }
   if (is_unrepaired(report)) {
      fprintf(file, "   not with agx-runner's own repairs, which -D%s leaves out\n", COMPILER_NO_REPAIRS);
   }
   if (finding->unoptimized[0] != '\0') {
      fprintf(file, "   without the backend's optimizations: %s\n", finding->unoptimized);
   }
   if (finding->pocl[0] != '\0') {
      fprintf(file, "   PoCL: %s\n", finding->pocl);
   }
   print_translated(file, finding);
   if (finding->code[0] != '\0') {
      const char *marks = marks_text(finding->marks);
      fprintf(file, marks[0] != '\0' ? "   machine code (%s):\n%s" : "   machine code%s:\n%s", marks, finding->code);
   }
   fprintf(file, "   program %" PRIu64 "; signature %s\n", report->index, finding->signature);
}

static void write_text(FILE *file, const struct fuzz_summary *summary)
{
   const bool markdown = summary->settings->format == FORMAT_MARKDOWN;
   size_t fresh = 0;

   for (size_t i = 0; i < summary->findings->count; i++) {
      const struct finding *finding = summary->findings->items[i];
      fresh += finding->known ? 0 : 1;
      fprintf(file, markdown ? "### %zu. %s\n\n```\n" : "%zu. %s\n", i + 1, finding->blamed);
      fuzz_report_finding(file, finding);
      fprintf(file, markdown ? "```\n\n" : "   found %u times\n\n", finding->times);
   }
   fprintf(file,
           "%" PRIu64 " programs (%" PRIu64 " in OpenCL C) with %" PRIu64
           " expressions in %.1f s (%.0f programs/s), seed %" PRIu64 ": %zu findings, %zu of them new\n",
           summary->programs, summary->counts.tried[LANGUAGE_OPENCL], summary->counts.expressions, summary->seconds,
           (double)summary->programs / summary->seconds, summary->settings->seed, summary->findings->count, fresh);
   if (summary->counts.compiled != 0) {
      fprintf(file, "%" PRIu64 " small programs that spill were compiled, and not run\n", summary->counts.compiled);
   }
   fprintf(file,
           "%" PRIu64 " programs differ; %" PRIu64 " of them hold a shape found before and were not shrunk again\n",
           summary->counts.different, summary->counts.repeated);
   if (summary->unstable != NULL) {
      fprintf(file,
              "%" PRIu64 " programs fail once and not again, for instance program %" PRIu64
              " (%s): the compiler or the device does not always do the same\n",
              summary->counts.unstable, summary->unstable->unstable_index, summary->unstable->unstable_why);
   }
   coverage_write(file, summary->rules, markdown);
   if (summary->counts.refused != 0) {
      fprintf(file, "%" PRIu64 " programs refused by the compiler, for instance: %s\n", summary->counts.refused,
              summary->refusal);
   }
   if (summary->counts.undefined != 0) {
      fprintf(file, "%" PRIu64 " programs without a determined answer, for instance: %s\n", summary->counts.undefined,
              summary->indeterminate);
   }
}

static void warn_untried(FILE *file, uint64_t untried, uint64_t programs, const char *language, const char *example)
{
   if (untried * 2 > programs) {
      fprintf(file,
              "fuzz: warning: %" PRIu64 " of %" PRIu64 " programs in %s were not tried, so that no finding says little"
              "; for instance: %s\n",
              untried, programs, language, example != NULL ? example : "no determined answer");
   }
}

bool fuzz_untried(const struct fuzz_summary *summary, FILE *file)
{
   const uint64_t untried = summary->counts.refused + summary->counts.undefined;
   const char *example = summary->refusal != NULL ? summary->refusal : summary->indeterminate;

   for (uint32_t i = LANGUAGES; i-- > 0;) {
      warn_untried(file, summary->counts.untried[i], summary->counts.tried[i], language_of(i)->title, example);
   }
   return summary->programs != 0 && untried == summary->programs;
}

static char *text_of(const struct finding *finding, void (*print)(FILE *file, const struct finding *finding))
{
   char *text = NULL;
   size_t size = 0;
   FILE *file = open_memstream(&text, &size);

   if (file != NULL) {
      print(file, finding);
      fclose(file);
   }
   return text;
}

/* In OpenCL C: what became of it in one line, and the Piglit test; "" where there is none. */
static void add_translated(struct json_object *object, const struct finding *finding)
{
   char *text = text_of(finding, print_translated_test);
   char line[224];

   translated_line(&finding->translated, line, sizeof(line));
   json_object_object_add(object, "in_opencl", json_object_new_string(line));
   json_object_object_add(object, "opencl_test", json_object_new_string(text != NULL ? text : ""));
   free(text);
}

/* The lines of the machine code that are marked, and what for. */
static void add_marks(struct json_object *object, const struct finding *finding)
{
   struct json_object *lines = json_object_new_array();

   for (const char *line = finding->code, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
      if (line[0] == '>') {
         json_object_array_add(lines, json_object_new_string_len(line, (int)(end - line)));
      }
   }
   json_object_object_add(object, "marks", json_object_new_string(marks_text(finding->marks)));
   json_object_object_add(object, "marked", lines);
}

static struct json_object *finding_json(const struct finding *finding)
{
   struct json_object *object = json_object_new_object();
   char *text = text_of(finding, print_program);
   char value[32];

   json_object_object_add(object, "kind", json_object_new_string(kinds[finding->kind]));
   json_object_object_add(object, "verdict", json_object_new_string(finding->verdict));
   json_object_object_add(object, "blamed", json_object_new_string(finding->blamed));
   json_object_object_add(object, "rule", json_object_new_string(finding->rule));
   json_object_object_add(object, "signature", json_object_new_string(finding->signature));
   json_object_object_add(object, "known", json_object_new_boolean(finding->known));
   json_object_object_add(object, "times", json_object_new_int64(finding->times));
   json_object_object_add(object, "index", json_object_new_uint64(finding->report.index));
   json_object_object_add(object, "program", json_object_new_string(text != NULL ? text : ""));
   json_object_object_add(object, "code", json_object_new_string(finding->code));
   add_marks(object, finding);
   json_object_object_add(object, "language", json_object_new_string(fuzz_language(&finding->report)->name));
   json_object_object_add(object, "repairs", json_object_new_boolean(!is_unrepaired(&finding->report)));
   json_object_object_add(object, "unoptimized", json_object_new_string(finding->unoptimized));
   json_object_object_add(object, "pocl", json_object_new_string(finding->pocl));
   add_translated(object, finding);
   snprintf(value, sizeof(value), "0x%" PRIx64, finding->report.difference.expected);
   json_object_object_add(object, "right", json_object_new_string(value));
   snprintf(value, sizeof(value), "0x%" PRIx64, finding->report.difference.found);
   json_object_object_add(object, "wrong", json_object_new_string(value));
   free(text);
   return object;
}

static void write_json(FILE *file, const struct fuzz_summary *summary)
{
   struct json_object *root = json_object_new_object(), *list = json_object_new_array();

   json_object_object_add(root, "mesa", json_object_new_string(compiler_mesa_version()));
   json_object_object_add(root, "device", json_object_new_string(summary->settings->device));
   json_object_object_add(root, "seed", json_object_new_uint64(summary->settings->seed));
   json_object_object_add(root, "seconds", json_object_new_double(summary->seconds));
   json_object_object_add(root, "programs", json_object_new_uint64(summary->programs));
   json_object_object_add(root, "kernels", json_object_new_uint64(summary->counts.tried[LANGUAGE_OPENCL]));
   json_object_object_add(root, "expressions", json_object_new_uint64(summary->counts.expressions));
   json_object_object_add(root, "compiled", json_object_new_uint64(summary->counts.compiled));
   json_object_object_add(root, "different", json_object_new_uint64(summary->counts.different));
   json_object_object_add(root, "repeated", json_object_new_uint64(summary->counts.repeated));
   json_object_object_add(root, "unstable", json_object_new_uint64(summary->counts.unstable));
   if (summary->unstable != NULL) {
      json_object_object_add(root, "unstable_program", json_object_new_uint64(summary->unstable->unstable_index));
      json_object_object_add(root, "unstable_why", json_object_new_string(summary->unstable->unstable_why));
   }
   json_object_object_add(root, "refused", json_object_new_uint64(summary->counts.refused));
   json_object_object_add(root, "kernels_untried", json_object_new_uint64(summary->counts.untried[LANGUAGE_OPENCL]));
   json_object_object_add(root, "undetermined", json_object_new_uint64(summary->counts.undefined));
   json_object_object_add(root, "rules", coverage_json(summary->rules));
   for (size_t i = 0; i < summary->findings->count; i++) {
      json_object_array_add(list, finding_json(summary->findings->items[i]));
   }
   json_object_object_add(root, "findings", list);
   fprintf(file, "%s\n",
           json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
   json_object_put(root);
}

int fuzz_report_write(const struct fuzz_summary *summary)
{
   struct output output;
   int code = output_open(&output, summary->settings->output);

   if (code != EXIT_OK) {
      return code;
   }
   if (summary->settings->format == FORMAT_JSON) {
      write_json(output.file, summary);
   } else {
      write_text(output.file, summary);
   }
   code = output_commit(&output);
   output_discard(&output);
   return code;
}
