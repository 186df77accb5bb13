/* SPDX-License-Identifier: MIT
 *
 * The loop of a worker process, and its reports. The runner journals the begin of a unit before it sends the order.
 */
#include "process/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "process/child/child.h"
#include "agx_runner/terminal/runner.h"
#include "util/clock.h"

#define REPORT_SECONDS 0.1 /* interval between reports of progress */
#define VIRTUAL_PREFIX "virtual:"

/* The runner asks a process to end with SIGTERM, which is blocked while a job is in flight. */
static void end_if_asked(void)
{
   sigset_t pending;

   if (sigpending(&pending) == 0 && sigismember(&pending, SIGTERM) == 1) {
      _exit(EXIT_ABORTED);
   }
}

void worker_plan(const struct worker *worker, const char *name)
{
   child_report(worker->reports, "plan %s", name);
}

void worker_begin(const struct worker *worker)
{
   end_if_asked();
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
   end_if_asked();
}

void worker_print(const struct worker *worker, const char *line)
{
   child_report(worker->reports, "print %s", line);
}

static bool is_due(struct worker *worker)
{
   const double now = util_clock_seconds();

   if (now - worker->reported <= REPORT_SECONDS) {
      return false;
   }
   worker->reported = now;
   return true;
}

void worker_progress(struct worker *worker, double fraction)
{
   if (is_due(worker)) {
      child_report(worker->reports, "progress %f", fraction);
   }
}

void worker_alive(struct worker *worker)
{
   if (is_due(worker)) {
      child_report(worker->reports, "alive");
   }
}

void worker_unopened(const struct worker *worker)
{
   child_report(worker->reports, "unopened");
   exit(EXIT_FAILED);
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

/* orders are short, and the next one comes after the report of the last one's end, so a read returns one whole line */
static bool read_order(const struct worker *worker, char *line, size_t size)
{
   size_t used = 0;

   while (used + 1 < size) {
      const ssize_t n = read(worker->orders, line + used, size - 1 - used);
      if (n < 0 && errno == EINTR) {
         continue;
      }
      if (n <= 0) {
         return false;
      }
      used += (size_t)n;
      if (line[used - 1] == '\n') {
         line[used] = '\0';
         return true;
      }
   }
   return false;
}

int worker_live(void *data, int orders, int reports)
{
   struct worker *worker = data;
   bool going = true;
   char line[64];
   size_t unit;

   worker->orders = orders;
   worker->reports = reports;
   /* no job on hardware must be awaited, so the process ends with the runner */
   if (worker->device == NULL || strncmp(worker->device, VIRTUAL_PREFIX, strlen(VIRTUAL_PREFIX)) == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
   }
   while (going && read_order(worker, line, sizeof(line)) && sscanf(line, "run %zu %u", &unit, &worker->try) == 2 &&
          unit < worker->work->count) {
      going = worker->work->run(worker, unit);
      child_report(reports, going ? "end" : "end fresh");
   }
   if (worker->work->close != NULL) {
      worker->work->close(worker);
   }
   return EXIT_OK;
}
