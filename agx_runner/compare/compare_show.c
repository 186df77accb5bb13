/* SPDX-License-Identifier: MIT
 *
 * Writes a comparison, then applies the rules of --fail-on to it.
 */
#include "agx_runner/compare/compare_show.h"

#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"

int compare_show(const struct compare_show *show, const struct result_run *a, const struct result_run *b)
{
   struct comparison comparison;
   struct output output = {0};
   int code = compare_runs(a, b, show->floor_of, show->floor_data, &comparison) < 0
                  ? complain(EXIT_FAILED, "out of memory")
                  : output_open(&output, show->output);

   if (code == EXIT_OK) {
      code = compare_write(&comparison, a, b, show->format, output.file) < 0 ? complain(EXIT_FAILED, "out of memory")
                                                                             : output_commit(&output);
   }
   if (code == EXIT_OK) {
      code = fail_on_check(show->fail_on, &comparison);
   }
   output_discard(&output);
   comparison_finish(&comparison);
   return code;
}
