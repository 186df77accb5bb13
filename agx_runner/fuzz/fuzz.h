/* SPDX-License-Identifier: MIT
 *
 * agx-runner fuzz: generated programs, compiled by Mesa, run on a device, and compared with an interpreter of the NIR as
 * it was built. What differs is shrunk, blamed on a pass, and reported once.
 */
#ifndef AGX_RUNNER_FUZZ_FUZZ_H
#define AGX_RUNNER_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>

enum fuzz_format { FUZZ_FORMAT_TEXT, FUZZ_FORMAT_JSON, FUZZ_FORMAT_MARKDOWN };

struct fuzz_settings {
   const char *device;
   const char *known;  /* file of signatures of findings that are known; NULL: none */
   const char *corpus; /* folder; NULL: none */
   const char *output; /* NULL: stdout */
   uint64_t seed;
   uint64_t count; /* programs; 0: no limit */
   double seconds; /* 0: no limit */
   uint32_t jobs;  /* 0: one a core */
   uint32_t format; /* enum fuzz_format */
};

/* An enum exit_code: EXIT_FAILED when there is a finding that is not known. */
int fuzz_run(const struct fuzz_settings *settings);

#endif
