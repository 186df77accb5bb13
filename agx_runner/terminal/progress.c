/* SPDX-License-Identifier: MIT
 *
 * Shows progress on stderr, with the remaining time. If stderr is no terminal, each step is a line.
 */
#include "agx_runner/terminal/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "agx_runner/terminal/terminal.h"
#include "util/clock.h"

#define QUIET_SECONDS 2.0
#define LINE_SECONDS 5.0     /* between lines where there is no terminal */
#define TERMINAL_SECONDS 0.1 /* between changes of the line on one */

void progress_start(struct progress *progress, size_t total)
{
   *progress =
       (struct progress){.total = total, .start = util_clock_seconds(), .terminal = terminal_is_able(STDERR_FILENO)};
}

void progress_start_on_terminal(struct progress *progress, size_t total)
{
   progress_start(progress, total);
   progress->silent = !progress->terminal;
}

void progress_step(struct progress *progress, const char *name)
{
   progress->begun++;
   progress->name = name;
   progress_update(progress, 0);
}

double progress_left(const struct progress *progress, double elapsed, double fraction)
{
   const double done = (double)progress->begun - 1 + fraction;

   return done < 1 ? NAN : elapsed / done * ((double)progress->total - done);
}

/* One line: a longer one than the terminal's would not be erased whole. */
static void show(const struct progress *progress, const char *estimate)
{
   const unsigned columns = progress->terminal ? terminal_columns(STDERR_FILENO) : 0;
   char line[640];

   snprintf(line, sizeof(line), "[%zu/%zu] %s%s", progress->begun, progress->total, progress->name, estimate);
   fprintf(stderr, progress->terminal ? "\r\033[K%.*s" : "%.*s\n", columns > 1 ? (int)columns - 1 : (int)sizeof(line),
           line);
   fflush(stderr);
}

void progress_update(struct progress *progress, double fraction)
{
   if (progress == NULL || progress->silent) {
      return;
   }
   if (progress->report != NULL) {
      progress->report(progress->data, fraction);
      return;
   }
   const double time = util_clock_seconds(), elapsed = time - progress->start;
   const double left = progress_left(progress, elapsed, fraction);
   char estimate[32] = "";

   if (elapsed < QUIET_SECONDS || time - progress->shown < (progress->terminal ? TERMINAL_SECONDS : LINE_SECONDS)) {
      return;
   }
   progress->shown = time;
   progress->visible = true;
   if (isfinite(left)) {
      snprintf(estimate, sizeof(estimate), ", %.0f s left", left);
   }
   show(progress, estimate);
}

void progress_finish(struct progress *progress)
{
   if (progress->terminal && progress->visible) {
      fputs("\r\033[K", stderr);
      fflush(stderr);
   }
}
