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
#define TRIAGE_SECONDS 1800
#define TRIAGE_IDLE 2 /* limits of idle time: the process ends what it waits for after one */

struct triage_memory {
   struct fuzz_report report; /* as it was given */
   struct finding finding;
   struct fuzz_crash crash; /* where a smaller program crashes */
   bool done;
};

struct triage_start {
   struct triage_memory *memory;
   const struct findings *findings;
   const struct fuzz_settings *settings;
   const struct compiler_options *options;
};

static int run_triage(void *data, int orders, int reports)
{
   const struct triage_start *start = data;
   struct triage_memory *memory = start->memory;
   struct crash_search search = {
       .options = *start->options, .limits = fuzz_limits(start->settings), .where = &memory->crash};

   (void)orders, (void)reports;
   if (memory->report.fate.end != CALL_DONE) {
      crash_look_into(&search, &memory->finding, start->findings, start->settings, &memory->report);
   } else {
      finding_look_into(&memory->finding, start->findings, start->settings, &memory->report, NULL);
   }
   memory->done = true;
   return 0;
}

int triage_start(struct triage *triage, const struct findings *findings, const struct fuzz_settings *settings,
                 const struct compiler_options *options, const struct fuzz_report *report)
{
   if (triage->memory == NULL) {
      triage->memory = mmap(NULL, sizeof(*triage->memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (triage->memory == MAP_FAILED) {
         triage->memory = NULL;
         return -ENOMEM;
      }
   }
   triage->memory->done = false;
   triage->memory->report = *report;
   const int error =
       child_start(&triage->child, run_triage, &(struct triage_start){triage->memory, findings, settings, options});
   triage->busy = error == 0;
   triage->canceled = false;
   if (triage->busy) {
      child_count_work(&triage->child, 0);
   }
   return error;
}

void triage_limit(struct triage *triage, const struct fuzz_settings *settings)
{
   if (child_seconds(&triage->child) > TRIAGE_SECONDS ||
       child_idle_seconds(&triage->child) > TRIAGE_IDLE * fuzz_limits(settings).idle) {
      (void)child_stop(&triage->child, CHILD_KILLED, 0);
   }
}

void triage_finish(struct triage *triage, struct findings *findings)
{
   struct finding *finding = &triage->memory->finding;

   (void)child_stop(&triage->child, CHILD_ENDS, 0);
   const struct call_fate fate = call_fate_of(triage->child.status);
   child_finish(&triage->child);
   triage->busy = false;
   if (triage->canceled) {
      return; /* the run was interrupted, and says so */
   }
   if (!triage->memory->done || fate.end != CALL_DONE) {
      finding_without_triage(finding, &triage->memory->report, &fate);
   }
   if (findings_take(findings, finding)) {
      fuzz_report_finding(stderr, findings->items[findings->count - 1]);
   }
}

void triage_close(struct triage *triage)
{
   if (triage->memory != NULL) {
      munmap(triage->memory, sizeof(*triage->memory));
   }
   *triage = (struct triage){0};
}
