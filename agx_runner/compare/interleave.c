/* SPDX-License-Identifier: MIT
 *
 * Measures with two builds in the order A, B, B, A for each benchmark, and pools the samples of each build.
 */
#include "agx_runner/compare/interleave.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/compare/compare_show.h"
#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/progress.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/statistics/stats.h"
#include "agx_runner/results/store.h"
#include "agx_runner/compare/interleaved_build.h"
#include "util/array.h"

/* The build that measures each time. A linear drift adds the same to both: 1 + 4 = 2 + 3. */
static const unsigned order[] = {0, 1, 1, 0};

#define WORDS_MAX 64 /* for options that are passed on, and for the patterns of one benchmark's metrics */

struct words {
   char text[WORDS_MAX][RESULT_NAME_MAX];
   const char *list[2 + WORDS_MAX + 5]; /* in the format of interleaved_build_run() */
   size_t count;
   bool cut; /* a word did not fit */
};

struct interleaving {
   const struct interleave_settings *settings;
   const struct selection *selection;
   struct result_run runs[2];
   struct interleaved_builds builds;
};

__attribute__((format(printf, 2, 3))) static void add_word(struct words *words, const char *format, ...)
{
   va_list arguments;

   if (words->count < WORDS_MAX) {
      va_start(arguments, format);
      const int length = vsnprintf(words->text[words->count], sizeof(words->text[0]), format, arguments);
      va_end(arguments);
      words->cut |= length < 0 || (size_t)length >= sizeof(words->text[0]);
      words->list[2 + words->count] = words->text[words->count];
      words->count++;
   }
}

/* Adds what one process measures, from item `first` on. */
static size_t add_benchmark(struct words *words, const struct selection *selection, size_t first)
{
   const struct selected *items = selection->items;
   size_t count = 0;

   while (first + count < selection->count && selected_together(&items[first], &items[first + count]) &&
          words->count < WORDS_MAX) {
      add_word(words, selection->mixes != NULL ? "--mix=%s" : "%s", items[first + count].name);
      count++;
   }
   words->list[2 + words->count] = NULL;
   return count;
}

static struct result *find(const struct result_run *run, const char *name)
{
   for (size_t i = run->count; i-- > 0;) {
      if (strcmp(run->results[i].name, name) == 0) {
         return &run->results[i];
      }
   }
   return NULL;
}

/* Merges a later result of the same build and benchmark: its samples are added, and the worse status counts. */
static int pool(struct result *into, struct result *from)
{
   if (into->status == RESULT_PASS && from->status != RESULT_PASS) {
      const struct result better = *into;

      *into = *from;
      *from = better;
   }
   if (into->status != RESULT_PASS || into->sample_count == 0 || from->sample_count == 0) {
      return EXIT_OK;
   }
   double *samples = realloc(into->samples, (into->sample_count + from->sample_count) * sizeof(*samples));
   if (samples == NULL) {
      return complain(EXIT_FAILED, "out of memory");
   }
   memcpy(samples + into->sample_count, from->samples, from->sample_count * sizeof(*samples));
   into->samples = samples;
   free(into->times); /* those of the first process alone */
   into->times = NULL;
   into->sample_count += from->sample_count;
   return EXIT_OK;
}

/* Moves the results of one process into the run of its build, whose header is that of the first process. */
static int gather(struct interleaving *all, unsigned side, struct result_run *part)
{
   struct result_run *run = &all->runs[side];

   if (run->command_line == NULL && part->count > 0) {
      *run = *part;
      run->results = NULL;
      run->count = 0;
      run->command_line = strdup(all->settings->command_line);
      free(part->command_line);
      part->command_line = NULL;
   }
   for (size_t i = 0; i < part->count; i++) {
      struct result *known = find(run, part->results[i].name);

      if (known != NULL) {
         if (pool(known, &part->results[i]) != EXIT_OK) {
            return EXIT_FAILED;
         }
         continue;
      }
      struct result *added = result_add(run, "");
      if (added == NULL) {
         return complain(EXIT_FAILED, "out of memory");
      }
      *added = part->results[i];
      result_init(&part->results[i], "");
   }
   return EXIT_OK;
}

static int measure_in_order(struct interleaving *all, struct words *words)
{
   const char *const programs[2] = {INTERLEAVED_BUILD_ITSELF, all->settings->program};
   const char *const labels[2] = {"this build", all->settings->program};
   int code = EXIT_OK;

   for (size_t i = 0; code == EXIT_OK && i < ARRAY_COUNT(order); i++) {
      struct result_run part;
      bool absent;

      code = interleaved_build_run(&all->builds, programs[order[i]], labels[order[i]], words->list, &part, &absent);
      if (code == EXIT_OK) {
         code = gather(all, order[i], &part);
      }
      result_run_finish(&part);
   }
   return code;
}

static int measure(struct interleaving *all)
{
   const struct selection *selection = all->selection;
   struct words *words = calloc(1, sizeof(*words));
   struct progress progress = {0};
   int code = words == NULL ? complain(EXIT_FAILED, "out of memory") : EXIT_OK;

   if (code != EXIT_OK) {
      return code;
   }
   for (size_t i = 0; i < all->settings->words->count; i++) {
      add_word(words, "%s", all->settings->words->items[i]);
   }
   if (words->cut) {
      code = complain(EXIT_INVALID, "--interleave: an option of more than %zu characters", sizeof(words->text[0]) - 1);
   }
   const size_t options = words->count;
   progress_start(&progress, selection->count);
   for (size_t first = 0, count; code == EXIT_OK && first < selection->count; first += count) {
      words->count = options;
      count = add_benchmark(words, selection, first);
      for (size_t i = 0; i < count; i++) {
         progress_step(&progress, selection->items[first + i].name);
      }
      code = measure_in_order(all, words);
   }
   progress_finish(&progress);
   free(words);
   return code;
}

/* Computes the figures of all processes together. */
static int summarize(struct result_run *run)
{
   for (size_t i = 0; i < run->count; i++) {
      struct result *result = &run->results[i];
      struct stats_interval interval;

      if (result->status != RESULT_PASS || result->sample_count == 0) {
         continue;
      }
      if (stats_interval(result->samples, result->sample_count, &interval) < 0) {
         return complain(EXIT_FAILED, "out of memory");
      }
      stats_widen(&interval, result->resolution);
      result->value = interval.median;
      result->low = interval.low;
      result->high = interval.high;
   }
   return EXIT_OK;
}

/* Checks the output files before the run rather than after it. */
static int check_places(const struct interleave_settings *settings)
{
   const int code = output_probe(settings->output);

   return code == EXIT_OK && settings->store != NULL ? store_probe(settings->store) : code;
}

static int check_settings(const struct interleave_settings *settings)
{
   if (settings->format != FORMAT_TEXT && settings->format != FORMAT_JSON && settings->format != FORMAT_MARKDOWN) {
      return complain(EXIT_INVALID, "--interleave writes a comparison: --format text, json or markdown, not '%s'",
                      output_format_names[settings->format]);
   }
   const int code = interleaved_build_check(settings->program);
   return code == EXIT_OK ? check_places(settings) : code;
}

static int conclude(struct interleaving *all, const struct fail_on *rules)
{
   const struct interleave_settings *settings = all->settings;
   const struct compare_show show = {.format = settings->format, .output = settings->output, .fail_on = rules};
   int code = EXIT_OK;

   for (unsigned side = 0; code == EXIT_OK && side < 2; side++) {
      code = summarize(&all->runs[side]);
      if (code == EXIT_OK && all->runs[side].count == 0) {
         code = complain(EXIT_INVALID, "%s knows none of these benchmarks", settings->program);
      }
   }
   for (unsigned side = 0; code == EXIT_OK && settings->store != NULL && side < 2; side++) {
      code = store_keep(settings->store, &all->runs[side]);
   }
   return code == EXIT_OK ? compare_show(&show, all->runs, 1) : code;
}

int interleave(const struct interleave_settings *settings, const struct selection *selection)
{
   struct interleaving all = {.settings = settings, .selection = selection};
   struct fail_on rules;
   int code = check_settings(settings);

   if (code == EXIT_OK) {
      code = fail_on_parse(settings->fail_on, &rules);
   }
   if (code == EXIT_OK) {
      code = interleaved_builds_start(&all.builds, settings->run_timeout);
      code = code == EXIT_OK ? measure(&all) : code;
      interleaved_builds_finish(&all.builds);
   }
   if (code == EXIT_OK) {
      code = conclude(&all, &rules);
   }
   result_run_finish(&all.runs[0]);
   result_run_finish(&all.runs[1]);
   return code;
}
