/* SPDX-License-Identifier: MIT
 *
 * test-runner-render FORMAT FILE: a result file in another format, for render.py to look at.
 */
#include <stdio.h>
#include <string.h>

#include "agx_runner/report/formats.h"

int main(int argc, char **argv)
{
   struct result_run run;
   char message[256];
   const struct output_offer *offer;
   size_t format = 0;

   if (argc != 3 || result_run_load(argv[2], &run, message, sizeof(message)) < 0) {
      fprintf(stderr, "%s\n", argc == 3 ? message : "usage: test-runner-render FORMAT FILE");
      return 2;
   }
   while ((offer = output_offer_at(&run_formats, format)) != NULL &&
          strcmp(output_format_names[offer->format], argv[1]) != 0) {
      format++;
   }
   const int ret = offer == NULL ? -1 : run_write(&run, offer->format, stdout);
   result_run_finish(&run);
   return ret < 0;
}
