/* SPDX-License-Identifier: MIT
 *
 * list: the names that run takes.
 */
#include "agx_runner/cli/options.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/process/selection.h"

int cmd_list(const struct options *options)
{
   struct selection selection;
   const int code = selection_make(&selection, &options->operands, &(struct selection_scope){0});

   for (size_t i = 0; code == EXIT_OK && i < selection.count; i++) {
      printf("%-28s %s\n", selection.items[i].name, selected_summary(&selection.items[i]));
   }
   selection_finish(&selection);
   return code;
}
