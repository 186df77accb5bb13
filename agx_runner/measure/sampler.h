/* SPDX-License-Identifier: MIT
 *
 * Times a prepared pair: sets of commands, a figure from each, and their median with its interval. All commands of a
 * set are in one submission, so that the GPU does not idle between them.
 */
#ifndef AGX_RUNNER_SAMPLER_H
#define AGX_RUNNER_SAMPLER_H

#include "agx_runner/measure/benchmark_pair.h"
#include "agx_runner/measure/settings.h"
#include "agx_runner/statistics/random.h"

struct sampler {
   struct session *session;
   struct measure_settings settings;
   double clock_hz;      /* that is taken for granted; 0: inferred */
   struct random random; /* of orders */
   /* Made when they are first needed: what the clock is inferred from; empty loops of 16-bit and 32-bit values; what
    * keeps a GPU busy that is emulated slowly. */
   struct benchmark_pair *reference, *controls[2], *light_load;
   /* Before the last samples the device had no work for so long, though they were taken again some times: the host was
    * too busy, and the clock may have fallen. 0: the load ran up to the samples. */
   double idle_ns;
};

/* False: the clock that the settings ask for is not to be had; why says so. */
bool sampler_start(struct sampler *sampler, struct session *session, const struct measure_settings *settings, char *why,
                   size_t why_size);
void sampler_finish(struct sampler *sampler);

/* Fills the figure of `result`. False: `result` says why there is none. */
bool sampler_measure(struct sampler *sampler, struct benchmark_pair *pair, struct result *result, bool *lost);

/* The clock now, in hertz, from the reference kernel; 0: `result` says why it cannot be had. */
double sampler_clock(struct sampler *sampler, struct result *result, bool *lost);

/* What keeps the device busy: the reference, or, where a host emulates it slowly, a kernel that hardly computes. It is
 * the sampler's. NULL: `result` says why there is none. */
struct benchmark_pair *sampler_load(struct sampler *sampler, struct result *result, bool *lost);

#endif
