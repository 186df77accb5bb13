/* SPDX-License-Identifier: MIT
 *
 * Pools the samples that a compiler's programs gave in all of its turns, and compares the two compilers.
 */
#include "agx_runner/compare/compilers.h"

#include <stdlib.h>
#include <string.h>

#include "agx_runner/compare/compare_show.h"
#include "agx_runner/measure/derived.h"
#include "agx_runner/results/store.h"
#include "agx_runner/statistics/stats.h"
#include "agx_runner/terminal/runner.h"
#include "compiler/api/compiler.h"

static int no_memory(void)
{
   return complain(EXIT_FAILED, "out of memory");
}

/* Merges a later result of the same compiler and item: its samples are added, and the worse status counts. */
static int pool(struct result *into, const struct result *from)
{
   if (into->status == RESULT_PASS && from->status != RESULT_PASS) {
      result_finish(into);
      result_copy(from, into);
   }
   if (into->status != RESULT_PASS || into->sample_count == 0 || from->sample_count == 0) {
      return EXIT_OK;
   }
   double *samples = realloc(into->samples, (into->sample_count + from->sample_count) * sizeof(*samples));
   if (samples == NULL) {
      return no_memory();
   }
   memcpy(samples + into->sample_count, from->samples, from->sample_count * sizeof(*samples));
   into->samples = samples;
   free(into->times); /* they are the times of the first turn only */
   into->times = NULL;
   into->sample_count += from->sample_count;
   return EXIT_OK;
}

/* Computes the figures of all turns together. */
static int summarize(struct result_run *run)
{
   for (size_t i = 0; i < run->count; i++) {
      struct result *result = &run->results[i];
      struct stats_interval interval;

      if (result->status != RESULT_PASS || result->sample_count == 0) {
         continue;
      }
      if (stats_interval(result->samples, result->sample_count, &interval) < 0) {
         return no_memory();
      }
      stats_widen(&interval, result->resolution);
      result->value = interval.median;
      result->low = interval.low;
      result->high = interval.high;
   }
   return derived_add(run) ? EXIT_OK : no_memory();
}

/* Makes the run of one compiler; `places` has room for the place of each item in it, from 1. */
static int make_side(const struct compilers_settings *settings, const struct result_run *run, uint8_t compiler,
                     size_t *places, struct result_run *side)
{
   int code = EXIT_OK;

   compiler_use(compiler);
   const bool made = result_run_init(side, &run->device, run->command_line, run->seed);
   compiler_use(0);
   if (!made) {
      return no_memory();
   }
   side->ffma_cycles = run->ffma_cycles;
   for (size_t i = 0; code == EXIT_OK && i < settings->turn_count; i++) {
      const struct turn *turn = &settings->turns[i];

      if (turn->compiler != compiler) {
         continue;
      }
      if (places[turn->item] > 0) {
         code = pool(&side->results[places[turn->item] - 1], &run->results[i]);
         continue;
      }
      struct result *added = result_add(side, "");
      if (added == NULL) {
         return no_memory();
      }
      result_copy(&run->results[i], added);
      places[turn->item] = side->count;
   }
   return code == EXIT_OK ? summarize(side) : code;
}

int compilers_compare(const struct compilers_settings *settings, const struct result_run *run, struct output *output)
{
   const struct compare_show show = {.format = settings->format, .fail_on = settings->fail_on};
   struct result_run sides[COMPILERS] = {0};
   int code = run->count >= settings->turn_count ? EXIT_OK : complain(EXIT_FAILED, "a turn gave no result");

   for (uint8_t compiler = 0; code == EXIT_OK && compiler < COMPILERS; compiler++) {
      size_t *places = calloc(settings->turn_count + 1, sizeof(*places));

      code = places != NULL ? make_side(settings, run, compiler, places, &sides[compiler]) : no_memory();
      free(places);
   }
   for (unsigned i = 0; code == EXIT_OK && settings->store != NULL && i < COMPILERS; i++) {
      code = store_keep(settings->store, &sides[i]);
   }
   code = code == EXIT_OK ? compare_show(&show, sides, 1, output) : code;
   for (unsigned i = 0; i < COMPILERS; i++) {
      result_run_finish(&sides[i]);
   }
   return code;
}
