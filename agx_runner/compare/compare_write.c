/* SPDX-License-Identifier: MIT
 *
 * A comparison for people: as text, and as Markdown for a merge request. The verdict comes first, then the findings by
 * harm, then what was compared.
 */
#include "agx_runner/compare/compare_write.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/markup.h"
#include "util/array.h"

/* findings of one harm that are listed; JSON has all */
#define ROWS_BAD 40u
#define ROWS_OTHER 10u
#define DETAIL_LINES 40

struct writer {
   const struct compare_findings *findings;
   bool markdown;
   FILE *file;
};

/* Writes text that came from outside, escaped. */
static void foreign(const struct writer *writer, const char *text)
{
   if (writer->markdown) {
      markup_markdown(text, writer->file);
   } else {
      markup_text(text, 0, writer->file);
   }
}

/* Writes each line of a text with a prefix and a suffix. */
static void lines(const struct writer *writer, const char *text, const char *before, const char *after, unsigned most)
{
   for (unsigned count = 0; *text != '\0'; count++) {
      const size_t length = strcspn(text, "\n");
      char *line = strndup(text, length);

      if (count == most) {
         fprintf(writer->file, "%s...%s", before, after);
         free(line);
         return;
      }
      fputs(before, writer->file);
      foreign(writer, line != NULL ? line : "");
      fputs(after, writer->file);
      free(line);
      text += length + (text[length] == '\n');
   }
}

static bool write_verdict(const struct writer *writer)
{
   char *verdict = compare_verdict(writer->findings);

   if (verdict == NULL) {
      return false;
   }
   if (writer->markdown) {
      fputs("**Verdict**\n\n", writer->file);
      lines(writer, verdict, "- ", "\n", UINT32_MAX);
   } else {
      fputs("Verdict:\n", writer->file);
      lines(writer, verdict, "  ", "\n", UINT32_MAX);
   }
   free(verdict);
   return true;
}

/* "+12.30 %": worse; "-12.30 %": better. */
static void percent_text(const struct compare_finding *finding, char *text, size_t size)
{
   const bool better = finding->harm > HARM_OTHER_CODE;

   if (isnan(finding->percent)) {
      text[0] = '\0';
   } else if (isinf(finding->percent)) {
      snprintf(text, size, "from none");
   } else {
      snprintf(text, size, finding->percent < 10000 ? "%s%.2f %%" : "%s%.3g %%", better ? "-" : "+", finding->percent);
   }
}

static void write_finding_text(const struct writer *writer, const struct compare_finding *finding)
{
   char percent[32];

   percent_text(finding, percent, sizeof(percent));
   fprintf(writer->file, "  %10s  ", percent);
   foreign(writer, finding->name);
   fputs("  [", writer->file);
   foreign(writer, writer->findings->parts[finding->part].title);
   fputs("]\n", writer->file);
   if (finding->evidence != NULL) {
      lines(writer, finding->evidence, "              ", "\n", 1);
   }
   if (finding->details != NULL) {
      lines(writer, finding->details, "              | ", "\n", DETAIL_LINES);
   }
   if (finding->command != NULL && finding->command[0] != '\0') {
      lines(writer, finding->command, "              $ ", "\n", 1);
   }
}

static void write_finding_markdown(const struct writer *writer, const struct compare_finding *finding)
{
   const char *const cells[] = {finding->name, writer->findings->parts[finding->part].title, finding->evidence,
                                finding->command};
   char percent[32];

   percent_text(finding, percent, sizeof(percent));
   fprintf(writer->file, "| %s |", percent);
   for (size_t i = 0; i < ARRAY_COUNT(cells); i++) {
      fputc(' ', writer->file);
      foreign(writer, cells[i] != NULL ? cells[i] : "");
      fputs(" |", writer->file);
   }
   fputc('\n', writer->file);
}

/* Writes a program that shows a finding, collapsed. */
static void write_details_markdown(const struct writer *writer, const struct compare_finding *finding)
{
   fputs("\n<details><summary>", writer->file);
   markup_xml(finding->name, writer->file);
   fputs("</summary>\n<pre>\n", writer->file);
   markup_xml(finding->details, writer->file);
   fputs("</pre></details>\n", writer->file);
}

static void write_harm(const struct writer *writer, enum compare_harm harm)
{
   const struct compare_findings *findings = writer->findings;
   const size_t most = harm < HARM_NOT_RUN ? ROWS_BAD : ROWS_OTHER;
   size_t shown = 0;

   if (findings->counts[harm] == 0) {
      return;
   }
   fprintf(writer->file,
           writer->markdown ? "\n#### %zu %s\n\n| | what | found by | evidence | command |\n|--:|---|---|---|---|\n"
                            : "\n%zu %s\n",
           findings->counts[harm], compare_harm_infos[harm].title);
   for (size_t i = 0; i < findings->count && shown < most; i++) {
      if (findings->items[i].harm == harm) {
         (writer->markdown ? write_finding_markdown : write_finding_text)(writer, &findings->items[i]);
         shown++;
      }
   }
   if (findings->counts[harm] > shown) {
      fprintf(writer->file, "%s  %zu more: --format json has all\n", writer->markdown ? "\n" : "",
              findings->counts[harm] - shown);
   }
   for (size_t i = 0; i < findings->count && writer->markdown; i++) {
      if (findings->items[i].harm == harm && findings->items[i].details != NULL) {
         write_details_markdown(writer, &findings->items[i]);
      }
   }
}

/* ---- What was compared ---- */

static void describe_run(const struct writer *writer, const char *letter, const struct result_run *run,
                         const struct result_run *other)
{
   fprintf(writer->file, writer->markdown ? "- **%s** " : "  %s  ", letter);
   foreign(writer, run->device.path);
   fputs(run->device.is_virtual ? " (" RESULT_VIRTUAL_NOTE ")" : "", writer->file);
   if (run->mesa[0] != '\0') { /* runs of other programs have no versions */
      fputs(", Mesa ", writer->file);
      foreign(writer, run->mesa);
   }
   if (run->mesa_commit[0] != '\0' && strcmp(run->mesa_commit, "unknown") != 0) {
      fputs(" at ", writer->file);
      foreign(writer, run->mesa_commit);
   }
   if (run->mesa_debug[0] != '\0') {
      fputs(", AGX_MESA_DEBUG=", writer->file);
      foreign(writer, run->mesa_debug);
   }
   if (run->compiler[0] != '\0' && strcmp(run->compiler, other->compiler) != 0) {
      fputs(", compiler ", writer->file);
      foreign(writer, run->compiler);
   }
   if (run->agx_runner[0] != '\0') {
      fputs(", agx-runner ", writer->file);
      foreign(writer, run->commit[0] != '\0' ? run->commit : run->agx_runner);
   }
   fputs(run->time[0] != '\0' ? ", " : "", writer->file);
   foreign(writer, run->time);
   fprintf(writer->file, ", %zu results\n", run->count);
}

/* Writes sums over all programs, if any has changed. */
static void write_totals(const struct writer *writer, const struct comparison *comparison)
{
   if (comparison->code_changed == 0) {
      return;
   }
   fputs(writer->markdown ? "\n| total | A | B | change | helped | hurt |\n|---|--:|--:|--:|--:|--:|\n"
                          : "  total                             A            B     change  helped    hurt\n",
         writer->file);
   for (unsigned i = 0; i < PROGRAM_STAT_COUNT; i++) {
      const double before = comparison->stats[i].before, after = comparison->stats[i].after;
      const double percent = before != 0 ? (after / before - 1) * 100 : after != 0 ? INFINITY : 0;

      fprintf(writer->file,
              writer->markdown ? "| %s | %.10g | %.10g | %+.2f %% | %zu | %zu |\n"
                               : "  %-23s %12.10g %12.10g %+8.2f %%  %6zu  %6zu\n",
              program_stat_infos[i].name, before, after, percent, comparison->stats[i].helped,
              comparison->stats[i].hurt);
   }
}

static void write_part(const struct writer *writer, size_t number, const struct compare_pair *pair)
{
   const struct compare_part *part = &writer->findings->parts[number];

   if (pair == NULL && part->note == NULL) {
      return;
   }
   fprintf(writer->file, writer->markdown ? "\n#### Compared: " : "\nCompared: ");
   foreign(writer, part->title);
   fputs(writer->markdown ? "\n\n" : "\n", writer->file);
   if (part->note != NULL) {
      lines(writer, part->note, writer->markdown ? "" : "  ", "\n", 1);
      fputs(writer->markdown ? "\n" : "", writer->file);
   }
   if (pair != NULL) {
      describe_run(writer, "A", pair->a, pair->b);
      describe_run(writer, "B", pair->b, pair->a);
      write_totals(writer, &pair->comparison);
   }
}

int compare_write(const struct compare_findings *findings, const struct compare_pair *pairs, size_t pair_count,
                  enum output_format format, FILE *file)
{
   const struct writer writer = {findings, format == FORMAT_MARKDOWN, file};

   if (format == FORMAT_JSON) {
      return compare_write_json(findings, pairs, pair_count, file);
   }
   if (!write_verdict(&writer)) {
      return -ENOMEM;
   }
   for (enum compare_harm harm = 0; harm < HARM_COUNT; harm++) {
      write_harm(&writer, harm);
   }
   for (size_t i = 0; i < findings->part_count; i++) {
      write_part(&writer, i, i < pair_count ? &pairs[i] : NULL);
   }
   return 0;
}
