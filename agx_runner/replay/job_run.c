/* SPDX-License-Identifier: MIT
 *
 * Runs a saved job for disasm, explain and exec.
 */
#include "agx_runner/replay/job_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agx_runner/terminal/runner.h"
#include "util/array.h"

int job_check_command(const struct string_list *operands, const char *option)
{
   if (option != NULL) {
      return complain(EXIT_INVALID,
                      "%s: a saved job has its own program, buffers and grid: %s cannot be combined with it",
                      operands->items[0], option);
   }
   return operands->count == 1
              ? EXIT_OK
              : complain(EXIT_INVALID, "%s: one saved job at a time; replay takes several", operands->items[0]);
}

int job_run_read(struct job_run *run, const struct job_settings *settings)
{
   char why[256];
   *run = (struct job_run){.settings = settings, .replay = {.raw = {.fd = -1}}};
   return saved_job_read(settings->path, &run->job, why, sizeof(why))
              ? EXIT_OK
              : complain(EXIT_INVALID, "%s: %s", settings->path, why);
}

/* A chip of each class with different launch words, and how a job's text names it: by the virtual device's spec or by
 * the real GPU's revision (as the recorder writes it: "G14C B1"). */
static const struct {
   const char *named, *device;
} classes[] = {
    {"virtual:m1-", "virtual:m1-max"},
    {"virtual:m2-", "virtual:m2-max"},
    {"virtual:m2", "virtual:m2"},
    {"virtual:m1", "virtual:m1"},
    {"G13S", "virtual:m1-max"},
    {"G13C", "virtual:m1-max"},
    {"G13D", "virtual:m1-max"},
    {"G14S", "virtual:m2-max"},
    {"G14C", "virtual:m2-max"},
    {"G14D", "virtual:m2-max"},
    {"G14", "virtual:m2"},
};

const char *job_run_device(const struct job_run *run)
{
   if (strcmp(run->settings->device, "auto") != 0) {
      return run->settings->device;
   }
   for (size_t i = 0; i < ARRAY_COUNT(classes); i++) {
      if (strstr(run->job.info, classes[i].named) != NULL) {
         return classes[i].device;
      }
   }
   return "virtual:m1";
}

static void close_device(struct job_run *run)
{
   if (run->device != NULL) {
      replay_close(&run->replay);
      asahi_device_close(run->device);
      run->device = NULL;
   }
}

int job_run_submit(struct job_run *run, const char *options)
{
   const char *path = run->settings->path;
   char why[1280] = "", *spec = NULL;
   close_device(run);
   if (asprintf(&spec, "%s%s", job_run_device(run), options) < 0) {
      return complain(EXIT_FAILED, "out of memory");
   }
   const int error = asahi_device_open(spec, &run->device, why, sizeof(why));
   free(spec);
   if (error < 0) {
      run->device = NULL;
      return complain(EXIT_INVALID, "%s", why[0] != '\0' ? why : strerror(-error));
   }
   if (!replay_open_on(&run->replay, run->device, &run->job) || !replay_submit(&run->replay, run->settings->seconds)) {
      return complain(EXIT_FAILED, "%s: %s", path, run->replay.why);
   }
   return EXIT_OK;
}

void job_run_finish(struct job_run *run)
{
   close_device(run);
   saved_job_finish(&run->job);
}
