/* SPDX-License-Identifier: MIT
 *
 * Findings: programs that fail, shrunk, blamed, each cause once.
 */
#ifndef AGX_RUNNER_FUZZ_FINDING_H
#define AGX_RUNNER_FUZZ_FINDING_H

#include <stdio.h>

#include "fuzz/slice/marks.h"
#include "fuzz/worker.h"
#include "fuzz/nir/blame.h"

#define FINDING_SIGNATURE 320
#define FINDING_CODE 8192
#define FINDING_BLAMED 160
/* Behind what is blamed for a crash, or in the backend: a cure (compiler/passes/phi_constants.c). */
#define FINDING_NOT_WITH_PHIS ", not with the constants of phis in registers"

/* What became of a finding in NIR when it was translated to OpenCL C. */
enum translated_state {
   TRANSLATED_NOT_TRIED,
   TRANSLATED_FAILS,      /* in the same way: the kernel is a test of the same fault */
   TRANSLATED_OTHERWISE,  /* it fails in another way, `why` */
   TRANSLATED_RIGHT,      /* OpenCL C does not show it */
   TRANSLATED_IMPOSSIBLE, /* it has no translation, `why` */
   TRANSLATED_LATE,       /* there was no time left */
};

struct translated {
   enum translated_state state;
   char why[160];
   struct fuzz_difference difference; /* of a wrong answer */
   struct translated_kernel *kernel;  /* of TRANSLATED_FAILS; else NULL */
};

struct translated_kernel {
   struct ocl_program program;
   union fuzz_expected expected;
};

enum finding_kind {
   FINDING_WRONG,
   FINDING_CRASH,
   FINDING_UNHANDLED,
   FINDING_CHECKED,
   FINDING_FAULT,
   FINDING_REFUSED,
   FINDING_HANG,   /* its process did not come to its end */
   FINDING_KILLED, /* its process was killed, or exited */
   FINDING_KINDS
};

struct finding {
   enum finding_kind kind;
   char blamed[FINDING_BLAMED]; /* the pass, or what else is known */
   char verdict[112];           /* "front end", "NIR pass NAME", "backend" or "device" */
   /* The rule of Mesa's tables that is wrong, "rule: PASS (NIR): RULE", as --known takes it; "": none */
   char rule[FINDING_BLAMED + FUZZ_RULE_TEXT];
   char shape[FINDING_SIGNATURE]; /* of the shrunk program */
   char signature[FINDING_SIGNATURE + 192];
   bool known;
   uint32_t times;
   struct fuzz_report report; /* the smallest program of this cause */
   union fuzz_expected expected;
   char unoptimized[64]; /* what the machine code without the backend's optimizations gives; "": not asked */
   char pocl[128];       /* what PoCL says of a kernel in OpenCL C; "": not asked */
   struct translated translated;
   char code[FINDING_CODE]; /* the machine code; lines that begin with > are marked */
   enum marks_kind marks;   /* what for */
};

struct findings {
   struct finding **items;
   size_t count;
   char **known; /* lines of the file of --known */
   size_t known_count;
};

/* Reads a file of signatures and rules that are known, one a line. Findings that are taken later are marked. An enum
 * exit_code.
 */
int findings_load_known(struct findings *findings, const char *path);
/* Whether that file has a signature or a rule. */
bool findings_know(const struct findings *findings, const char *what);
/* Blames a report: what findings_take() gets, in this process or another one. crash: how the
 * process was lost that had the program; NULL: it was not. The findings so far tell who need not be asked. */
void finding_look_into(struct finding *finding, const struct findings *findings, const struct fuzz_settings *settings,
                       const struct fuzz_report *report, const char *crash);
/* The same, where the process that should blame it did not come to its end: nobody is blamed. */
void finding_without_triage(struct finding *finding, const struct fuzz_report *report, const struct call_fate *fate);
/* What a report is a finding of. */
enum finding_kind finding_kind_of(const struct fuzz_report *report);
/* Adds a copy of a finding if none has its signature. True: it is new. */
bool findings_take(struct findings *findings, const struct finding *finding);
/* Both. */
bool findings_add(struct findings *findings, const struct fuzz_settings *settings, const struct fuzz_report *report,
                  const char *crash);
/* Whether a crash is known before its program is shrunk. */
bool findings_know_crash(const struct findings *findings, const struct fuzz_report *report, const char *crash);
/* Runs a report's program in a process of its own, and fills in how it fails. NULL: it fails; else what it does. The
 * device's compiler options are set when it could be opened. guarded: with fuzz_heap_guard(). */
extern const char findings_no_end[];    /* the process did not come to its end: report->fate, phase, stage, crashed */
extern const char findings_no_device[]; /* it cannot be opened */
const char *findings_try(const struct fuzz_settings *settings, struct fuzz_report *report, bool guarded,
                         struct compiler_options *options);
/* Names who is to blame, as findings_add() does, for a wrong answer; or what a check reported. */
void finding_blame_answer(struct finding *finding, const struct fuzz_settings *settings);
void finding_blame_report(const char *why, char blamed[FINDING_BLAMED]);
void findings_finish(struct findings *findings);

#endif
