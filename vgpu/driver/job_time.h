/* SPDX-License-Identifier: MIT
 *
 * When jobs and their commands start and end on the device's clock.
 *
 * Without dvfs= and compositor a command starts at the device clock's now and takes its cycles. With them, the time
 * inside a job is the model's alone: a job starts after the firmware's time (and the power-up), and a command starts a
 * gap after the end of the one before. The time between two jobs is the host's, or what hosttime= says.
 *
 * For the device's worker thread only.
 */
#ifndef VGPU_JOB_TIME_H
#define VGPU_JOB_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "vgpu/timing/command/command.h"

#define VGPU_JOB_TIME_COUNTER_HZ 24000000u /* that timestamps step with */

struct vgpu_device;

/* The parameters of a command's costs; NULL: it has none. */
const struct vgpu_params *vgpu_job_time_costs(const struct vgpu_device *device);
/* The device's lock is held in the next three. */
void vgpu_job_time_begin(struct vgpu_device *device);
void vgpu_job_time_end(struct vgpu_device *device);
/* When command `index` of the job starts, ns. */
uint64_t vgpu_job_time_start(struct vgpu_device *device, size_t index);
/* How long the command takes, ns. */
uint64_t vgpu_job_time_duration(struct vgpu_device *device, const struct vgpu_command_time *time);
/* The timestamp that the device writes at that time. */
uint64_t vgpu_job_time_stamp(const struct vgpu_device *device, uint64_t ns);

#endif
