/* SPDX-License-Identifier: MIT
 *
 * Looks into a program that fails (who is to blame, where a crash is, how small it gets) in a process of its own, so
 * that neither the search nor another program waits for it.
 */
#ifndef AGX_RUNNER_FUZZ_TRIAGE_H
#define AGX_RUNNER_FUZZ_TRIAGE_H

#include "fuzz/finding.h"
#include "process/child/child.h"

/* One that has never started is all zeros. */
struct triage {
   bool busy;                    /* a program is looked into */
   bool canceled;                /* the process is killed because the run ends */
   struct child child;           /* while it is busy: poll() waits for its reports and its output */
   struct triage_memory *memory; /* in memory that is shared with that process */
};

/* Starts to look into the report; one with a fate, of a process that did not come to its end, is shrunk first. options:
 * the device's. The process has the findings as they are now. 0 or a negative errno. */
int triage_start(struct triage *triage, const struct findings *findings, const struct fuzz_settings *settings,
                 const struct compiler_options *options, const struct fuzz_report *report);
/* Ends it if it takes longer than is sensible: then its reports end, too. */
void triage_limit(struct triage *triage, const struct fuzz_settings *settings);
/* Waits for the end, takes the finding, and prints it if it is new. If the process did not come to its end, the finding
 * says that, and nobody is blamed. */
void triage_finish(struct triage *triage, struct findings *findings);
/* Frees the memory. */
void triage_close(struct triage *triage);

#endif
