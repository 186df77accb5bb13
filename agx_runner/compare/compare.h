/* SPDX-License-Identifier: MIT
 *
 * Two runs, or two folders of programs, side by side, row by row. finding.h defines what the differences mean.
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
   COMPARE_WRONG,  /* the answer was right and is now wrong */
   COMPARE_RIGHT,  /* the answer was wrong and is now right */
   COMPARE_BROKEN, /* it worked and does not, for another reason than its answer */
   COMPARE_FIXED,
   /* the machine code of one or both sides is not what the row is about; its figures may tell more */
   COMPARE_OTHER_CODE,
   COMPARE_BOTH,    /* bad on both sides */
   COMPARE_STATUS,  /* another status, but neither is bad */
   COMPARE_MISSING, /* A has it, B does not */
   COMPARE_NEW,
   COMPARE_CHANGES
};

struct compare_row {
   const char *name;
   const struct result *a, *b; /* NULL: the side does not have the row */
   /* The figures that are compared. If the machine code is not what the row is about, they are those of the actual
    * code. The samples belong to a and b. */
   struct result_figure figures[2];
   enum compare_change change;
   bool odd;   /* both have figures that cannot be compared, because their units differ or they have no ratio */
   bool timed; /* both have figures; otherwise the following members are undefined */
   bool exact; /* they are counted, not sampled, so any difference is real */
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

/* Returns the noise floor of a benchmark, or NAN: unknown. */
typedef double compare_floor_fn(void *data, const char *name);

/* a and b must outlive the comparison. `floor_of` may be NULL. Returns 0 or -ENOMEM; comparison_finish() must follow in
 * any case. */
int compare_runs(const struct result_run *a, const struct result_run *b, compare_floor_fn *floor_of, void *floor_data,
                 struct comparison *comparison);
void comparison_finish(struct comparison *comparison);

/* Returns by how much a row's figure is worse (> 0) or better (< 0), as a fraction: 0.03. 0: not known. */
double compare_worse_by(const struct compare_row *row);
/* Returns by how much one of a row's program statistics is worse (> 0) or better (< 0), as a fraction. A change from 0
 * counts as 1. 0: no change, or not known. */
double compare_hurt_by(const struct compare_row *row, enum program_stat stat);

#endif
