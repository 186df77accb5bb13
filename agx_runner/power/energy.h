/* SPDX-License-Identifier: MIT
 *
 * The energy of one dispatch: what the machine takes above idle while the dispatch is repeated for seconds. A
 * rail of the SMC is of the whole machine, so that nothing else may run meanwhile.
 */
#ifndef AGX_RUNNER_ENERGY_H
#define AGX_RUNNER_ENERGY_H

#include "agx_runner/measure/benchmark_pair.h"
#include "agx_runner/power/power.h"

struct energy_meter {
   struct power_rail rail;                          /* the rail that is read; its own readings are not used */
   double lead_seconds, idle_seconds, busy_seconds; /* lead: before each of the others, not read */
   double busy_part_min;                            /* of the time, that the GPU must be busy for */
};

/* Finds the rail: "Total System Power" where there is one, else the first. False: there is none; why says it. */
bool energy_start(struct energy_meter *meter, const char *hwmon, char *why, size_t why_size);

/* A measure_settings.after; data is a struct energy_meter. Fills result->energy where a whole dispatch, a rate, a
 * throughput or a latency has passed: of a rate and the like, the longer program is repeated. Any other result stays as
 * it is. */
void energy_measure(void *data, struct benchmark_pair *pair);

#endif
