/* SPDX-License-Identifier: MIT
 *
 * The effect of the device options clock=wander and jitter= on timestamps. They change nothing else: the modelled
 * cycles stay the same. Both are invented to test how figures are measured; none of it was measured on a GPU.
 *
 * clock=wander: the clock is the chip's, times a step, times 1 + drift. Step and drift advance with the GPU's busy
 * time.
 * - The step is 0.6, 0.7, 0.8, 0.9 or 1 with equal probability, and lasts for an exponentially distributed time of 2
 *   ms in the mean.
 * - The drift is a mean-reverting random walk around 0: normally distributed with a standard deviation of 0.005,
 *   updated every 10 us, with a correlation time of 1 ms.
 * jitter=TIME: each timestamp is delayed by an exponentially distributed time with that mean; an end is never before
 * its start.
 * jitter=P%: the time of each command gets a normally distributed error with a standard deviation of P percent of that
 * time.
 *
 * The same seed and the same jobs give the same times.
 */
#ifndef VGPU_CLOCK_H
#define VGPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "util/random.h"

struct vgpu_clock_options {
   bool wander;
   uint64_t jitter_ns;
   double jitter_percent;
};

struct vgpu_clock {
   struct util_random random;
   uint64_t hz; /* the chip's clock */
   struct vgpu_clock_options options;
   double step, step_left_ns;
   double drift, drift_left_ns;
};

void vgpu_clock_init(struct vgpu_clock *clock, uint64_t hz, const struct vgpu_clock_options *options, uint64_t seed);
/* Returns the nanoseconds that the next `cycles` busy cycles take. */
uint64_t vgpu_clock_pass(struct vgpu_clock *clock, uint64_t cycles);
/* Returns the delay of the next timestamp in ns. */
uint64_t vgpu_clock_delay(struct vgpu_clock *clock);
/* Returns the time of the next command in ns, where `ns` is its time without jitter. */
uint64_t vgpu_clock_jitter(struct vgpu_clock *clock, uint64_t ns);

#endif
