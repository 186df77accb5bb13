/* SPDX-License-Identifier: MIT
 *
 * The work of `run`: each selected figure, and each subtest of the uAPI, is a unit with one result. The metrics of a
 * benchmark share a process until one of them fails; so do the subtests of an area.
 */
#ifndef AGX_RUNNER_SELECTION_WORK_H
#define AGX_RUNNER_SELECTION_WORK_H

#include "agx_runner/runs/run_settings.h"
#include "agx_runner/runs/selection.h"
#include "process/unit.h"

struct selection_work {
   const struct selection *selection;
   const struct run_settings *settings;
};

/* `data` and what it points to must outlive the work. */
struct work selection_work(struct selection_work *data);

#endif
