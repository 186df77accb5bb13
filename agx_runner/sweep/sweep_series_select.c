/* SPDX-License-Identifier: MIT
 *
 * From the words of sweep bandwidth, atomics and launch to the rows of the catalogue that are run.
 */
#include "agx_runner/sweep/sweep_series.h"

#include <stdlib.h>

#include "agx_runner/terminal/output.h"
#include "agx_runner/terminal/runner.h"
#include "agx_runner/terminal/values.h"

static int check_words(const char *sweep, const char *const *words, size_t count)
{
   char names[320];

   for (size_t i = 0; i < count; i++) {
      if (!sweep_series_knows(sweep, words[i], names, sizeof(names))) {
         return complain(EXIT_INVALID, "sweep %s: there is no '%s', only %s", sweep, words[i], names);
      }
   }
   return EXIT_OK;
}

/* The full names of the wanted points, which `names` holds. False: out of memory. */
static bool list_points(const char *sweep, const char *const *words, size_t count, char (*names)[RESULT_NAME_MAX],
                        struct string_list *list)
{
   bool added = true;

   for (size_t i = 0; added && i < bench_count(); i++) {
      for (unsigned metric = 0; added && metric < BENCH_METRIC_COUNT; metric++) {
         if (bench_at(i)->metrics & 1u << metric) {
            metric_name(bench_at(i), metric, names[list->count], sizeof(names[0]));
            if (sweep_series_has(sweep, words, count, names[list->count])) {
               added = string_list_add(list, names[list->count]);
            }
         }
      }
   }
   return added;
}

int sweep_series_select(struct selection *selection, const char *sweep, const char *const *words, size_t count)
{
   struct string_list list = {0};

   *selection = (struct selection){0};
   int code = check_words(sweep, words, count);
   if (code != EXIT_OK) {
      return code;
   }
   char(*names)[RESULT_NAME_MAX] = calloc(bench_count() * BENCH_METRIC_COUNT, sizeof(*names));
   if (names == NULL || !list_points(sweep, words, count, names, &list)) {
      code = complain(EXIT_FAILED, "out of memory");
   } else {
      code = selection_make(selection, &list, &(struct selection_scope){0});
   }
   string_list_finish(&list);
   free(names);
   return code;
}
