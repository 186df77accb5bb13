/* SPDX-License-Identifier: MIT
 *
 * A folder holds one run of one command.
 */
#include "agx_runner/cli/kept.h"

#include <string.h>

#include "agx_runner/terminal/runner.h"

/* The options that the run in `dir` was started with, but for where its results go now. */
static int stored_options(const struct options *options, const struct results_dir *dir, struct options *stored)
{
   const char *command = options->argv[0], *before = dir->argc > 0 ? dir->argv[0] : "";

   if (strcmp(command, before) != 0) {
      return complain(EXIT_INVALID, "%s holds a run of '%s': agx-runner %s --resume %s goes on with it",
                      options->resume, before, before, options->resume);
   }
   const int code = options_parse(command_find(command), dir->argc, dir->argv, stored);
   stored->format = options->format;
   stored->piglit_format = options->piglit_format;
   stored->output = options->output;
   stored->run.results = dir->path;
   return code == OPTIONS_RUN ? EXIT_OK : code == EXIT_OK ? EXIT_INVALID : code;
}

static int resume(const struct options *options, int (*execute)(const struct options *, struct results_dir *))
{
   struct results_dir dir;
   struct options stored = {0};

   if (options->operands.count > 0 || options->run.results != NULL) {
      return complain(EXIT_INVALID, "--resume goes on with a run as it was started: no %s, no --results",
                      strcmp(options->argv[0], "run") == 0 ? "patterns" : "operands");
   }
   int code = results_dir_resume(&dir, options->resume);
   if (code == EXIT_OK) {
      code = stored_options(options, &dir, &stored);
   }
   if (code == EXIT_OK) {
      code = execute(&stored, &dir);
   }
   options_finish(&stored);
   results_dir_finish(&dir);
   return code;
}

int kept_run(const struct options *options, int (*execute)(const struct options *, struct results_dir *))
{
   struct results_dir dir;

   if (options->resume != NULL) {
      return resume(options, execute);
   }
   if (options->run.results == NULL) {
      return execute(options, NULL);
   }
   int code = results_dir_create(&dir, options->run.results, options->argc, options->argv);
   if (code == EXIT_OK) {
      code = execute(options, &dir);
   }
   results_dir_finish(&dir);
   return code;
}
