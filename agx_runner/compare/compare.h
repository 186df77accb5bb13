/* SPDX-License-Identifier: MIT
 *
 * Two runs, or two folders of programs, side by side, row by row. What the differences mean is in finding.h.
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
   COMPARE_OTHER_CODE, /* one side's machine code, or both's, is not what the row is about; figures may say more */
   COMPARE_BOTH,       /* bad on both sides */
   COMPARE_STATUS,     /* another status, none of them bad */
   COMPARE_MISSING,    /* A has it, B does not */
   COMPARE_NEW,
   COMPARE_CHANGES
};

struct compare_row {
   const char *name;
   const struct result *a, *b; /* NULL: not there */
   /* What is compared: the figures, or where the machine code is not what the row is about, those of the code that is
    * there. The samples are a's and b's. */
   struct result_figure figures[2];
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

/* By how much a row's figure is worse (> 0) or better (< 0), as a share: 0.03. 0: neither is known. */
double compare_worse_by(const struct compare_row *row);
/* By how much one of a row's program statistics is worse (> 0) or better (< 0), as a share. From nothing to something
 * is a whole. 0: the same, or not known. */
double compare_hurt_by(const struct compare_row *row, enum program_stat stat);

#endif
