/* SPDX-License-Identifier: MIT
 *
 * The results that patterns ask for: one for each benchmark and metric.
 */
#ifndef AGX_RUNNER_SELECTION_H
#define AGX_RUNNER_SELECTION_H

#include "agx_runner/measure.h"
#include "agx_runner/options.h"

struct selected {
   const struct benchmark *benchmark;
   enum bench_metric metric;
   char name[96];
};

struct selection {
   struct selected *items;
   size_t count;
};

/* Messages are printed: a pattern that matches nothing is a mistake. An enum exit_code. selection_finish() must follow.
 */
int selection_make(struct selection *selection, const struct string_list *patterns);
void selection_finish(struct selection *selection);

#endif
