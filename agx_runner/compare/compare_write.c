/* SPDX-License-Identifier: MIT
 *
 * A comparison for people: as text, and as Markdown for a merge request. What is wrong comes first.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/compare/compare.h"
#include "agx_runner/terminal/markup.h"

#define ROWS_MAX 40 /* of a list in Markdown, which has its limits elsewhere */

struct writer {
   const struct comparison *comparison;
   bool markdown;
   FILE *file;
};

static void heading(const struct writer *writer, const char *text)
{
   fprintf(writer->file, writer->markdown ? "\n#### %s\n\n" : "\n%s\n", text);
}

/* A text of others. */
static void foreign(const struct writer *writer, const char *text)
{
   if (writer->markdown) {
      markup_markdown(text, writer->file);
   } else {
      markup_text(text, 0, writer->file);
   }
}

static void describe_run(const struct writer *writer, const char *letter, const struct result_run *run)
{
   fprintf(writer->file, writer->markdown ? "- **%s** " : "%s  ", letter);
   foreign(writer, run->device.path);
   fputs(run->device.is_virtual ? " (" RESULT_VIRTUAL_NOTE ")" : "", writer->file);
   if (run->mesa[0] != '\0') { /* results of `piglit` have no versions */
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
   if (run->agx_runner[0] != '\0') {
      fputs(", agx-runner ", writer->file);
      foreign(writer, run->commit[0] != '\0' ? run->commit : run->agx_runner);
   }
   fputs(run->time[0] != '\0' ? ", " : "", writer->file);
   foreign(writer, run->time);
   fprintf(writer->file, ", %zu results\n", run->count);
}

static void write_changes(const struct writer *writer)
{
   const struct comparison *comparison = writer->comparison;
   bool any = false;

   for (unsigned change = COMPARE_WRONG; change < COMPARE_CHANGES; change++) {
      for (size_t i = 0; i < comparison->count && comparison->changes[change] > 0; i++) {
         const struct compare_row *row = &comparison->rows[i];

         if (row->change != change) {
            continue;
         }
         if (!any) {
            heading(writer, "Changed answers and statuses");
            fputs(writer->markdown ? "| | benchmark | A | B | why |\n|---|---|---|---|---|\n" : "", writer->file);
         }
         any = true;
         fprintf(writer->file, writer->markdown ? "| **%s** | " : "  %-16s  ", compare_change_names[change]);
         foreign(writer, row->name);
         fprintf(writer->file, writer->markdown ? " | %s | %s | " : "  %s -> %s  ",
                 row->a != NULL ? result_status_names[row->a->status] : "-",
                 row->b != NULL ? result_status_names[row->b->status] : "-");
         foreign(writer, row->b != NULL ? row->b->reason : "");
         fputs(writer->markdown ? " |\n" : "\n", writer->file);
      }
   }
}

static int by_size(const void *x, const void *y)
{
   const struct compare_row *const *a = x, *const *b = y;
   const double one = fabs(log((*a)->significance.ratio)), two = fabs(log((*b)->significance.ratio));

   return (one < two) - (one > two);
}

/* The rows of one verdict, the largest difference first. NULL: out of memory. */
static const struct compare_row **select_rows(const struct comparison *comparison, enum verdict verdict)
{
   const struct compare_row **rows = calloc(comparison->count + 1, sizeof(*rows));
   size_t count = 0;

   for (size_t i = 0; rows != NULL && i < comparison->count; i++) {
      if (comparison->rows[i].timed && comparison->rows[i].verdict == verdict) {
         rows[count++] = &comparison->rows[i];
      }
   }
   if (rows != NULL) {
      qsort(rows, count, sizeof(const struct compare_row *), by_size);
   }
   return rows;
}

static void write_time(const struct writer *writer, const struct compare_row *row)
{
   const double percent = (row->significance.ratio - 1) * 100;
   char p[16], change[32];

   snprintf(change, sizeof(change), fabs(percent) < 10000 ? "%+.2f" : "%+.3g", percent);
   snprintf(p, sizeof(p),
            row->exact                   ? "counted"
            : row->significance.p < 1e-4 ? "< 0.0001"
                                         : "%.4f",
            row->significance.p);
   if (writer->markdown) {
      fprintf(writer->file, "| **%s** | ", verdict_names[row->verdict]);
      foreign(writer, row->name);
      fprintf(writer->file, " | %.4g | %.4g | ", row->a->value, row->b->value);
      foreign(writer, row->a->unit);
      fprintf(writer->file, " | %s %% | %.4g .. %.4g | %s |\n", change, row->significance.low, row->significance.high,
              p);
      return;
   }
   fprintf(writer->file, "  %-11s  ", verdict_names[row->verdict]);
   markup_text(row->name, 40, writer->file);
   fprintf(writer->file, "  %10.4g -> %-10.4g ", row->a->value, row->b->value);
   markup_text(row->a->unit, 8, writer->file);
   fprintf(writer->file, " %8s %%   %.5g .. %.5g   %s\n", change, row->significance.low, row->significance.high, p);
}

static bool write_times(const struct writer *writer)
{
   static const enum verdict shown[] = {VERDICT_WORSE, VERDICT_BETTER, VERDICT_UNKNOWN};
   const struct comparison *comparison = writer->comparison;

   heading(writer, "Speed");
   fprintf(writer->file,
           "%zu worse, %zu better, %zu same, %zu cannot tell; by chance alone about %.1f of %zu would differ\n",
           comparison->verdicts[VERDICT_WORSE], comparison->verdicts[VERDICT_BETTER],
           comparison->verdicts[VERDICT_SAME], comparison->verdicts[VERDICT_UNKNOWN],
           SIGNIFICANCE_LEVEL * (double)(comparison->timed - comparison->exact), comparison->timed);
   if (comparison->timed == comparison->verdicts[VERDICT_SAME]) {
      return true;
   }
   fputs(writer->markdown
             ? "\n| | benchmark | A | B | unit | change | ratio, 95 % interval | p |\n"
               "|---|---|--:|--:|---|--:|---|---|\n"
             : "\n  verdict      benchmark                                         A -> B          unit     "
               "    change     ratio, 95 %        p\n",
         writer->file);
   for (size_t v = 0; v < sizeof(shown) / sizeof(shown[0]); v++) {
      const struct compare_row **rows = select_rows(comparison, shown[v]);
      size_t i = 0;

      if (rows == NULL) {
         return false;
      }
      for (; rows[i] != NULL && (!writer->markdown || i < ROWS_MAX); i++) {
         write_time(writer, rows[i]);
      }
      if (rows[i] != NULL) {
         fprintf(writer->file, "\n%zu more are %s.\n", comparison->verdicts[shown[v]] - i, verdict_names[shown[v]]);
      }
      free(rows);
   }
   return true;
}

static void write_totals(const struct writer *writer)
{
   const struct comparison *comparison = writer->comparison;

   fprintf(writer->file, "%zu kernels in both, %zu with other code\n\n", comparison->programs,
           comparison->code_changed);
   fputs(writer->markdown ? "| total | A | B | change | helped | hurt |\n|---|--:|--:|--:|--:|--:|\n"
                          : "  total                            A            B    change  helped    hurt\n",
         writer->file);
   for (unsigned i = 0; i < PROGRAM_STAT_COUNT; i++) {
      const double before = comparison->stats[i].before, after = comparison->stats[i].after;
      const double percent = before != 0 ? (after / before - 1) * 100 : after != 0 ? INFINITY : 0;

      fprintf(writer->file,
              writer->markdown ? "| %s | %.10g | %.10g | %+.2f %% | %zu | %zu |\n"
                               : "  %-22s %12.10g %12.10g %+7.2f %%  %6zu  %6zu\n",
              program_stat_infos[i].name, before, after, percent, comparison->stats[i].helped,
              comparison->stats[i].hurt);
   }
}

/* Each kernel whose counts changed: what, from and to. */
static void write_kernel(const struct writer *writer, const struct compare_row *row)
{
   fputs(writer->markdown ? "| " : "  ", writer->file);
   foreign(writer, row->name);
   fputs(writer->markdown ? " | " : ":", writer->file);
   bool first = true;
   for (unsigned i = 0; i < PROGRAM_STAT_COUNT; i++) {
      const double before = row->a->program.values[i], after = row->b->program.values[i];

      if (fabs(after - before) > 1e-6 * fabs(before)) {
         fprintf(writer->file, "%s %s %.6g -> %.6g", first ? "" : ",", program_stat_infos[i].name, before, after);
         first = false;
      }
   }
   fprintf(writer->file, "%s%s\n", first ? " other code, the same counts" : "", writer->markdown ? " |" : "");
}

static void write_programs(const struct writer *writer)
{
   const struct comparison *comparison = writer->comparison;
   size_t shown = 0;

   if (comparison->programs == 0) {
      return;
   }
   heading(writer, "Code");
   write_totals(writer);
   if (comparison->code_changed > 0) {
      fputs(writer->markdown
                ? "\n<details><summary>Kernels with other code</summary>\n\n| kernel | what changed |\n|---|---|\n"
                : "\n",
            writer->file);
      for (size_t i = 0; i < comparison->count; i++) {
         const struct compare_row *row = &comparison->rows[i];

         if (row->code_changed && row->a->program.known && row->b->program.known &&
             (!writer->markdown || shown < ROWS_MAX)) {
            write_kernel(writer, row);
            shown++;
         }
      }
      if (writer->markdown) {
         fprintf(writer->file, "\n%zu of %zu shown.\n\n</details>\n", shown, comparison->code_changed);
      }
   }
}

/* One line that says it all. */
static void write_summary(const struct writer *writer)
{
   const struct comparison *comparison = writer->comparison;
   const size_t wrong = comparison->changes[COMPARE_WRONG], broken = comparison->changes[COMPARE_BROKEN];
   const size_t slower = comparison->verdicts[VERDICT_WORSE], faster = comparison->verdicts[VERDICT_BETTER];

   fputs(writer->markdown ? "\n**" : "\n", writer->file);
   if (wrong + broken + slower + faster + comparison->code_changed == 0) {
      fputs("No difference found", writer->file);
   } else {
      fprintf(writer->file, "%zu answers now wrong, %zu now broken, %zu slower, %zu faster, %zu with other code", wrong,
              broken, slower, faster, comparison->code_changed);
   }
   if (comparison->odd > 0) {
      fprintf(writer->file, "; %zu figures cannot be compared: other units, or samples of which there is no ratio",
              comparison->odd);
   }
   fputs(writer->markdown ? "**\n" : "\n", writer->file);
}

int compare_write(const struct comparison *comparison, const struct result_run *a, const struct result_run *b,
                  enum compare_format format, FILE *file)
{
   const struct writer writer = {comparison, format == COMPARE_FORMAT_MARKDOWN, file};

   if (format == COMPARE_FORMAT_JSON) {
      return compare_write_json(comparison, a, b, file);
   }
   describe_run(&writer, "A", a);
   describe_run(&writer, "B", b);
   write_summary(&writer);
   write_changes(&writer);
   if (comparison->timed > 0 && !write_times(&writer)) {
      return -1;
   }
   write_programs(&writer);
   return 0;
}
