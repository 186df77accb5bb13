/* SPDX-License-Identifier: MIT
 *
 * The verdict of a comparison. Invariant: what was not run never counts as right: it has its own line, and a verdict
 * without differences speaks only of what was run.
 */
#include "agx_runner/compare/compare_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMED 3         /* findings that a line names */
#define NAMED_NOT_RUN 8 /* the same for those that were not run, because each is another gap */
#define NAME_SHOWN 160u /* bytes of a name */

static void write_name(const struct compare_findings *findings, const struct compare_finding *finding, FILE *file)
{
   size_t length = strlen(finding->name);

   if (length > NAME_SHOWN) {
      for (length = NAME_SHOWN; length > 0 && (finding->name[length] & 0xc0) == 0x80; length--) {
      }
   }
   fprintf(file, "%.*s%s", (int)length, finding->name, finding->name[length] != '\0' ? "..." : "");
   if (finding->harm < HARM_LESS_EXACT) {
      fprintf(file, ", found by %s", findings->parts[finding->part].title);
   }
   if (finding->harm == HARM_NOT_RUN && finding->evidence != NULL) {
      fprintf(file, " (%s)", finding->evidence);
   }
}

/* Writes a line for one harm: "slower: 12, the most by 34.50 %: NAME". */
static void write_measured(const struct compare_findings *findings, enum compare_harm harm, FILE *file)
{
   const struct compare_finding *first = NULL, *most = NULL;

   for (size_t i = 0; i < findings->count; i++) {
      const struct compare_finding *finding = &findings->items[i];

      if (finding->harm == harm) {
         first = first == NULL ? finding : first;
         most = !isnan(finding->percent) && (most == NULL || finding->percent > most->percent) ? finding : most;
      }
   }
   fprintf(file, "%s: %zu", compare_harm_infos[harm].title, findings->counts[harm]);
   if (most != NULL && isfinite(most->percent)) {
      fprintf(file, ", the most by %.2f %%", most->percent);
      first = most;
   }
   fputs(": ", file);
   write_name(findings, first, file);
   fputc('\n', file);
}

/* Writes the names of the first few; the caller appends the rest and ends the line. */
static void write_named(const struct compare_findings *findings, enum compare_harm harm, FILE *file)
{
   const size_t most = harm == HARM_NOT_RUN ? NAMED_NOT_RUN : NAMED;
   size_t named = 0;

   for (size_t i = 0; i < findings->count; i++) {
      if (findings->items[i].harm == harm && named < most) {
         fputs(named > 0 ? "; " : "", file);
         write_name(findings, &findings->items[i], file);
         named++;
      }
   }
   if (findings->counts[harm] > named) {
      fprintf(file, "; and %zu more", findings->counts[harm] - named);
   }
}

static bool is_unknown(const struct compare_findings *findings)
{
   bool unknown = findings->counts[HARM_NOT_RUN] > 0;

   for (size_t i = 0; i < findings->part_count; i++) {
      unknown |= findings->parts[i].skipped > 0 || findings->parts[i].unanswered > 0;
   }
   return unknown;
}

static void write_unknown(const struct compare_findings *findings, FILE *file)
{
   const char *between = findings->counts[HARM_NOT_RUN] > 0 ? "; " : "";

   if (!is_unknown(findings)) {
      return;
   }
   fprintf(file, "%s: ", compare_harm_infos[HARM_NOT_RUN].title);
   write_named(findings, HARM_NOT_RUN, file);
   for (size_t i = 0; i < findings->part_count; i++) {
      const struct compare_part *part = &findings->parts[i];

      if (part->unanswered > 0) {
         fprintf(file, "%s%zu %s, whose answers were not checked", between, part->unanswered, part->title);
         between = "; ";
      }
      if (part->skipped > 0) {
         fprintf(file, "%s%zu %s that neither side ran", between, part->skipped, part->title);
         if (part->skipped_why != NULL) {
            fprintf(file, " (for instance: %s)", part->skipped_why);
         }
         between = "; ";
      }
   }
   fputc('\n', file);
}

static void write_rest(const struct compare_findings *findings, FILE *file)
{
   const char *between = "";

   for (enum compare_harm harm = HARM_NOT_RUN + 1; harm < HARM_COUNT; harm++) {
      if (findings->counts[harm] > 0) {
         fprintf(file, "%s%zu %s", between, findings->counts[harm], compare_harm_infos[harm].title);
         between = ", ";
      }
   }
   fputs(between[0] != '\0' ? "\n" : "", file);
}

char *compare_verdict(const struct compare_findings *findings)
{
   char *text = NULL;
   size_t size;
   FILE *file = open_memstream(&text, &size);

   if (file == NULL) {
      return NULL;
   }
   for (enum compare_harm harm = HARM_WRONG; harm < HARM_NOT_RUN; harm++) {
      if (findings->counts[harm] > 0 && harm < HARM_LESS_EXACT) {
         fprintf(file, "%s: ", compare_harm_infos[harm].title);
         write_named(findings, harm, file);
         fputc('\n', file);
      } else if (findings->counts[harm] > 0) {
         write_measured(findings, harm, file);
      }
   }
   if (!compare_findings_are_bad(findings)) {
      const char *what =
          findings->count == findings->counts[HARM_NOT_RUN] ? "no difference found" : "nothing worse found";

      fprintf(file, "%s%s\n", what, is_unknown(findings) ? " in what was run" : "");
   }
   write_unknown(findings, file);
   write_rest(findings, file);
   if (fclose(file) != 0) {
      free(text);
      return NULL;
   }
   return text;
}
