/* SPDX-License-Identifier: MIT
 *
 * The work of `correlate`: each different question to a virtual device is a unit with one result, whose name is the
 * device and the question. Figures that ask the same share it.
 */
#ifndef AGX_RUNNER_CORRELATE_WORK_H
#define AGX_RUNNER_CORRELATE_WORK_H

#include "agx_runner/correlate/figures.h"
#include "agx_runner/results/result.h"
#include "agx_runner/runs/run_settings.h"
#include "agx_runner/terminal/values.h"
#include "process/unit.h"

struct correlate_unit {
   const struct figure *figure; /* the first that asks it */
   char name[RESULT_NAME_MAX];
};

struct correlate_work {
   const struct run_settings *settings;
   struct correlate_unit *units; /* by device */
   size_t count;
};

/* The questions of the figures whose group or row a pattern matches; without patterns, of all. Returns an enum
 * exit_code; prints messages. correlate_work_finish() must follow in any case. */
int correlate_work_plan(struct correlate_work *work, const struct run_settings *settings,
                        const struct string_list *patterns);
void correlate_work_finish(struct correlate_work *work);
/* `data` must outlive the work. */
struct work correlate_work(struct correlate_work *data);

/* Whether the patterns choose a figure. */
bool correlate_chooses(const struct string_list *patterns, const struct figure *figure);
/* The name of the result that answers a figure. */
void correlate_unit_name(const struct figure *figure, char name[RESULT_NAME_MAX]);

#endif
