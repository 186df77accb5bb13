/* SPDX-License-Identifier: MIT
 *
 * The work of `apps`: each case is a unit, which a worker process starts; its answers are results.
 */
#ifndef AGX_RUNNER_APPS_WORK_H
#define AGX_RUNNER_APPS_WORK_H

#include "agx_runner/apps/cases.h"
#include "process/unit.h"

struct app_work {
   const struct app_units *units;
   const struct mesa *mesa;
   const struct mesa *software; /* the drivers for the processor, for APP_SAME */
   const char *folder;          /* where cases have their own folders */
};

/* `data` and what it points to must outlive the work. */
struct work app_work(struct app_work *data);
/* Removes a folder and all in it. */
void app_remove_tree(const char *folder);

#endif
