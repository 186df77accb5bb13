/* SPDX-License-Identifier: MIT
 *
 * The series of a store: one benchmark on one device, run after run.
 */
#ifndef AGX_RUNNER_HISTORY_H
#define AGX_RUNNER_HISTORY_H

#include "agx_runner/terminal/values.h"
#include "agx_runner/results/store.h"

struct history_point {
   int64_t run;
   char time[24], mesa[64], commit[48];
   enum result_status status;
   double value, low, high;
   bool changed; /* it is the first point on a new level */
};

struct history_series {
   char name[RESULT_NAME_MAX], device[128], unit[16];
   struct history_point *points;
   size_t count, room;
};

struct history {
   struct history_series *series;
   size_t count, room;
};

/* Reads the selected series with their change points. Prints messages; returns an enum exit_code. history_finish() must
 * follow in any case. */
int history_read(struct store *store, const struct string_list *patterns, struct history *history);
void history_finish(struct history *history);

#endif
