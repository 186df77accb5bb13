/* SPDX-License-Identifier: MIT
 *
 * Whether blind figures got worse since a recorded correlation (results/correlation.csv).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agx_runner/correlate/correlation.h"
#include "agx_runner/terminal/runner.h"

#define ALLOWED 0.1 /* points of percent: figures differ by less from run to run */

static const struct error_summary *find(const struct correlation *correlation, const char *name)
{
   for (size_t i = 0; i < correlation->summary_count; i++) {
      const struct error_summary *summary = &correlation->summaries[i];

      if (summary->role == FIGURE_BLIND && strcmp(summary->name, name) == 0) {
         return summary;
      }
   }
   return NULL;
}

static int compare(const struct correlation *correlation, const struct error_summary *recorded)
{
   const struct error_summary *now = find(correlation, recorded->name);

   if (now == NULL || now->count < recorded->count) {
      return complain(EXIT_FAILED, "%s: %zu blind figures, %zu were recorded", recorded->name,
                      now != NULL ? now->count : 0, recorded->count);
   }
   int code = EXIT_OK;
   if (now->median > recorded->median + ALLOWED) {
      code = complain(EXIT_FAILED, "%s: the median error of blind figures is %.2f %%, recorded is %.2f %%",
                      recorded->name, now->median, recorded->median);
   }
   if (now->worst > recorded->worst + ALLOWED) {
      code = complain(EXIT_FAILED, "%s: the largest error of blind figures is %.2f %%, recorded is %.2f %%",
                      recorded->name, now->worst, recorded->worst);
   }
   return code;
}

int correlation_check(const struct correlation *correlation, const char *path)
{
   FILE *file = fopen(path, "r");
   char line[256];
   size_t blind = 0;
   int code = EXIT_OK;

   if (file == NULL) {
      return complain(EXIT_INVALID, "%s: %s", path, strerror(errno));
   }
   while (fgets(line, sizeof(line), file) != NULL) {
      struct error_summary recorded;

      if (sscanf(line, "blind,%zu,%lf,%lf,%lf,%63[^\n]", &recorded.count, &recorded.median, &recorded.ninetieth,
                 &recorded.worst, recorded.name) == 5) {
         const int worse = compare(correlation, &recorded);

         code = code == EXIT_OK ? worse : code;
         blind++;
      }
   }
   (void)fclose(file);
   return blind > 0 ? code : complain(EXIT_INVALID, "%s: no line of blind figures, as --write-docs writes them", path);
}
