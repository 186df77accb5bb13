/* SPDX-License-Identifier: MIT
 *
 * What a fuzzing run found, for people and for programs.
 */
#ifndef AGX_RUNNER_FUZZ_REPORT_H
#define AGX_RUNNER_FUZZ_REPORT_H

#include "fuzz/finding.h"

struct fuzz_summary {
   const struct fuzz_settings *settings;
   const struct findings *findings;
   double seconds;
   struct fuzz_counts counts;
   uint64_t programs;                    /* in all languages */
   const struct fuzz_progress *unstable; /* of a worker that met an unstable program; NULL: none did */
   const uint8_t *rules;                 /* enum fuzz_rule_state of each */
   const char *refusal, *indeterminate;  /* an example of each; NULL: none */
};

void fuzz_report_finding(FILE *file, const struct finding *finding);
/* Warns where more than half of the programs of a language were not tried. True: none was, in either language. */
bool fuzz_untried(const struct fuzz_summary *summary, FILE *file);
/* In the format and to the file that the settings name. An enum exit_code. */
int fuzz_report_write(const struct fuzz_summary *summary);

#endif
