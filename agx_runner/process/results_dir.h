/* SPDX-License-Identifier: MIT
 *
 * The folder of a run that is kept: journal (journal.h), run.json (what was run on which device), and in the end
 * results.json and failures.csv, a fails file for the next run.
 */
#ifndef AGX_RUNNER_RESULTS_DIR_H
#define AGX_RUNNER_RESULTS_DIR_H

#include "agx_runner/process/journal.h"
#include "agx_runner/process/outcome.h"
#include "agx_runner/process/unit.h"

struct results_dir {
   char *path; /* absolute */
   struct journal journal;
   struct json_object *arguments; /* the command line of the run to resume; argv points there */
   int argc;
   char **argv;
   char *directory; /* where it was started */
   size_t damaged;  /* lines of the journal */
};

/* All of these print what is wrong and return an enum exit_code. results_dir_finish() must follow in any case. */

/* A new folder, or one that holds no run yet. argc, argv: the command line, the command first. */
int results_dir_create(struct results_dir *dir, const char *name, int argc, char **argv);
/* One to go on with: dir->argv is the command line that the run was started with, until results_dir_finish(). Goes to
 * the folder that the run was started in. */
int results_dir_resume(struct results_dir *dir, const char *name);
void results_dir_finish(struct results_dir *dir);

/* What the journal knows of the units. */
int results_dir_outcomes(const struct results_dir *dir, const struct work *work, struct outcome *outcomes);
/* What stands above the results. Load: EXIT_OK with *found false where there is none yet. */
int results_dir_save_header(const struct results_dir *dir, const struct result_run *run);
int results_dir_load_header(const struct results_dir *dir, struct result_run *run, bool *found);
/* results.json and failures.csv. */
int results_dir_report(const struct results_dir *dir, const struct result_run *run,
                       const struct expectations *expectations, const struct outcome *outcomes, size_t count);

#endif
