/* SPDX-License-Identifier: MIT
 *
 * A resumed run knows only its journal: a unit with results is finished, one that only began is not.
 */
#include "agx_runner/runs/results_dir.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"

static int no_memory(void)
{
   return complain(EXIT_FAILED, "out of memory");
}

static char *path_of(const struct results_dir *dir, const char *name)
{
   char *path;

   return asprintf(&path, "%s/%s", dir->path, name) < 0 ? NULL : path;
}

/* ---- A new run ---- */

static int write_start(const struct results_dir *dir, int argc, char **argv)
{
   struct json_object *arguments = json_object_new_array();
   char *directory = getcwd(NULL, 0);
   int error = arguments == NULL || directory == NULL ? -ENOMEM : 0;

   for (int i = 0; error == 0 && i < argc; i++) {
      error = json_object_array_add(arguments, json_object_new_string(argv[i])) < 0 ? -ENOMEM : 0;
   }
   if (error == 0) {
      error = journal_append(&dir->journal, JOURNAL_NOW, "run %s",
                             json_object_to_json_string_ext(arguments, JSON_C_TO_STRING_PLAIN));
   }
   if (error == 0) {
      error = journal_append(&dir->journal, JOURNAL_NOW, "directory %s", directory);
   }
   json_object_put(arguments);
   free(directory);
   return error == 0 ? EXIT_OK : complain(EXIT_FAILED, "%s/journal: %s", dir->path, strerror(-error));
}

int results_dir_create(struct results_dir *dir, const char *name, int argc, char **argv)
{
   *dir = (struct results_dir){.journal = {-1}};
   if (mkdir(name, 0777) < 0 && errno != EEXIST) {
      return complain(EXIT_FAILED, "%s: cannot be created: %s", name, strerror(errno));
   }
   dir->path = realpath(name, NULL);
   if (dir->path == NULL) {
      return complain(EXIT_FAILED, "%s: %s", name, strerror(errno));
   }
   char *path = path_of(dir, "journal");
   if (path == NULL) {
      return no_memory();
   }
   const int error = journal_create(&dir->journal, path);
   free(path);
   if (error == -EEXIST) {
      return complain(EXIT_INVALID, "%s holds a run already: agx-runner %s --resume %s continues it", name, argv[0],
                      name);
   }
   return error < 0 ? complain(EXIT_FAILED, "%s/journal: %s", name, strerror(-error)) : write_start(dir, argc, argv);
}

/* ---- A resumed run ---- */

static int take_start(void *data, const struct journal_entry *entry)
{
   struct results_dir *dir = data;

   if (entry->kind == JOURNAL_RUN && dir->arguments == NULL) {
      dir->arguments = json_tokener_parse(entry->text);
   } else if (entry->kind == JOURNAL_DIRECTORY && dir->directory == NULL) {
      dir->directory = strdup(entry->text);
      return dir->directory == NULL ? -ENOMEM : 0;
   }
   return 0;
}

static int take_arguments(struct results_dir *dir)
{
   const size_t count = json_object_array_length(dir->arguments);

   dir->argv = calloc(count + 1, sizeof(*dir->argv));
   if (dir->argv == NULL) {
      return no_memory();
   }
   for (size_t i = 0; i < count; i++) {
      dir->argv[i] = (char *)json_object_get_string(json_object_array_get_idx(dir->arguments, i));
   }
   dir->argc = (int)count;
   return EXIT_OK;
}

static int open_journal(struct results_dir *dir, const char *name)
{
   char *path = path_of(dir, "journal");
   int error = path != NULL ? journal_continue(&dir->journal, path) : -ENOMEM;

   free(path);
   if (error == 0) {
      error = journal_read(&dir->journal, take_start, dir, &dir->damaged);
   }
   if (error == -EWOULDBLOCK) {
      return complain(EXIT_INVALID, "%s: another agx-runner is using it", name);
   }
   if (error == -ENOENT) {
      return complain(EXIT_INVALID, "%s holds no run: there is no journal in it", name);
   }
   if (error < 0) {
      return complain(EXIT_FAILED, "%s/journal: %s", name, strerror(-error));
   }
   if (dir->damaged > 0) {
      note("%s/journal: %zu damaged lines are ignored", name, dir->damaged);
   }
   return EXIT_OK;
}

int results_dir_resume(struct results_dir *dir, const char *name)
{
   *dir = (struct results_dir){.journal = {-1}, .path = realpath(name, NULL)};
   if (dir->path == NULL) {
      return complain(EXIT_INVALID, "%s: %s", name, strerror(errno));
   }
   int code = open_journal(dir, name);
   if (code != EXIT_OK) {
      return code;
   }
   if (!json_object_is_type(dir->arguments, json_type_array) || dir->directory == NULL) {
      return complain(EXIT_INVALID, "%s/journal: the run ended before its first test: start it anew", name);
   }
   code = take_arguments(dir);
   if (code == EXIT_OK && chdir(dir->directory) < 0) {
      return complain(EXIT_FAILED, "%s: the run was started there: %s", dir->directory, strerror(errno));
   }
   return code;
}

void results_dir_finish(struct results_dir *dir)
{
   journal_close(&dir->journal);
   json_object_put(dir->arguments);
   free(dir->argv);
   free(dir->directory);
   free(dir->path);
   *dir = (struct results_dir){.journal = {-1}};
}

/* ---- Finished units ---- */

struct reading {
   const struct work *work;
   struct outcome *outcomes;
   bool *begun; /* units without a result so far */
   char message[256];
};

/* Counts a run that was ended in a unit which began again, or which has no result. */
static void end_begun(struct reading *reading, size_t unit)
{
   reading->outcomes[unit].ended += reading->begun[unit];
   reading->begun[unit] = false;
}

static int read_results(struct reading *reading, const struct journal_entry *entry)
{
   struct outcome *outcome = &reading->outcomes[entry->index];
   struct attempt attempt;

   reading->begun[entry->index] = false;
   if (entry->try + 1 < outcome->tries || entry->try > outcome->tries + 1) {
      return 0; /* a try without a result comes before, so later ones do not count */
   }
   const int error = attempt_from_line(entry->text, &attempt, reading->message, sizeof(reading->message));
   if (error == -ENOMEM) {
      return error;
   }
   if (error == 0) {
      /* the same try occurs twice if the device was lost after it: the second result says so */
      outcome->tries = entry->try - 1;
      outcome_add(outcome, &attempt);
   }
   return 0;
}

static int take_entry(void *data, const struct journal_entry *entry)
{
   struct reading *reading = data;
   const struct work *work = reading->work;

   if (entry->kind < JOURNAL_BEGIN) {
      return 0;
   }
   if (entry->index >= work->count ||
       (entry->kind == JOURNAL_BEGIN && strcmp(entry->text, work->name(work->data, entry->index)) != 0)) {
      snprintf(reading->message, sizeof(reading->message),
               "test %zu has changed: this is another agx-runner, or another selection", entry->index);
      return -EINVAL;
   }
   if (entry->kind == JOURNAL_BEGIN) {
      end_begun(reading, entry->index);
      reading->begun[entry->index] = true;
   } else if (entry->kind == JOURNAL_RESULT) {
      return read_results(reading, entry);
   } else if (entry->kind == JOURNAL_INTERRUPTED) {
      reading->begun[entry->index] = false;
   }
   return 0;
}

int results_dir_outcomes(const struct results_dir *dir, const struct work *work, struct outcome *outcomes)
{
   struct reading reading = {
       .work = work, .outcomes = outcomes, .begun = calloc(work->count + 1, sizeof(*reading.begun))};
   size_t damaged;

   const int error = reading.begun != NULL ? journal_read(&dir->journal, take_entry, &reading, &damaged) : -ENOMEM;
   for (size_t i = 0; error == 0 && i < work->count; i++) {
      end_begun(&reading, i);
   }
   free(reading.begun);
   return error == 0 ? EXIT_OK
                     : complain(error == -EINVAL ? EXIT_INVALID : EXIT_FAILED, "%s/journal: %s", dir->path,
                                reading.message[0] != '\0' ? reading.message : strerror(-error));
}

/* ---- Header and report ---- */

static int write_run(const struct results_dir *dir, const char *name, const struct result_run *run)
{
   char *path = path_of(dir, name);
   struct output output;
   int code = path != NULL ? output_open(&output, path) : no_memory();

   if (code == EXIT_OK) {
      code = result_write_json(run, output.file) < 0 ? no_memory() : output_commit(&output);
      output_discard(&output);
   }
   free(path);
   return code;
}

int results_dir_save_header(const struct results_dir *dir, const struct result_run *run)
{
   return write_run(dir, "run.json", run);
}

int results_dir_load_header(const struct results_dir *dir, struct result_run *run, bool *found)
{
   char message[256], *path = path_of(dir, "run.json");
   const int error = path != NULL ? result_run_load(path, run, message, sizeof(message)) : -ENOMEM;

   *found = error == 0;
   free(path);
   return error == 0 || error == -ENOENT ? EXIT_OK : complain(EXIT_FAILED, "%s/run.json: %s", dir->path, message);
}

int results_dir_report(const struct results_dir *dir, const struct result_run *run,
                       const struct expectations *expectations, const struct outcome *outcomes, size_t count)
{
   char *path = path_of(dir, "failures.csv");
   struct output output;
   int code = path != NULL ? output_open(&output, path) : no_memory();

   if (code == EXIT_OK) {
      for (size_t i = 0; i < count; i++) {
         if (outcomes[i].tries > 0) {
            outcome_write_failures(&outcomes[i], expectations, output.file);
         }
      }
      code = output_commit(&output);
      output_discard(&output);
   }
   free(path);
   return code == EXIT_OK ? write_run(dir, "results.json", run) : code;
}
