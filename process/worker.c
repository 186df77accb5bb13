/* SPDX-License-Identifier: MIT
 *
 * The loop of a worker process, and its reports. The runner journals the begin of a unit before it sends the order.
 */
#include "process/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "process/child/child.h"
#include "util/clock.h"
#include "util/exit_code.h"

#define REPORT_SECONDS 0.1 /* interval between reports of progress */

void worker_end_if_asked(void)
{
   sigset_t pending;

   if (sigpending(&pending) == 0 && sigismember(&pending, SIGTERM) == 1) {
      _exit(EXIT_ABORTED);
   }
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
   if (worker->tied) {
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
