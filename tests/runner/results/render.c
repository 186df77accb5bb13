/* SPDX-License-Identifier: MIT
 *
 * test-runner-render FORMAT FILE: a result file in another format, for render.py to look at.
 */
#include <stdio.h>
#include <string.h>

#include "agx_runner/report/report.h"
#include "agx_runner/results/result.h"

int main(int argc, char **argv)
{
   struct result_run run;
   char message[256];
   unsigned format = 0;

   if (argc != 3 || result_run_load(argv[2], &run, message, sizeof(message)) < 0) {
      fprintf(stderr, "%s\n", argc == 3 ? message : "usage: test-runner-render FORMAT FILE");
      return 2;
   }
   while (result_format_names[format] != NULL && strcmp(result_format_names[format], argv[1]) != 0) {
      format++;
   }
   const int ret = result_format_names[format] == NULL ? -1
                   : format == RESULT_FORMAT_HTML      ? report_write(&run, &(const struct report_extras){0}, stdout)
                                                       : result_write(&run, format, false, stdout);
   result_run_finish(&run);
   return ret < 0;
}
