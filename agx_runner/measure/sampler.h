/* SPDX-License-Identifier: MIT
 *
 * Times a prepared pair: sets of commands, a figure for each set, and their median with its interval. All commands of
 * a set are in one submission, so that the GPU does not idle between them.
 */
#ifndef AGX_RUNNER_SAMPLER_H
#define AGX_RUNNER_SAMPLER_H

#include "agx_runner/measure/benchmark_pair.h"
#include "agx_runner/measure/settings.h"
#include "util/random.h"

struct sampler {
   struct session *session;
   struct measure_settings settings;
   double clock_hz;           /* the known clock; 0: it is inferred */
   struct util_random random; /* random orders of commands */
   /* Helper benchmarks, made on first use: the clock reference; empty loops of 16-bit and 32-bit values; the load for a
    * GPU that is emulated slowly. */
   struct benchmark_pair *reference, *controls[2], *light_load;
   /* How long the device was idle before the last samples, although they were repeated: the host was too busy, and the
    * clock may have fallen. 0: the load ran until the samples. */
   double idle_ns;
};

/* Returns false if the clock that the settings ask for is not available; `why` has the reason. */
bool sampler_start(struct sampler *sampler, struct session *session, const struct measure_settings *settings, char *why,
                   size_t why_size);
void sampler_finish(struct sampler *sampler);

/* Fills in the figure of the session's result; false: the result has the reason why there is none. */
bool sampler_measure(struct sampler *sampler, struct benchmark_pair *pair);

/* Returns the current clock in hertz, measured with the reference kernel; 0: the session's result has the reason why
 * there is none. */
double sampler_clock(struct sampler *sampler);

/* Returns the program that keeps the device busy: the reference, or, if a host emulates it slowly, a kernel that hardly
 * computes. The sampler owns it. NULL: the session's result has the reason why there is none. */
struct benchmark_pair *sampler_load(struct sampler *sampler);

#endif
