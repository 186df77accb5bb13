/* SPDX-License-Identifier: MIT
 *
 * Prints a device's reports among the lines of a test. Invariant: each report is a line of its own.
 */
#include "agx_runner/driver/tests/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void driver_tests_findings(const struct device_report *report, const struct piglit_sink *sink)
{
   char *text = NULL, *rest;
   size_t size;
   FILE *file = open_memstream(&text, &size);
   if (file == NULL) {
      return;
   }
   device_report_findings(report, file);
   fclose(file);
   rest = text;
   for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
      if (line[0] != '\0') {
         sink->print(sink->data, line);
      }
   }
   free(text);
}
