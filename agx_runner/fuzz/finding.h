/* SPDX-License-Identifier: MIT
 *
 * Findings: programs that fail, shrunk, blamed, each cause once.
 */
#ifndef AGX_RUNNER_FUZZ_FINDING_H
#define AGX_RUNNER_FUZZ_FINDING_H

#include <stdio.h>

#include "agx_runner/fuzz/worker.h"
#include "compiler/fuzz/blame.h"

#define FINDING_SIGNATURE 320
#define FINDING_CODE 8192

enum finding_kind { FINDING_WRONG, FINDING_CRASH, FINDING_UNHANDLED, FINDING_CHECKED, FINDING_FAULT, FINDING_REFUSED };

struct finding {
   enum finding_kind kind;
   char blamed[160];              /* the pass, or what else is known */
   char verdict[112];             /* "front end", "NIR pass NAME", "backend" or "device" */
   char shape[FINDING_SIGNATURE]; /* of the shrunk program */
   char signature[FINDING_SIGNATURE + 192];
   bool known;
   uint32_t times;
   struct fuzz_report report; /* the smallest program of this cause */
   struct fuzz_outputs expected;
   struct ocl_outputs kernel_expected; /* of a kernel in OpenCL C */
   char unoptimized[64];    /* what the machine code without the backend's optimizations gives; "": not asked */
   char pocl[128];          /* what PoCL says of a kernel in OpenCL C; "": not asked */
   char code[FINDING_CODE]; /* the machine code; lines that begin with > are not there without the blamed pass */
};

struct findings {
   struct finding **items;
   size_t count;
};

/* Blames a report, and adds it to the findings if none has its signature. True: it is new. */
bool findings_add(struct findings *findings, const struct fuzz_settings *settings, const struct fuzz_report *report,
                  const char *crash);
/* Runs a report's program in a process of its own, and fills in how it fails. NULL: it fails; else what it does. The
 * device's compiler options are set when it could be opened. */
extern const char findings_no_end[]; /* what a program does whose process crashed */
const char *findings_try(const struct fuzz_settings *settings, struct fuzz_report *report,
                         struct compiler_options *options);
void findings_finish(struct findings *findings);
/* Marks the findings whose signatures the file lists, one a line. An enum exit_code. */
int findings_mark_known(struct findings *findings, const char *path);

#endif
