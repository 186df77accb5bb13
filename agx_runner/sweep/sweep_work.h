/* SPDX-License-Identifier: MIT
 *
 * The work of `sweep ilp`: each point is a unit with one result. The names say the point: "FADD32/ilp-2/simds-24" where
 * threadgroup memory sets the occupancy; "FADD32/ilp-2/registers-128" where registers do, to whose result's name
 * "/simds-N" is added, which the device decides.
 */
#ifndef AGX_RUNNER_SWEEP_WORK_H
#define AGX_RUNNER_SWEEP_WORK_H

#include "agx_runner/measure/ilp/sweep.h"
#include "agx_runner/runs/run_settings.h"
#include "process/unit.h"

struct sweep_unit {
   const struct sweep_kernel *kernel;
   unsigned ilp;
   unsigned simds, half_registers; /* one of them is 0 */
   char name[64];
};

struct sweep_work {
   const struct run_settings *settings;
   struct sweep_unit *units;
   size_t count;
};

/* The points of a kernel are added. False: out of memory. */
bool sweep_work_add(struct sweep_work *work, const struct sweep_kernel *kernel, bool full);
void sweep_work_finish(struct sweep_work *work);
/* `data` must outlive the work. */
struct work sweep_work(struct sweep_work *data);
/* The point that a result is of. False: it is of none (its occupancy cannot be set on this device). */
bool sweep_point_of(const struct result *result, struct sweep_point *point);

#endif
