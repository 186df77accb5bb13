/* SPDX-License-Identifier: MIT
 *
 * list: the names that run accepts.
 */
#include <limits.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/runs/selection.h"

static const struct option_row rows[] = {{0}};

static int cmd_list(const void *data)
{
   const struct command_line *line = data;
   struct selection selection;
   const int code = selection_make(&selection, &line->operands, &(struct selection_scope){0});

   for (size_t i = 0; code == EXIT_OK && i < selection.count; i++) {
      printf("%-28s %s\n", selection.items[i].name, selected_summary(&selection.items[i]));
   }
   selection_finish(&selection);
   return code;
}

const struct command command_list = {
    .name = "list",
    .operands = "[PATTERN...]",
    .operands_min = 0,
    .operands_max = UINT_MAX,
    .summary = "list the benchmarks",
    .rows = rows,
    .size = sizeof(struct command_line),
    .run = cmd_list,
};
