/* SPDX-License-Identifier: MIT
 *
 * A clock that follows the load, as the firmware's controller does (option dvfs=). Time passes in two ways: the GPU
 * works for so many cycles, or it idles for so long. Every figure is a parameter of vgpu/timing/command_params.c.
 *
 * - Every VGPU_COMMAND_PERIOD the controller takes the share of that time in which the GPU was busy. Busy share times
 *   clock, over VGPU_COMMAND_TARGET, is the wanted clock. A filter of first order smooths it, with one time constant
 *   for a rise and another for a fall. The clock is the lowest operating point that is not below the filtered value.
 * - The clock starts at the lowest operating point. After VGPU_COMMAND_POWER_OFF without work the GPU is off: the next
 *   work waits for VGPU_COMMAND_POWER_UP and starts at the lowest point again.
 * - During each frame of the compositor the work gets only a part of the GPU.
 *
 * The controller's period, target and time constants are those of the firmware's tables. How the firmware combines them
 * is not published: the filter is our model of it.
 *
 * Invariant: the same calls give the same times on every host.
 */
#ifndef VGPU_LOAD_H
#define VGPU_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/timing/chip.h"
#include "vgpu/timing/timing_params.h"

/* What of a real GPU the device shows; bits. */
enum vgpu_dvfs {
   VGPU_DVFS_CLOCK = 1,   /* the clock follows the load */
   VGPU_DVFS_POWER = 2,   /* the GPU powers off when idle */
   VGPU_DVFS_COMMAND = 4, /* launches, barriers, gaps and firmware take time: vgpu/timing/command/command.h */
   VGPU_DVFS_COUNTER = 8, /* timestamps step with the 24 MHz counter */
   VGPU_DVFS_REAL = 15,
};

struct vgpu_load_options {
   unsigned dvfs; /* enum vgpu_dvfs bits */
   bool compositor;
   double compositor_period_ns, compositor_busy_ns; /* 0: the parameters' */
};

struct vgpu_load {
   const struct vgpu_params *params;
   const struct vgpu_chip *chip;
   struct vgpu_load_options options;
   double now_ns;                    /* since the device was opened: busy and idle time */
   double period_left_ns, period_ns; /* of the controller's period: still to pass; its length */
   double busy_ns;                   /* of that period so far */
   double demand_hz;                 /* the filtered value */
   uint32_t hz;                      /* the clock */
   double idle_ns;                   /* since the last work */
   double frame_ns;                  /* when the compositor's current or next frame starts */
};

/* The frames of the compositor start at a time that the seed gives. */
void vgpu_load_init(struct vgpu_load *load, const struct vgpu_chip *chip, const struct vgpu_params *params,
                    const struct vgpu_load_options *options, uint64_t seed);
/* So long without work, ns. */
void vgpu_load_idle(struct vgpu_load *load, double ns);
/* Work comes: how long it waits until the GPU is on, ns. That time has passed on return. */
double vgpu_load_wake(struct vgpu_load *load);
/* How long that many cycles of work take, ns. */
double vgpu_load_work(struct vgpu_load *load, double cycles);
/* Works for that long, ns, whatever the clock. */
void vgpu_load_busy(struct vgpu_load *load, double ns);

#endif
