/* SPDX-License-Identifier: MIT
 *
 * A run as Markdown for a merge request: failures are visible, figures are collapsed.
 */
#include <inttypes.h>
#include <math.h>

#include "agx_runner/terminal/markup.h"
#include "agx_runner/results/reference.h"
#include "agx_runner/results/result.h"

static void write_bad(const struct result_run *run, FILE *file)
{
   bool any = false;

   for (size_t i = 0; i < run->count; i++) {
      const struct result *result = &run->results[i];

      if (!result_status_is_bad(result->status)) {
         continue;
      }
      if (!any) {
         fputs("\n| not well | status | why |\n|---|---|---|\n", file);
      }
      any = true;
      fputs("| ", file);
      markup_markdown(result->name, file);
      fprintf(file, " | **%s** | ", result_status_names[result->status]);
      markup_markdown(result->reason, file);
      fputs(" |\n", file);
   }
}

static void write_figure(const struct result *result, FILE *file)
{
   fputs("| ", file);
   markup_markdown(result->name, file);
   if (!isfinite(result->value)) {
      fprintf(file, " | | | | | %s |\n", result_status_names[result->status]);
      return;
   }
   fprintf(file, " | %.4g | %.4g .. %.4g | ", result->value, result->low, result->high);
   markup_markdown(result->unit, file);
   fputs(" | ", file);
   if (isfinite(result->reference)) {
      markup_markdown(result->reference_qualifier, file);
      fprintf(file, "%.4g (%+.1f %%)", result->reference, (result->value / result->reference - 1) * 100);
   }
   fprintf(file, " | %s |\n", result_status_names[result->status]);
}

int result_write_markdown(const struct result_run *run, FILE *file)
{
   bool first = true;

   fputs("### agx-runner on ", file);
   markup_markdown(run->device.path, file);
   fputs("\n\n", file);
   if (run->device.is_virtual) {
      fputs("> " RESULT_VIRTUAL_NOTE "\n\n", file);
   }
   for (unsigned status = 0; status < RESULT_STATUS_COUNT; status++) {
      const size_t count = result_count_status(run, status);

      if (count > 0) {
         fprintf(file, "%s%zu %s", first ? "**" : ", ", count, result_status_names[status]);
         first = false;
      }
   }
   fprintf(file, "%s. Mesa ", first ? "**nothing was measured**" : "**");
   markup_markdown(run->mesa, file);
   fputs(", agx-runner ", file);
   markup_markdown(run->commit, file);
   fprintf(file, ", %s, seed %" PRIu64 ".\n", run->time, run->seed);
   write_bad(run, file);
   fprintf(file,
           "\n<details><summary>%zu results</summary>\n\n"
           "| benchmark | value | 95 %% interval | unit | published | status |\n|---|--:|--:|---|--:|---|\n",
           run->count);
   for (size_t i = 0; i < run->count; i++) {
      write_figure(&run->results[i], file);
   }
   fputs("\nPublished: " REFERENCE_SOURCE ".\n\n</details>\n", file);
   return 0;
}
