/* SPDX-License-Identifier: MIT
 *
 * Two runs, or two folders of programs, side by side: what answers changed, what got slower, what got bigger.
 */
#ifndef AGX_RUNNER_COMPARE_H
#define AGX_RUNNER_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "agx_runner/results/result.h"
#include "agx_runner/statistics/significance.h"

enum compare_change {
   COMPARE_NONE,
   COMPARE_WRONG,  /* the answer was right and is wrong */
   COMPARE_RIGHT,  /* was wrong, is right */
   COMPARE_BROKEN, /* was well, is not, for other reasons than its answer */
   COMPARE_FIXED,
   COMPARE_STATUS,  /* another status, none of them bad */
   COMPARE_MISSING, /* A has it, B does not */
   COMPARE_NEW,
   COMPARE_CHANGES
};
extern const char *const compare_change_names[COMPARE_CHANGES];
/* Does every --fail-on rule count this as a failure? */
bool compare_change_is_bad(enum compare_change change);

struct compare_row {
   const char *name;
   const struct result *a, *b; /* NULL: not there */
   enum compare_change change;
   bool odd;   /* both have figures that cannot be compared: of other units, or of which there is no ratio */
   bool timed; /* both have figures; else the next members say nothing */
   bool exact; /* they are counted, not sampled: any difference is one */
   struct significance significance;
   double floor;
   enum verdict verdict;
   bool code_changed; /* both have programs, and they differ */
};

struct comparison {
   struct compare_row *rows;
   size_t count;
   size_t changes[COMPARE_CHANGES], verdicts[VERDICT_COUNT], timed, odd, exact, code_changed, programs;
   struct {
      double before, after; /* sums over all kernels that both have */
      size_t helped, hurt;
   } stats[PROGRAM_STAT_COUNT];
};

/* The noise floor of a benchmark, or NAN: unknown. */
typedef double compare_floor_fn(void *data, const char *name);

/* a and b must live on. `floor_of` may be NULL. 0, or -ENOMEM; comparison_finish() must follow in any case. */
int compare_runs(const struct result_run *a, const struct result_run *b, compare_floor_fn *floor_of, void *floor_data,
                 struct comparison *comparison);
void comparison_finish(struct comparison *comparison);

/* By how much a row's figure is worse, as a share: 0.03. 0: it is not worse. */
double compare_worse_by(const struct compare_row *row);
/* By how much the worst of a row's program statistics is worse; *stat is which. 0: none. */
double compare_hurt_by(const struct compare_row *row, enum program_stat *stat);

enum compare_format { COMPARE_FORMAT_TEXT, COMPARE_FORMAT_MARKDOWN, COMPARE_FORMAT_JSON };
/* 0, or -ENOMEM. */
int compare_write(const struct comparison *comparison, const struct result_run *a, const struct result_run *b,
                  enum compare_format format, FILE *file);
int compare_write_json(const struct comparison *comparison, const struct result_run *a, const struct result_run *b,
                       FILE *file);

#endif
