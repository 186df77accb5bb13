/* SPDX-License-Identifier: MIT
 *
 * Looks into a program that fails (who is to blame, where a crash is, how small it gets) in a process of its own, so
 * that neither the search nor another program waits for it.
 */
#ifndef AGX_RUNNER_FUZZ_JUDGE_H
#define AGX_RUNNER_FUZZ_JUDGE_H

#include "fuzz/finding.h"

/* One that has never started is all zeros. */
struct judge {
   pid_t pid;             /* 0: nothing is looked into */
   int pipe;              /* what poll() waits for while pid is not 0 */
   struct judged *judged; /* in memory that is shared with that process */
};

/* Starts to look into the report. signal: of its crash in report->crashed, which is shrunk first; 0: it is no crash.
 * options: the device's. The process has the findings as they are now. 0 or a negative errno. */
int judge_start(struct judge *judge, const struct findings *findings, const struct fuzz_settings *settings,
                const struct compiler_options *options, const struct fuzz_report *report, int signal);
/* Waits for the end, takes the finding, and prints it if it is new. */
void judge_finish(struct judge *judge, struct findings *findings);
/* Frees the memory. */
void judge_close(struct judge *judge);

#endif
