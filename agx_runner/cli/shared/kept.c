/* SPDX-License-Identifier: MIT
 *
 * A folder holds one run of one command.
 */
#include "agx_runner/cli/shared/kept.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"

/* The options that the run in `dir` was started with, but for where its results go now. */
static int stored_options(const struct command *command, const struct kept_options *options,
                          const struct results_dir *dir, struct kept_options *stored)
{
   const char *before = dir->argc > 0 ? dir->argv[0] : "";

   if (strcmp(command->name, before) != 0) {
      return complain(EXIT_INVALID, "%s holds a run of '%s': agx-runner %s --resume %s continues it", options->resume,
                      before, before, options->resume);
   }
   const int code = options_parse(command, dir->argc, dir->argv, stored);
   stored->format = options->format;
   stored->output = options->output;
   stored->run.results = dir->path;
   return code == OPTIONS_RUN ? EXIT_OK : code == EXIT_OK || code == OPTIONS_VERSION ? EXIT_INVALID : code;
}

static int resume(const struct command *command, const struct kept_options *options,
                  int (*execute)(const void *, struct results_dir *))
{
   struct results_dir dir;
   struct kept_options *stored = calloc(1, command->size);

   if (stored == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   int code = results_dir_resume(&dir, options->resume);
   if (code == EXIT_OK) {
      code = stored_options(command, options, &dir, stored);
   }
   if (code == EXIT_OK) {
      code = execute(stored, &dir);
   }
   options_finish(command, stored);
   free(stored);
   results_dir_finish(&dir);
   return code;
}

int kept_run(const struct command *command, const void *options,
             int (*execute)(const void *options, struct results_dir *dir))
{
   const struct kept_options *kept = options;
   struct results_dir dir;

   if (kept->resume != NULL) {
      return kept->line.operands.count > 0 || kept->run.results != NULL
                 ? complain(EXIT_INVALID,
                            "--resume continues a run with its own options: %s and --results cannot be given",
                            strcmp(command->name, "run") == 0 ? "patterns" : "operands")
                 : resume(command, kept, execute);
   }
   if (kept->run.results == NULL) {
      return execute(options, NULL);
   }
   int code = results_dir_create(&dir, kept->run.results, kept->line.argc, kept->line.argv);
   if (code == EXIT_OK) {
      code = execute(options, &dir);
   }
   results_dir_finish(&dir);
   return code;
}
