/* SPDX-License-Identifier: MIT
 *
 * A clock that follows the load, as the firmware's controller does (option dvfs=). Time passes in two ways: the GPU
 * works for a number of cycles, or it idles for a time. Every figure is a parameter of vgpu/timing/command_params.c.
 * - Every VGPU_COMMAND_PERIOD the controller computes the fraction of the period in which the GPU was busy. The wanted
 *   clock is that fraction times the clock, divided by VGPU_COMMAND_TARGET. A first-order filter smooths it, with one
 *   time constant for rising and another for falling demand. The clock is the lowest operating point that is not below
 *   the filtered value.
 * - The clock starts at the lowest operating point. After VGPU_COMMAND_POWER_OFF without work the GPU is off: the next
 *   work waits for VGPU_COMMAND_POWER_UP and starts at the lowest point again.
 * - During each frame of the compositor, jobs get only a part of the GPU.
 *
 * The controller's period, target and time constants are those of the firmware's tables. How the firmware combines
 * them is not published: the filter is our model of it.
 *
 * Invariant: the same calls give the same times on every host.
 */
#ifndef VGPU_LOAD_H
#define VGPU_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/timing/chip.h"
#include "vgpu/timing/timing_params.h"

/* Effects of a real GPU that the device models, as bits. */
enum vgpu_dvfs {
   VGPU_DVFS_CLOCK = 1,   /* the clock follows the load */
   VGPU_DVFS_POWER = 2,   /* the GPU powers off when idle */
   VGPU_DVFS_COMMAND = 4, /* launches, barriers, gaps and firmware take time: vgpu/timing/command/command.h */
   VGPU_DVFS_COUNTER = 8, /* timestamps step with the 24 MHz counter */
   VGPU_DVFS_REAL = 15,
};

struct vgpu_load_options {
   unsigned dvfs; /* bits of enum vgpu_dvfs */
   bool compositor;
   double compositor_period_ns, compositor_busy_ns; /* 0: take the parameter's value */
};

struct vgpu_load {
   const struct vgpu_params *params;
   const struct vgpu_chip *chip;
   struct vgpu_load_options options;
   double now_ns;                    /* time since the device was opened, busy and idle */
   double period_left_ns, period_ns; /* remaining time and length of the controller's current period */
   double busy_ns;                   /* busy time in the current period */
   double demand_hz;                 /* the filtered demand */
   uint32_t hz;                      /* the current clock */
   double idle_ns;                   /* time since the last work */
   double frame_ns;                  /* start of the compositor's current or next frame */
};

/* The seed determines when the compositor's first frame starts. */
void vgpu_load_init(struct vgpu_load *load, const struct vgpu_chip *chip, const struct vgpu_params *params,
                    const struct vgpu_load_options *options, uint64_t seed);
/* The GPU idles for `ns` nanoseconds. */
void vgpu_load_idle(struct vgpu_load *load, double ns);
/* Work arrives. Returns how long it waits in ns until the GPU is on; that time has passed on return. */
double vgpu_load_wake(struct vgpu_load *load);
/* Returns the time in ns that `cycles` cycles of work take, and lets it pass. */
double vgpu_load_work(struct vgpu_load *load, double cycles);
/* The GPU works for `ns` nanoseconds, whatever the clock. */
void vgpu_load_busy(struct vgpu_load *load, double ns);

#endif
