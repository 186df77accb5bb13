/* SPDX-License-Identifier: MIT
 *
 * The process that looks into one program. Invariant: it and its parent never compile; its forks do.
 */
#include "fuzz/triage.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "fuzz/crash.h"
#include "fuzz/report.h"

/* Of work or sleep of the process and those that it starts: each of those has a limit of its own. */
#define JUDGE_SECONDS 1800
#define JUDGE_IDLE 2 /* limits of idle time: the process ends what it waits for after one */

struct judged {
   struct fuzz_report report; /* as it was given */
   struct finding finding;
   struct fuzz_crash crash; /* where a smaller program crashes */
   bool done;
};

struct judge_start {
   struct judged *judged;
   const struct findings *findings;
   const struct fuzz_settings *settings;
   const struct compiler_options *options;
};

static int live(void *data, int orders, int reports)
{
   const struct judge_start *start = data;
   struct judged *judged = start->judged;
   struct crash_search search = {
       .options = *start->options, .limits = fuzz_limits(start->settings), .where = &judged->crash};

   (void)orders, (void)reports;
   if (judged->report.fate.end != CALL_DONE) {
      crash_look_into(&search, &judged->finding, start->findings, start->settings, &judged->report);
   } else {
      finding_look_into(&judged->finding, start->findings, start->settings, &judged->report, NULL);
   }
   judged->done = true;
   return 0;
}

int judge_start(struct judge *judge, const struct findings *findings, const struct fuzz_settings *settings,
                const struct compiler_options *options, const struct fuzz_report *report)
{
   if (judge->judged == NULL) {
      judge->judged = mmap(NULL, sizeof(*judge->judged), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (judge->judged == MAP_FAILED) {
         judge->judged = NULL;
         return -ENOMEM;
      }
   }
   judge->judged->done = false;
   judge->judged->report = *report;
   const int error =
       child_start(&judge->child, live, &(struct judge_start){judge->judged, findings, settings, options});
   judge->busy = error == 0;
   judge->canceled = false;
   if (judge->busy) {
      child_count_work(&judge->child, 0);
   }
   return error;
}

void judge_limit(struct judge *judge, const struct fuzz_settings *settings)
{
   if (child_seconds(&judge->child) > JUDGE_SECONDS ||
       child_idle_seconds(&judge->child) > JUDGE_IDLE * fuzz_limits(settings).idle) {
      (void)child_stop(&judge->child, CHILD_KILLED, 0);
   }
}

void judge_finish(struct judge *judge, struct findings *findings)
{
   struct finding *finding = &judge->judged->finding;

   (void)child_stop(&judge->child, CHILD_ENDS, 0);
   const struct call_fate fate = call_fate_of(judge->child.status);
   child_finish(&judge->child);
   judge->busy = false;
   if (judge->canceled) {
      return; /* the run was interrupted, and says so */
   }
   if (!judge->judged->done || fate.end != CALL_DONE) {
      finding_without_triage(finding, &judge->judged->report, &fate);
   }
   if (findings_take(findings, finding)) {
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
