/* SPDX-License-Identifier: MIT
 *
 * Turns the rows of a comparison into findings. A row gives one finding, named by its worst change; its other changes
 * are in the evidence.
 */
#include "agx_runner/compare/finding_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CYCLES_USUAL 1000.0 /* of a kernel whose cycles are unknown */

static const char *const titles[] = {
    [KIND_BENCHMARKS] = "benchmarks", [KIND_TESTS] = "program tests", [KIND_COMPILED] = "compiled kernels"};

enum compare_kind compare_kind_of(const struct result_run *run)
{
   bool files = false, programs = false;

   for (size_t i = 0; i < run->count; i++) {
      files |= run->results[i].file != NULL;
      programs |= run->results[i].program.known;
   }
   if (run->device.chip[0] == '\0' && (programs || !files) && run->mesa[0] != '\0') {
      return KIND_COMPILED;
   }
   return (files && !programs) || run->mesa[0] == '\0' ? KIND_TESTS : KIND_BENCHMARKS;
}

/* ---- The harm of a row ---- */

/* The largest fractions by which a row's code is worse (> 0) and better (< 0). */
struct by_code {
   double slower, faster, bigger, smaller;
};

static struct by_code by_code(const struct compare_row *row)
{
   struct by_code found = {0};

   for (unsigned stat = 0; stat < PROGRAM_STAT_COUNT; stat++) {
      const double by = compare_hurt_by(row, stat);
      const bool time = stat == PROGRAM_CYCLES || stat == PROGRAM_LATENCY;

      *(time ? &found.slower : &found.bigger) = fmax(time ? found.slower : found.bigger, by);
      *(time ? &found.faster : &found.smaller) = fmin(time ? found.faster : found.smaller, by);
   }
   return found;
}

static bool is_error(const struct compare_row *row)
{
   return row->timed && !strcmp(row->a->unit, "ulp");
}

/* Returns by how many per cent a cost fell, for a fraction (< 0) by which it is better: 10 to 5 is 50 % less. */
static double saved(double share)
{
   return isinf(share) ? 100 : 100 * -share / (1 - share);
}

/* For a row with an answer or a program on both sides. HARM_COUNT: nothing to report. */
static enum compare_harm judge_figures(const struct compare_row *row, struct compare_finding *finding)
{
   const struct by_code code = by_code(row);
   const double by = compare_worse_by(row);

   finding->worse = fmax(by, 0);
   finding->hurt = fmax(code.slower, code.bigger);
   if (by > 0 && is_error(row)) {
      finding->percent = by * 100;
      return HARM_LESS_EXACT;
   }
   if (by > 0 || code.slower > 0) {
      finding->percent = fmax(by, code.slower) * 100;
      return HARM_SLOWER;
   }
   if (code.bigger > 0) {
      finding->percent = code.bigger * 100;
      return HARM_BIGGER;
   }
   if (by < 0 && is_error(row)) {
      finding->percent = saved(by);
      return HARM_MENDED;
   }
   if (by < 0 || code.faster < 0) {
      finding->percent = saved(fmin(by, code.faster));
      return HARM_FASTER;
   }
   if (code.smaller < 0) {
      finding->percent = saved(code.smaller);
      return HARM_SMALLER;
   }
   return row->code_changed || (row->change == COMPARE_OTHER_CODE && row->a->status != row->b->status) ? HARM_OTHER_CODE
                                                                                                       : HARM_COUNT;
}

/* For a row with different statuses, neither of which is bad. */
static enum compare_harm judge_status(const struct compare_row *row, enum compare_kind kind)
{
   if (row->b->status == RESULT_SKIP) {
      return kind == KIND_COMPILED ? HARM_BROKEN : HARM_NOT_RUN;
   }
   return row->a->status == RESULT_SKIP ? HARM_NEW : HARM_STATUS;
}

static enum compare_harm judge(const struct compare_row *row, enum compare_kind kind, struct compare_finding *finding)
{
   switch (row->change) {
   case COMPARE_WRONG:
      return HARM_WRONG;
   case COMPARE_BROKEN:
      return row->b->status == RESULT_INCOMPLETE ? HARM_NOT_RUN : HARM_BROKEN;
   case COMPARE_RIGHT:
   case COMPARE_FIXED:
      return HARM_MENDED;
   case COMPARE_BOTH:
      return HARM_BOTH;
   case COMPARE_MISSING:
      return row->a->status == RESULT_SKIP ? HARM_STATUS : HARM_NOT_RUN;
   case COMPARE_NEW:
      return HARM_NEW;
   case COMPARE_STATUS:
      return judge_status(row, kind);
   default:
      return judge_figures(row, finding);
   }
}

/* ---- The evidence, in one line ---- */

/* Writes a separator between two statements of a line. */
static void separate(FILE *file)
{
   fputs(ftell(file) > 0 ? "; " : "", file);
}

static void write_statuses(const struct compare_row *row, FILE *file)
{
   if (row->b == NULL || row->a == NULL) {
      fprintf(file, "missing in %s", row->b == NULL ? "B" : "A");
      return;
   }
   const char *reason = row->b->reason[0] != '\0' ? row->b->reason : row->a->reason;

   fprintf(file, "%s -> %s%s%s", result_status_names[row->a->status], result_status_names[row->b->status],
           reason[0] != '\0' ? ": " : "", reason);
}

static void write_figures(const struct compare_row *row, FILE *file)
{
   const struct significance *of = &row->significance;

   separate(file);
   fprintf(file, "%.4g -> %.4g %s", row->figures[0].value, row->figures[1].value, row->a->unit);
   if (row->exact) {
      fputs(" (counted)", file);
   } else if (row->verdict == VERDICT_UNKNOWN) {
      fprintf(file, " (cannot tell: %.4g .. %.4g times)", of->low, of->high);
   } else if (row->verdict != VERDICT_SAME) {
      fprintf(file, of->p < 1e-4 ? " (%.4g .. %.4g times, p < 0.0001)" : " (%.4g .. %.4g times, p %.4f)", of->low,
              of->high, of->p);
   }
}

static void write_code(const struct compare_row *row, FILE *file)
{
   char text[320];

   if (!row->code_changed) {
      if (row->a->program_hash != 0 && row->a->program_hash == row->b->program_hash) {
         separate(file);
         fputs("the code is identical", file);
      }
      return;
   }
   separate(file);
   fputs("other code", file);
   if (row->a->program.mnemonics == NULL || row->b->program.mnemonics == NULL) {
      return;
   }
   const int length = program_stats_difference(&row->a->program, &row->b->program, text, sizeof(text));
   if (length == 0) {
      fputs(": the same instructions in another order, or with other operands", file);
   } else {
      fprintf(file, ": %s%s", text, length >= (int)sizeof(text) ? " ..." : "");
   }
}

/* Writes the statistics that changed: name, old and new value. */
static void write_counts(const struct compare_row *row, FILE *file)
{
   bool first = true;

   for (unsigned i = 0; i < PROGRAM_STAT_COUNT; i++) {
      if (compare_hurt_by(row, i) != 0) {
         fputs(first ? "" : ", ", file);
         if (first) {
            separate(file);
         }
         fprintf(file, "%s %.6g -> %.6g", program_stat_infos[i].name, row->a->program.values[i],
                 row->b->program.values[i]);
         first = false;
      }
   }
}

/* If the code is not what the row's name says, the figure is one of other code. */
static void write_row_code(const struct compare_row *row, FILE *file)
{
   const bool a = row->a->status == RESULT_INVALID, b = row->b->status == RESULT_INVALID;

   if (a != b) {
      separate(file);
      fprintf(file, "%s has the code that the row is about, %s not (%s)", a ? "B" : "A", a ? "A" : "B",
              a ? row->a->reason : row->b->reason);
   }
}

static char *evidence_of(const struct compare_row *row)
{
   char *text = NULL;
   size_t size;
   FILE *file = open_memstream(&text, &size);

   if (file == NULL) {
      return NULL;
   }
   if (row->change != COMPARE_NONE && row->change != COMPARE_OTHER_CODE) {
      write_statuses(row, file);
   } else {
      if (row->timed) {
         write_figures(row, file);
      }
      write_code(row, file);
      write_counts(row, file);
      write_row_code(row, file);
   }
   if (fclose(file) != 0) {
      free(text);
      return NULL;
   }
   return text;
}

/* Weights a row by its cycles, so that a tiny kernel does not precede a large one that loses nearly as much. */
static double weight_of(const struct compare_row *row)
{
   const struct result *of = row->a != NULL ? row->a : row->b;
   const double cycles = of->program.known ? of->program.values[PROGRAM_CYCLES] : NAN;

   return log2(1 + (cycles > 0 ? cycles : CYCLES_USUAL));
}

static int add_row(struct compare_findings *findings, const struct compare_row *row, enum compare_kind kind,
                   const struct result_run *a, const struct result_run *b)
{
   struct compare_finding finding = {.name = (char *)row->name, .percent = NAN, .weight = weight_of(row)};

   finding.harm = judge(row, kind, &finding);
   if (finding.harm == HARM_COUNT) {
      return 0;
   }
   finding.evidence = evidence_of(row);
   finding.command = compare_command(row, kind, finding.harm, a, b);
   const int ret =
       finding.evidence == NULL || finding.command == NULL ? -ENOMEM : compare_findings_add(findings, &finding);
   free(finding.evidence);
   free(finding.command);
   return ret;
}

static bool is_left_out(const struct result *result)
{
   return result != NULL && (result->status == RESULT_SKIP || result->status == RESULT_INCOMPLETE);
}

/* Counts what was not examined: it must not count as right. Returns false when out of memory. */
static bool count_unknown(struct compare_part *part, const struct compare_row *row, enum compare_kind kind)
{
   const struct result *known = row->a != NULL ? row->a : row->b;

   if ((row->a == NULL || is_left_out(row->a)) && (row->b == NULL || is_left_out(row->b))) {
      part->skipped++;
      if (part->skipped_why == NULL && known->reason[0] != '\0') {
         part->skipped_why = strdup(known->reason);
         return part->skipped_why != NULL;
      }
   } else if (kind == KIND_COMPILED && known->check == RESULT_CHECK_NONE) {
      part->unanswered++;
   }
   return true;
}

/* Writes what was compared, in one line. Returns false when out of memory. */
static bool write_note(const struct comparison *comparison, char **note)
{
   const size_t *verdicts = comparison->verdicts;
   size_t size, both = 0, answers = 0;
   FILE *file = open_memstream(note, &size);

   for (size_t i = 0; i < comparison->count; i++) {
      const struct compare_row *row = &comparison->rows[i];

      both += row->a != NULL && row->b != NULL;
      answers +=
          row->a != NULL && row->b != NULL && row->a->check != RESULT_CHECK_NONE && row->b->check != RESULT_CHECK_NONE;
   }
   if (file == NULL) {
      return false;
   }
   fprintf(file, "%zu on both sides, answers checked of %zu", both, answers);
   if (comparison->timed > 0) {
      fprintf(file,
              "; figures: %zu worse, %zu better, %zu same, %zu cannot tell, where by chance alone about %.1f of %zu "
              "would differ",
              verdicts[VERDICT_WORSE], verdicts[VERDICT_BETTER], verdicts[VERDICT_SAME], verdicts[VERDICT_UNKNOWN],
              SIGNIFICANCE_LEVEL * (double)(comparison->timed - comparison->exact), comparison->timed);
   }
   if (comparison->odd > 0) {
      fprintf(file, "; %zu figures cannot be compared: other units, or samples of which there is no ratio",
              comparison->odd);
   }
   if (comparison->programs > 0) {
      fprintf(file, "; %zu programs, %zu with other code", comparison->programs, comparison->code_changed);
   }
   if (fclose(file) != 0) {
      free(*note);
      *note = NULL;
   }
   return *note != NULL;
}

int compare_findings_of(struct compare_findings *findings, const struct comparison *comparison,
                        const struct result_run *a, const struct result_run *b)
{
   const enum compare_kind kind = compare_kind_of(a->count > 0 ? a : b);
   struct compare_part *part = compare_findings_part(findings, titles[kind], NULL);
   int ret = part != NULL && write_note(comparison, &part->note) ? 0 : -ENOMEM;

   for (size_t i = 0; ret == 0 && i < comparison->count; i++) {
      ret = count_unknown(part, &comparison->rows[i], kind) ? add_row(findings, &comparison->rows[i], kind, a, b)
                                                            : -ENOMEM;
   }
   return ret;
}
