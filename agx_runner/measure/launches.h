/* SPDX-License-Identifier: MIT
 *
 * The costs of launches and commands besides their instructions. The survey's steps and the group `launch` use the
 * same functions.
 */
#ifndef AGX_RUNNER_LAUNCHES_H
#define AGX_RUNNER_LAUNCHES_H

#include "agx_runner/measure/benchmark_pair.h"
#include "agx_runner/measure/sampler.h"

/* Whether the device has times of launches, barriers and gaps: hardware, or a virtual device that models them. */
bool launches_are_timed(const struct asahi_device_info *info);

/* Submits one command with these launches. *ns (may be NULL): from its start to its end. Repeats a job that another
 * client's GPU recovery ended. Returns 0 or a negative errno. */
int launches_submit(struct session *session, const struct asahi_dispatch *dispatches, size_t count,
                    const struct asahi_cdm_options *cdm, double *ns);
/* Times `samples` commands, each with the same launch `count` times and this barrier mask. */
int launches_time(struct session *session, const struct asahi_dispatch *dispatch, size_t count, uint32_t mask,
                  double *times, size_t samples);
/* Times one submission of `count` commands: count - 1 gaps in ns, from the end of one command to the start of the
 * next. */
int launches_gaps(struct session *session, const struct asahi_dispatch *dispatch, size_t count, double *gaps);
/* Times `samples` submissions, each after a pause that begins when a command has ended. waits: ns of the device's clock
 * from before the submission to the start; trips (may be NULL): ns of the host's clock until the wait ends. */
int launches_after_pause(struct session *session, const struct asahi_dispatch *dispatch, double pause_ms, double *waits,
                         double *trips, size_t samples);

/* Measures a benchmark with a struct bench_launch, and checks the output of its kernel. If the clock follows the load,
 * the sampler's load runs first. */
void launches_measure(struct benchmark_pair *pair, struct sampler *sampler);

#endif
