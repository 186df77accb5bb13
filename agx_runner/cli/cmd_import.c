/* SPDX-License-Identifier: MIT
 *
 * import: appends result files to a store. It prints the number of each run once the run is on the disk.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "agx_runner/cli/command.h"
#include "agx_runner/options/shared.h"
#include "agx_runner/results/store.h"
#include "agx_runner/terminal/runner.h"

struct import_options {
   struct command_line line;
   const char *store; /* NULL: not given */
};

#define FIELD(member) .field = offsetof(struct import_options, member)
static const struct option_row rows[] = {
    {&option_store, FIELD(store)},
    {0},
};

static int cmd_import(const void *data)
{
   const struct import_options *options = data;
   struct store *store = NULL;
   int code = options->store == NULL ? complain(EXIT_INVALID, "import: --store is missing")
                                     : store_open(options->store, true, &store);

   for (size_t i = 0; code == EXIT_OK && i < options->line.operands.count; i++) {
      const char *path = options->line.operands.items[i];
      struct result_run run;
      char message[256];
      int64_t id;
      const int ret = result_run_load(path, &run, message, sizeof(message));

      if (ret < 0) {
         code = complain(ret == -ENOMEM ? EXIT_FAILED : EXIT_INVALID, "%s: %s", path, message);
         break;
      }
      code = store_append(store, &run, &id);
      result_run_finish(&run);
      if (code == EXIT_OK) {
         printf("%" PRId64 " %s\n", id, path);
         /* a reader of this line may rely on the run being on the disk */
         fflush(stdout);
      }
   }
   store_close(store);
   return code;
}

const struct command command_import = {
    .name = "import",
    .operands = "FILE...",
    .operands_min = 1,
    .operands_max = UINT_MAX,
    .summary = "append result files to a store",
    .rows = rows,
    .size = sizeof(struct import_options),
    .run = cmd_import,
};
