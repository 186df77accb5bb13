/* SPDX-License-Identifier: MIT
 *
 * Runs `agx-runner run` for a step. Invariant: its command line depends on the step and on earlier step results alone,
 * so that a resumed survey runs the same benchmarks.
 */
#include "agx_runner/survey/benchmarks.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agx_runner/survey/parameters.h"
#include "agx_runner/terminal/runner.h"
#include "util/array.h"

#define WORDS_MAX 128 /* most words of the command line of a `run` */
#define TEXT_MAX 512  /* most bytes of a step's patterns */

struct words {
   char *items[WORDS_MAX + 1]; /* the last one is NULL */
   size_t count;
   bool all; /* all words fitted */
};

static void add_word(struct words *words, const char *word)
{
   words->all = words->all && words->count < WORDS_MAX;
   if (words->all) {
      words->items[words->count++] = (char *)word;
      words->items[words->count] = NULL;
   }
}

static bool has_passed(struct json_object *results, const char *name)
{
   for (size_t i = 0; results != NULL && i < json_object_array_length(results); i++) {
      struct json_object *result = json_object_array_get_idx(results, i);
      const char *is = json_object_get_string(json_object_object_get(result, "name"));
      const char *status = json_object_get_string(json_object_object_get(result, "status"));

      if (is != NULL && !strcmp(is, name)) {
         return status != NULL && !strcmp(status, "pass");
      }
   }
   return false;
}

/* Adds the benchmarks that determine parameters. Returns the number of added words. */
static size_t add_parameters(struct words *words, const char *earlier)
{
   struct json_object *sheet = access(earlier, F_OK) == 0 ? json_object_from_file(earlier) : NULL;
   struct json_object *results = json_object_object_get(sheet, "results");
   const size_t before = words->count;

   for (size_t i = 0; i < survey_parameter_count; i++) {
      if (!has_passed(results, survey_parameters[i].benchmark)) {
         add_word(words, survey_parameters[i].benchmark);
      }
   }
   json_object_put(sheet);
   return words->count - before;
}

/* Returns the exit code of `run`; -EINTR or another negative errno. */
static int run_words(const struct survey_benchmarks *run, struct words *words)
{
   int status = 0;
   const pid_t pid = fork();

   if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM); /* the process ends with the step; it waits for the job in flight */
      execv("/proc/self/exe", words->items);
      _exit(EXIT_FAILED);
   }
   if (pid < 0) {
      return -errno;
   }
   while (waitpid(pid, &status, 0) < 0) {
      if (errno != EINTR) {
         return -errno;
      }
      if (*run->interrupted) {
         kill(pid, SIGTERM);
      }
   }
   return *run->interrupted ? -EINTR : WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* Makes the command line of a new or resumed `run`. Returns the number of words; 0: nothing is left to measure;
 * -E2BIG. */
static int make_words(const struct survey_benchmarks *run, const struct survey_step *step, char text[TEXT_MAX],
                      struct words *words)
{
   char journal[512];
   const char *const common[] = {"agx-runner", "run", "--format", "json", "--output", run->results};

   for (size_t i = 0; i < ARRAY_COUNT(common); i++) {
      add_word(words, common[i]);
   }
   snprintf(journal, sizeof(journal), "%s/journal", run->folder);
   if (access(journal, F_OK) == 0) {
      add_word(words, "--resume");
      add_word(words, run->folder);
      return words->all ? (int)words->count : -E2BIG;
   }
   const char *const begun[] = {"--results",     run->folder,     "--device",     run->device,
                                run->options[0], run->options[1], run->options[2]};
   for (size_t i = 0; i < ARRAY_COUNT(begun); i++) {
      add_word(words, begun[i]);
   }
   words->all =
       words->all && (size_t)snprintf(text, TEXT_MAX, "%s", step->patterns != NULL ? step->patterns : "") < TEXT_MAX;
   for (char *rest = text, *word; (word = strsep(&rest, " ")) != NULL;) {
      if (*word != '\0') {
         add_word(words, word);
      }
   }
   if (step->parameters && add_parameters(words, run->earlier) == 0) {
      return 0; /* the default run has measured all of them */
   }
   return words->all ? (int)words->count : -E2BIG;
}

int survey_run_benchmarks(const struct survey_benchmarks *run, const struct survey_step *step, struct sheet *sheet)
{
   char text[TEXT_MAX];
   struct words words = {.all = true};
   const int made = make_words(run, step, text, &words);

   if (made <= 0) {
      return made;
   }
   const int code = run_words(run, &words);
   if (code == EXIT_INVALID) {
      sheet_status(sheet, "skipped", "this version has no such benchmarks");
      return 0;
   }
   if (access(run->results, F_OK) == 0) {
      const int ret = sheet_take_results(sheet, run->results);

      unlink(run->results);
      if (ret == 0 && code > 0 && code != EXIT_SKIPPED) {
         sheet_status(sheet, "failed", "run ended with exit code %d; the results say why", code);
      }
      return code < 0 ? code : ret;
   }
   const size_t kept = sheet_take_journal(sheet, run->folder);
   sheet_status(sheet, "partial", "run ended early, with exit code %d; %zu results are kept", code, kept);
   return code < 0 ? code : 0;
}
