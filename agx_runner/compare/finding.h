/* SPDX-License-Identifier: MIT
 *
 * The findings of a comparison. Invariant: benchmarks, tests, compiled kernels, the fuzzer and drivers all add their
 * findings to this one list; the verdict, every format and the rules of --fail-on depend on nothing else.
 */
#ifndef AGX_RUNNER_COMPARE_FINDING_H
#define AGX_RUNNER_COMPARE_FINDING_H

#include <stdbool.h>
#include <stddef.h>

/* Sorted by importance to a reader. */
enum compare_harm {
   HARM_WRONG,      /* an answer was right and is now wrong */
   HARM_BROKEN,     /* it worked and does not: a crash, a hang, no program, a report of a check */
   HARM_LESS_EXACT, /* a larger error than before, in ulp, but within the allowed error */
   HARM_SLOWER,     /* by a figure, or by the cycles that the model predicts for the code */
   HARM_BIGGER,     /* another statistic of the code is worse */
   HARM_NOT_RUN,    /* B has no answer and no figure but A has one, or something was left out */
   HARM_BOTH,       /* wrong or broken on both sides */
   HARM_STATUS,     /* another status, and none of the above */
   HARM_OTHER_CODE,
   HARM_MENDED,
   HARM_FASTER,
   HARM_SMALLER,
   HARM_NEW, /* A has no answer and no figure but B has one */
   HARM_COUNT
};

struct compare_harm_info {
   const char *key;   /* key in JSON: "wrong" */
   const char *title; /* "wrong answers" */
};
extern const struct compare_harm_info compare_harm_infos[HARM_COUNT];

/* The list owns all texts; NULL: none. */
struct compare_finding {
   enum compare_harm harm;
   size_t part; /* index of struct compare_findings.parts */
   char *name;
   char *evidence;     /* evidence in one line */
   char *details;      /* several lines, such as a program that shows it */
   char *command;      /* a shell command that prints the difference */
   double percent;     /* by how much it is slower, bigger, faster or smaller; NAN: there is no such measure */
   double weight;      /* findings of one harm are sorted by percent times weight; 1 if nothing is known */
   double worse, hurt; /* fractions to which the --fail-on rules of these names apply; 0: neither applies */
};

/* The source of findings: "benchmarks", "fuzzing". */
struct compare_part {
   char *title;
   char *note;        /* one line about what was compared; NULL: none */
   size_t unanswered; /* items that were compiled but not run, so that their answers are unknown */
   size_t skipped;    /* items that neither side ran */
   char *skipped_why; /* the reason for one of them; NULL: none */
};

struct compare_findings {
   struct compare_part *parts;
   struct compare_finding *items;
   size_t part_count, count;
   size_t counts[HARM_COUNT];
};

void compare_findings_finish(struct compare_findings *findings);
/* Adds a part; the texts are copied, note may be NULL. Returns NULL when out of memory. Valid until the next call. */
struct compare_part *compare_findings_part(struct compare_findings *findings, const char *title, const char *note);
/* Copies a finding with its texts into the part that was added last. Returns 0 or -ENOMEM. */
int compare_findings_add(struct compare_findings *findings, const struct compare_finding *finding);
/* Sorts by harm; wrong answers with a program that shows them come first, because the cause of the fault is known; then
 * by percent times weight, the largest first; then by name. */
void compare_findings_sort(struct compare_findings *findings);
/* Whether there is a finding that a reader must not overlook: wrong, broken, less exact, slower, bigger. */
bool compare_findings_are_bad(const struct compare_findings *findings);

/* Reads a part with its findings that another program has written (docs/comparing.md). Prints messages; returns an enum
 * exit_code. */
int compare_findings_read(struct compare_findings *findings, const char *path);

#endif
