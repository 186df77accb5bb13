/* SPDX-License-Identifier: MIT
 *
 * What the device's options clock=wander and jitter= do to timestamps, and nothing else does: the modelled cycles
 * stay as they are. All of it is invented, to try measuring against; none of it was measured on a GPU.
 *
 * clock=wander. The clock is the chip's, times a step, times 1 + drift; both go on with the GPU's busy time.
 * - The step is 0.6, 0.7, 0.8, 0.9 or 1, each as likely, and stays for an exponentially distributed time of 2 ms in
 *   the mean.
 * - The drift is a random walk that is pulled back to 0: normally distributed with a standard deviation of 0.005, new
 *   every 10 us, with a correlation time of 1 ms.
 * jitter=TIME. Each timestamp is delayed by an exponentially distributed time with that mean; an end is never before
 * its start.
 * jitter=P%. Each command takes a normally distributed time longer or shorter, with a standard deviation of P percent
 * of its time.
 *
 * The same seed and the same jobs give the same times.
 */
#ifndef VGPU_CLOCK_H
#define VGPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct vgpu_clock_options {
   bool wander;
   uint64_t jitter_ns;
   double jitter_percent;
};

struct vgpu_clock {
   uint64_t random;
   uint64_t hz; /* the chip's */
   struct vgpu_clock_options options;
   double step, step_left_ns;
   double drift, drift_left_ns;
};

void vgpu_clock_init(struct vgpu_clock *clock, uint64_t hz, const struct vgpu_clock_options *options, uint64_t seed);
/* Nanoseconds that the next so many busy cycles take. */
uint64_t vgpu_clock_pass(struct vgpu_clock *clock, uint64_t cycles);
/* By how much the next timestamp is delayed, ns. */
uint64_t vgpu_clock_delay(struct vgpu_clock *clock);
/* The time that the next command takes instead of `ns`. */
uint64_t vgpu_clock_jitter(struct vgpu_clock *clock, uint64_t ns);

#endif
