/* SPDX-License-Identifier: MIT
 *
 * Writes the reports of a unit. A process that is asked to end does so between two results, not within one.
 */
#include "agx_runner/runs/worker_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/child/child.h"
#include "util/exit_code.h"

#define VIRTUAL_PREFIX "virtual:"

void worker_plan(const struct worker *worker, const char *name)
{
   child_report(worker->reports, "plan %s", name);
}

void worker_begin(const struct worker *worker)
{
   worker_end_if_asked();
   child_report(worker->reports, "begin");
}

void worker_result(const struct worker *worker, const struct result *result)
{
   char *line = result_to_line(result);

   if (line == NULL) {
      exit(EXIT_FAILED);
   }
   child_report(worker->reports, "result %s", line);
   free(line);
   worker_end_if_asked();
}

void worker_print(const struct worker *worker, const char *line)
{
   child_report(worker->reports, "print %s", line);
}

char *worker_device_spec(const struct worker *worker, const char *unit)
{
   char *spec, number[16] = "";

   if (strncmp(worker->device, VIRTUAL_PREFIX, strlen(VIRTUAL_PREFIX)) != 0) {
      return strdup(worker->device);
   }
   if (worker->try > 1) {
      snprintf(number, sizeof(number), "#%u", worker->try);
   }
   if (asprintf(&spec, "%s,scope=%s%s", worker->device, unit, number) < 0) {
      return NULL;
   }
   for (char *comma = strstr(spec, ",scope="); comma != NULL && (comma = strchr(comma + 1, ',')) != NULL;) {
      *comma = ';';
   }
   return spec;
}
