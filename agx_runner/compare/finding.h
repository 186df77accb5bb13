/* SPDX-License-Identifier: MIT
 *
 * What a comparison found. Invariant: benchmarks, tests, compiled kernels, the fuzzer and drivers all put what they
 * find into this one list; the verdict, every format and the rules of --fail-on are made of it and of nothing else.
 */
#ifndef AGX_RUNNER_COMPARE_FINDING_H
#define AGX_RUNNER_COMPARE_FINDING_H

#include <stdbool.h>
#include <stddef.h>

/* In the order in which a reader wants to know. */
enum compare_harm {
   HARM_WRONG,      /* an answer was right and is wrong */
   HARM_BROKEN,     /* it worked and does not: a crash, a hang, no program, a report of a check */
   HARM_LESS_EXACT, /* a larger error than before, in ulp, that is within what is allowed */
   HARM_SLOWER,     /* by a figure, or by the model's cycles of the code */
   HARM_BIGGER,     /* any other count of the code is worse */
   HARM_NOT_RUN,    /* B has no answer and no figure where A has one, or something was left out */
   HARM_BOTH,       /* wrong or broken on both sides */
   HARM_STATUS,     /* another status, and none of the above */
   HARM_OTHER_CODE,
   HARM_MENDED,
   HARM_FASTER,
   HARM_SMALLER,
   HARM_NEW, /* A has no answer and no figure where B has one */
   HARM_COUNT
};

struct compare_harm_info {
   const char *key;   /* in JSON: "wrong" */
   const char *title; /* "wrong answers" */
};
extern const struct compare_harm_info compare_harm_infos[HARM_COUNT];

/* All texts are the list's own; NULL: none. */
struct compare_finding {
   enum compare_harm harm;
   size_t part; /* index of struct compare_findings.parts */
   char *name;
   char *evidence;     /* one line */
   char *details;      /* lines, as a program that shows it */
   char *command;      /* for a shell: it prints the difference */
   double percent;     /* by how much slower, bigger, faster or smaller; NAN: no such measure */
   double weight;      /* findings of one harm stand in the order of percent times weight; 1 where nothing is known */
   double worse, hurt; /* shares that --fail-on's rules of these names compare with; 0: neither */
};

/* Where findings come from: "benchmarks", "fuzzing". */
struct compare_part {
   char *title;
   char *note;        /* one line: what was looked at; NULL: none */
   size_t unanswered; /* items that were compiled and not run: nothing is known of their answers */
   size_t skipped;    /* items that neither side has run */
   char *skipped_why; /* for instance; NULL: none */
};

struct compare_findings {
   struct compare_part *parts;
   struct compare_finding *items;
   size_t part_count, count;
   size_t counts[HARM_COUNT];
};

void compare_findings_finish(struct compare_findings *findings);
/* A new part; the texts are copied, note may be NULL. NULL: out of memory. Valid until the next call. */
struct compare_part *compare_findings_part(struct compare_findings *findings, const char *title, const char *note);
/* Copies a finding with its texts, as one of the part that was added last. 0, or -ENOMEM. */
int compare_findings_add(struct compare_findings *findings, const struct compare_finding *finding);
/* By harm; wrong answers with a program that shows them first, which a fault's cause is known of; then by percent times
 * weight, the largest first, then by name. */
void compare_findings_sort(struct compare_findings *findings);
/* Is there a finding that a reader must not overlook: wrong, broken, less exact, slower, bigger? */
bool compare_findings_are_bad(const struct compare_findings *findings);

/* Reads a part with its findings, as other programs write it (docs/comparing.md). Messages are printed; an enum
 * exit_code. */
int compare_findings_read(struct compare_findings *findings, const char *path);

#endif
