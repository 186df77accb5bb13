/* SPDX-License-Identifier: MIT
 *
 * Examines the device in a process of its own: a driver that crashes or hangs affects that process only.
 */
#include "agx_runner/runs/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/measure/session.h"
#include "agx_runner/terminal/runner.h"
#include "uapi/uapi.h"

#define VIRTUAL_PREFIX "virtual:"
#define BROKEN "broken "

int probe_open_life(void *data, int orders, int reports)
{
   struct probe *probe = data;
   struct session session;
   const int code = session_open(&session, probe->device, probe->timeout);

   (void)orders, (void)reports;
   if (code == EXIT_OK) {
      probe->info = *session.info;
      probe->opened = true;
      session_close(&session);
   }
   return code;
}

int probe_check_life(void *data, int orders, int reports)
{
   const char *device = data;
   const bool is_virtual = strncmp(device, VIRTUAL_PREFIX, strlen(VIRTUAL_PREFIX)) == 0;
   char *spec, why[300];

   (void)orders;
   if (asprintf(&spec, "%s%s", device, is_virtual ? ",scope=check" : "") < 0) {
      return EXIT_FAILED;
   }
   if (uapi_check(spec, why, sizeof(why))) {
      child_report(reports, "works");
   } else {
      child_report(reports, BROKEN "%s", why);
   }
   return EXIT_OK;
}

const char *probe_answer(struct child *child, char *why, size_t size)
{
   char *line = child_take_line(child);
   const bool works = line != NULL && strcmp(line, "works") == 0;

   if (line != NULL && strncmp(line, BROKEN, strlen(BROKEN)) == 0) {
      snprintf(why, size, "%s", line + strlen(BROKEN));
   } else {
      child_describe_end(child, why, size);
   }
   free(line);
   return works ? NULL : why;
}
