/* SPDX-License-Identifier: MIT
 *
 * Programs that crash the compiler: each try is a process of its own, which leaves its call stack behind.
 */
#ifndef AGX_RUNNER_FUZZ_CRASH_H
#define AGX_RUNNER_FUZZ_CRASH_H

#include "fuzz/finding.h"

struct crash_search {
   struct compiler_options options;
   const struct language *language; /* crash_again() sets it */
   struct call_limits limits;       /* of one compilation */
   struct fuzz_crash *where;        /* in memory that forks share */
   struct compiler_progress *stage; /* in such memory: of the crash; NULL: not wanted */
   struct call_fate fate;           /* of the last crash */
   const char *place;               /* only a crash in this pass, or function of a library, counts; NULL: any */
   bool hangs;                      /* only a hang counts */
   uint64_t site;                   /* only a crash at this place in it counts: fuzz_crash_site(); 0: any */
   double seconds;                  /* most processor time of the search for a smaller kernel; 0: KERNEL_SECONDS */
   double end;                      /* of that search, by the processor time of children; 0: none */
};

/* Compiles the report's program. True: that crashes or does not end; report->crashed says where, and report->stage if
 * that is wanted. */
bool crash_again(struct crash_search *search, struct fuzz_report *report);
/* The report's program did not come to its end: report->fate, in report->crashed. Shrinks it, if it crashes or hangs
 * the compiler alone in a process, and makes a finding of it, which findings_take() gets. */
void crash_look_into(struct crash_search *search, struct finding *finding, const struct findings *findings,
                     const struct fuzz_settings *settings, struct fuzz_report *report);
/* The same for a program that was tried by itself, in a process that did not come to its end. False: compiling alone
 * does not show it. */
bool crash_try(struct findings *findings, const struct fuzz_settings *settings, const struct compiler_options *options,
               struct fuzz_report *report);
/* Returns the processor time of all children that have ended. The machine's other load does not change it. */
double crash_children_seconds(void);
/* Changes the report's program, which crashes, into a smaller one that crashes in the same place. */
void crash_shrink(struct crash_search *search, struct fuzz_report *report);
/* Whether it compiles as compiler_opencl() tries again after a crash. False, too: a program in NIR. */
bool crash_is_cured(struct crash_search *search, struct fuzz_report *report);

#endif
