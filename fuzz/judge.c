/* SPDX-License-Identifier: MIT
 *
 * The process that looks into one program. Invariant: it and its parent never compile; its forks do.
 */
#include "fuzz/judge.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/crash.h"
#include "fuzz/report.h"
#include "agx_runner/terminal/runner.h"

struct judged {
   struct fuzz_report report; /* as it was given */
   struct finding finding;
   struct fuzz_crash crash; /* where a smaller program crashes */
   bool done;
};

static void live(struct judged *judged, const struct findings *findings, const struct fuzz_settings *settings,
                 const struct compiler_options *options, int signal)
{
   struct crash_search search = {.options = *options, .where = &judged->crash};

   if (signal != 0) {
      crash_look_into(&search, &judged->finding, findings, settings, &judged->report, signal);
   } else {
      finding_look_into(&judged->finding, findings, settings, &judged->report, NULL);
   }
   judged->done = true;
}

int judge_start(struct judge *judge, const struct findings *findings, const struct fuzz_settings *settings,
                const struct compiler_options *options, const struct fuzz_report *report, int signal)
{
   int ends[2];

   if (judge->judged == NULL) {
      judge->judged = mmap(NULL, sizeof(*judge->judged), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (judge->judged == MAP_FAILED) {
         judge->judged = NULL;
         return -ENOMEM;
      }
   }
   judge->judged->done = false;
   judge->judged->report = *report;
   if (pipe(ends) < 0) {
      return -errno;
   }
   fflush(NULL);
   judge->pid = fork();
   if (judge->pid == 0) {
      (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(ends[0]);
      live(judge->judged, findings, settings, options, signal);
      _exit(0);
   }
   close(ends[1]);
   judge->pipe = ends[0];
   if (judge->pid < 0) {
      close(ends[0]);
      judge->pid = 0;
      return -errno;
   }
   return 0;
}

void judge_finish(struct judge *judge, struct findings *findings)
{
   while (waitpid(judge->pid, NULL, 0) < 0 && errno == EINTR) {
   }
   close(judge->pipe);
   judge->pid = 0;
   if (!judge->judged->done) {
      (void)complain(EXIT_FAILED, "fuzz: program %" PRIu64 " fails and was not looked into: that process has ended",
                     judge->judged->report.index);
   } else if (findings_take(findings, &judge->judged->finding)) {
      fuzz_report_finding(stderr, findings->items[findings->count - 1]);
   }
}

void judge_close(struct judge *judge)
{
   if (judge->judged != NULL) {
      munmap(judge->judged, sizeof(*judge->judged));
   }
   *judge = (struct judge){0};
}
