/* SPDX-License-Identifier: MIT
 *
 * The folder of a stored run: journal (journal.h), run.json (what was run on which device), and at the end
 * results.json and failures.csv, a fails file for the next run.
 */
#ifndef AGX_RUNNER_RESULTS_DIR_H
#define AGX_RUNNER_RESULTS_DIR_H

#include "agx_runner/runs/outcome.h"
#include "process/journal.h"
#include "process/unit.h"

struct results_dir {
   char *path; /* absolute path */
   struct journal journal;
   struct json_object *arguments; /* the command line of the run to resume, which argv points to */
   int argc;
   char **argv;
   char *directory; /* folder in which it was started */
   size_t damaged;  /* malformed lines of the journal */
};

/* All of these print errors and return an enum exit_code. results_dir_finish() must follow in any case. */

/* Creates a folder, or uses one that contains no run. argc, argv: the command line, beginning with the command. */
int results_dir_create(struct results_dir *dir, const char *name, int argc, char **argv);
/* Opens the folder of a run to resume. dir->argv is the command line of the run until results_dir_finish(). Changes to
 * the directory in which the run was started. */
int results_dir_resume(struct results_dir *dir, const char *name);
void results_dir_finish(struct results_dir *dir);

/* Reads the outcomes of the units from the journal. */
int results_dir_outcomes(const struct results_dir *dir, const struct work *work, struct outcome *outcomes);
/* Store and load the header of the results. Load: EXIT_OK with *found false if there is none yet. */
int results_dir_save_header(const struct results_dir *dir, const struct result_run *run);
int results_dir_load_header(const struct results_dir *dir, struct result_run *run, bool *found);
/* Writes results.json and failures.csv. */
int results_dir_report(const struct results_dir *dir, const struct result_run *run,
                       const struct expectations *expectations, const struct outcome *outcomes, size_t count);

#endif
