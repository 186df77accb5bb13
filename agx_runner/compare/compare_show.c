/* SPDX-License-Identifier: MIT
 *
 * Compares the runs, collects and writes the findings, then applies the rules of --fail-on to them.
 */
#include "agx_runner/compare/compare_show.h"

#include <stdlib.h>

#include "agx_runner/compare/finding_rows.h"
#include "agx_runner/terminal/runner.h"

static int gather(const struct compare_show *show, const struct result_run *runs, struct compare_pair *pairs,
                  size_t count, struct compare_findings *findings)
{
   int code = EXIT_OK;

   for (size_t i = 0; code == EXIT_OK && i < count; i++) {
      struct compare_pair *pair = &pairs[i];

      pair->a = &runs[2 * i];
      pair->b = &runs[2 * i + 1];
      if (compare_runs(pair->a, pair->b, show->floor_of, show->floor_data, &pair->comparison) < 0 ||
          compare_findings_of(findings, &pair->comparison, pair->a, pair->b) < 0) {
         code = complain(EXIT_FAILED, "out of memory");
      }
   }
   for (size_t i = 0; code == EXIT_OK && show->findings != NULL && i < show->findings->count; i++) {
      code = compare_findings_read(findings, show->findings->items[i]);
   }
   compare_findings_sort(findings);
   return code;
}

int compare_show(const struct compare_show *show, const struct result_run *runs, size_t pair_count,
                 struct output *output)
{
   struct compare_pair *pairs = calloc(pair_count + 1, sizeof(*pairs));
   struct compare_findings findings = {0};
   int code = pairs == NULL ? complain(EXIT_FAILED, "out of memory") : gather(show, runs, pairs, pair_count, &findings);

   if (code == EXIT_OK) {
      code = compare_write(&findings, pairs, pair_count, show->format, output->file) < 0
                 ? complain(EXIT_FAILED, "out of memory")
                 : output_commit(output);
   }
   if (code == EXIT_OK) {
      code = fail_on_check(show->fail_on, &findings);
   }
   for (size_t i = 0; pairs != NULL && i < pair_count; i++) {
      comparison_finish(&pairs[i].comparison);
   }
   compare_findings_finish(&findings);
   free(pairs);
   return code;
}
