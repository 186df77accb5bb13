/* SPDX-License-Identifier: MIT
 *
 * The virtual device's clock and its descriptors. Invariant: the clock never runs backwards, and a descriptor's number
 * stays its own until it is closed.
 */
#include "vgpu/driver/device.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "util/clock.h"
#include "vgpu/refuse.h"

/* Descriptors are numbers of our own, above any that the system gives out (fs.nr_open is 2^20 by default), so that one
 * that ends up in a real system call fails with EBADF. */
#define FIRST_FD 0x40000000

/* The clock runs with the host's, so that it moves while nothing runs; where a job's modelled time is longer than
 * the emulation took, it jumps ahead to the job's end. A job starts at the clock's now: ends before starts stay
 * in order, and no GET_TIME after a job is before its end. */
uint64_t vgpu_device_clock(struct vgpu_device *device)
{
   return (uint64_t)((int64_t)util_clock_ns() + device->clock_skew);
}

void vgpu_device_clock_reach(struct vgpu_device *device, uint64_t ns)
{
   int64_t behind = (int64_t)(ns - vgpu_device_clock(device));
   if (behind > 0) {
      device->clock_skew += behind;
   }
}

uint64_t vgpu_device_serial(struct vgpu_device *device)
{
   return ++device->serial;
}

int vgpu_file_wait(struct vgpu_file *file, int64_t deadline_ns)
{
   struct vgpu_device *device = file->device;
   struct timespec deadline = {.tv_sec = (time_t)(deadline_ns / 1000000000),
                               .tv_nsec = (long)(deadline_ns % 1000000000)};
   if (deadline_ns <= (int64_t)util_clock_ns()) {
      return -ETIME;
   }
   pthread_cond_timedwait(&device->changed, &device->lock, &deadline);
   return file->closing ? -ENODEV : 0;
}

int vgpu_fd_add(struct vgpu_device *device, struct vgpu_fd entry)
{
   struct vgpu_fd *copy = malloc(sizeof(*copy));
   uint32_t id;
   if (!copy) {
      return -ENOMEM;
   }
   *copy = entry;
   int error = vgpu_ids_add(&device->fds, copy, &id);
   if (error) {
      free(copy);
      return error;
   }
   return FIRST_FD + (int)id;
}

struct vgpu_fd *vgpu_fd_find(struct vgpu_device *device, int fd)
{
   return fd > FIRST_FD ? vgpu_ids_get(&device->fds, (uint32_t)(fd - FIRST_FD)) : NULL;
}

void vgpu_fd_forget(struct vgpu_device *device, int fd)
{
   vgpu_ids_remove(&device->fds, (uint32_t)(fd - FIRST_FD));
}

int vgpu_fd_get(struct vgpu_device *device, int fd, enum vgpu_fd_kind kind, struct vgpu_fd *out)
{
   struct vgpu_fd *entry = vgpu_fd_find(device, fd);
   if (vgpu_refuse(!entry)) {
      return -EBADF;
   }
   if (vgpu_refuse(entry->kind != kind)) {
      return -EINVAL;
   }
   *out = *entry;
   return 0;
}
