/* SPDX-License-Identifier: MIT
 *
 * The disturbed clock of clock.h. Invariant: the same options and seed give the same times on every host.
 */
#include "vgpu/timing/command/clock.h"

#include <math.h>

#include "util/array.h"
#include "util/random.h"

#define STEP_MEAN_NS 2e6
#define DRIFT_DEVIATION 0.005
#define DRIFT_STEP_NS 1e4
#define DRIFT_CORRELATION_NS 1e6
#define TWO_PI 6.28318530717958648

static const double steps[] = {0.6, 0.7, 0.8, 0.9, 1};
#define STEP_COUNT ARRAY_COUNT(steps)

/* Returns a number that is greater than 0 and at most 1. */
static double uniform(struct vgpu_clock *clock)
{
   return (double)((util_random_next(&clock->random) >> 11) + 1) * 0x1p-53;
}

static double exponential(struct vgpu_clock *clock, double mean)
{
   return -mean * log(uniform(clock));
}

static double normal(struct vgpu_clock *clock, double deviation)
{
   double radius = sqrt(-2 * log(uniform(clock)));
   return deviation * radius * cos(TWO_PI * uniform(clock));
}

static void change_step(struct vgpu_clock *clock)
{
   clock->step = steps[util_random_next(&clock->random) % STEP_COUNT];
   clock->step_left_ns = exponential(clock, STEP_MEAN_NS);
}

static void change_drift(struct vgpu_clock *clock)
{
   double kept = exp(-DRIFT_STEP_NS / DRIFT_CORRELATION_NS);
   clock->drift = kept * clock->drift + normal(clock, DRIFT_DEVIATION * sqrt(1 - kept * kept));
   clock->drift_left_ns = DRIFT_STEP_NS;
}

void vgpu_clock_init(struct vgpu_clock *clock, uint64_t hz, const struct vgpu_clock_options *options, uint64_t seed)
{
   *clock = (struct vgpu_clock){.random = {seed}, .hz = hz, .options = *options};
   clock->drift = normal(clock, DRIFT_DEVIATION);
   clock->drift_left_ns = DRIFT_STEP_NS;
   change_step(clock);
}

static uint64_t steady(uint64_t cycles, uint64_t hz)
{
   return cycles / hz * 1000000000u + (cycles % hz * 1000000000u + hz / 2) / hz;
}

uint64_t vgpu_clock_pass(struct vgpu_clock *clock, uint64_t cycles)
{
   double left = (double)cycles, passed_ns = 0;
   if (!clock->options.wander) {
      return steady(cycles, clock->hz);
   }
   while (left > 0) {
      double ns = fmin(clock->step_left_ns, clock->drift_left_ns);
      double cycles_per_ns = (double)clock->hz * 1e-9 * clock->step * (1 + clock->drift);
      if (left < ns * cycles_per_ns) {
         ns = left / cycles_per_ns;
         left = 0;
      } else {
         left -= ns * cycles_per_ns;
      }
      passed_ns += ns;
      clock->step_left_ns -= ns;
      clock->drift_left_ns -= ns;
      if (clock->step_left_ns <= 0) {
         change_step(clock);
      }
      if (clock->drift_left_ns <= 0) {
         change_drift(clock);
      }
   }
   return (uint64_t)(passed_ns + 0.5);
}

uint64_t vgpu_clock_delay(struct vgpu_clock *clock)
{
   return clock->options.jitter_ns ? (uint64_t)exponential(clock, (double)clock->options.jitter_ns) : 0;
}

uint64_t vgpu_clock_jitter(struct vgpu_clock *clock, uint64_t ns)
{
   if (clock->options.jitter_percent <= 0) {
      return ns;
   }
   double longer = (double)ns * (1 + normal(clock, clock->options.jitter_percent / 100));
   return longer > 0 ? (uint64_t)(longer + 0.5) : 0;
}
