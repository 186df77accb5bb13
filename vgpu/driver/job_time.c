/* SPDX-License-Identifier: MIT
 *
 * See job_time.h. Invariant: the times of a job never run backwards.
 */
#include "vgpu/driver/job_time.h"

#include <assert.h>

#include "vgpu/driver/device.h"
#include "util/clock.h"

static bool modelled(const struct vgpu_device *device)
{
   return device->options.timing && (device->options.load.dvfs || device->options.load.compositor);
}

static double cost(const struct vgpu_device *device, enum vgpu_command_param param)
{
   const struct vgpu_params *params = vgpu_job_time_costs(device);
   return params ? params->command[param] : 0;
}

const struct vgpu_params *vgpu_job_time_costs(const struct vgpu_device *device)
{
   return modelled(device) && device->options.load.dvfs & VGPU_DVFS_COMMAND ? &device->options.params : NULL;
}

/* Fractions of a nanosecond are dropped once a job, not once a command. */
void vgpu_job_time_begin(struct vgpu_device *device)
{
   if (!modelled(device)) {
      return;
   }
   double idle = (double)device->options.idle_ns;
   if (!device->options.fixed_idle && device->idle_since) {
      idle = (double)(util_clock_ns() - device->idle_since);
   }
   vgpu_load_idle(&device->load, idle);
   double wait = vgpu_load_wake(&device->load), firmware = cost(device, VGPU_COMMAND_FIRMWARE);
   vgpu_load_idle(&device->load, firmware);
   device->job_ns = (double)vgpu_device_clock(device) + wait + firmware;
}

void vgpu_job_time_end(struct vgpu_device *device)
{
   device->idle_since = util_clock_ns();
}

uint64_t vgpu_job_time_start(struct vgpu_device *device, size_t index)
{
   if (!modelled(device)) {
      return vgpu_device_clock(device);
   }
   if (index > 0) {
      double gap = cost(device, VGPU_COMMAND_STREAM_GAP);
      vgpu_load_idle(&device->load, gap);
      device->job_ns += gap;
   }
   return (uint64_t)device->job_ns;
}

uint64_t vgpu_job_time_duration(struct vgpu_device *device, const struct vgpu_command_time *time)
{
   if (!modelled(device)) {
      return vgpu_clock_jitter(&device->clock, vgpu_clock_pass(&device->clock, (uint64_t)time->cycles));
   }
   double ns = time->fixed_ns;
   vgpu_load_busy(&device->load, time->fixed_ns);
   ns += device->options.clock.wander ? (double)vgpu_clock_pass(&device->clock, (uint64_t)time->cycles)
                                      : vgpu_load_work(&device->load, time->cycles);
   uint64_t duration = vgpu_clock_jitter(&device->clock, (uint64_t)(ns + 0.5));
   device->job_ns += (double)duration;
   return duration;
}

uint64_t vgpu_job_time_stamp(const struct vgpu_device *device, uint64_t ns)
{
   if (!modelled(device) || !(device->options.load.dvfs & VGPU_DVFS_COUNTER)) {
      return ns;
   }
   static_assert(VGPU_JOB_TIME_COUNTER_HZ == 24000000, "a tick is 125/3 ns");
   uint64_t ticks = ns / 125 * 3 + ns % 125 * 3 / 125;
   return ticks / 3 * 125 + ticks % 3 * 125 / 3;
}
