/* SPDX-License-Identifier: MIT
 *
 * Opening and closing the virtual device, and what its client calls. Invariant: the last file that is closed takes the
 * device with it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgpu/collect/collect.h"
#include "vgpu/driver/device.h"
#include "vgpu/driver/ioctl.h"
#include "vgpu/driver/job_time.h"
#include "vgpu/driver/queue.h"
#include "vgpu/host_threads.h"
#include "vgpu/refuse.h"
#include "vgpu/spare.h"
#include "vgpu/exec/levels/levels.h"
#include "vgpu/timing/memory/hierarchy.h"
#include "vgpu/driver/user.h"
#include "util/array.h"
#include "util/text.h"
#include "vgpu/exec/checks/log.h"

#define SETTLE_NS UINT64_C(1000000000) /* of load: 2.5 time constants of the slower filter of the clock controller */

static int device_ioctl(struct asahi_kernel *kernel, int fd, unsigned long request, void *argument)
{
   struct vgpu_device *device = (struct vgpu_device *)kernel;
   int error = -EBADF;
   pthread_mutex_lock(&device->lock);
   struct vgpu_fd *entry = vgpu_fd_find(device, fd);
   if (entry && entry->kind == VGPU_FD_FILE) {
      struct vgpu_file *file = entry->file;
      file->users++;
      error = vgpu_file_ioctl(file, request, (uintptr_t)argument);
      file->users--;
      if (file->closing) {
         pthread_cond_broadcast(&device->changed);
      }
   } else if (entry && entry->kind == VGPU_FD_SYNC_FILE) {
      error = vgpu_sync_file_ioctl(device, entry->fence, request, (uintptr_t)argument);
   } else if (entry) {
      error = -ENOTTY;
   }
   pthread_mutex_unlock(&device->lock);
   if (error) {
      errno = -error;
      return -1;
   }
   return 0;
}

/* The BO that mmap of this descriptor at this offset means, as drm_gem_mmap() finds it. */
static int find_mapped(struct vgpu_device *device, int fd, uint64_t offset, struct vgpu_bo **out)
{
   const struct vgpu_fd *entry = vgpu_fd_find(device, fd);
   if (vgpu_refuse(!entry)) {
      return -EBADF;
   }
   if (entry->kind == VGPU_FD_BUFFER && !offset) {
      *out = entry->bo;
      return 0;
   }
   if (vgpu_refuse(entry->kind != VGPU_FD_FILE)) {
      return entry->kind == VGPU_FD_BUFFER ? -EINVAL : -ENODEV;
   }
   struct vgpu_bo *bo = vgpu_bo_at(&device->heap, offset), *held;
   if (vgpu_refuse(!bo)) {
      return -EINVAL;
   }
   uint32_t handle = 0;
   while ((held = vgpu_ids_next(&entry->file->bos, &handle))) {
      if (held == bo) {
         *out = bo;
         return 0;
      }
   }
   *out = bo;
   return vgpu_refuse(true) ? -EACCES : 0; /* alive, but this file has no handle to it (any more) */
}

static void *device_mmap(struct asahi_kernel *kernel, size_t length, int protection, int flags, int fd, uint64_t offset)
{
   struct vgpu_device *device = (struct vgpu_device *)kernel;
   struct vgpu_bo *bo;
   void *address = MAP_FAILED;
   pthread_mutex_lock(&device->lock);
   int error = find_mapped(device, fd, offset, &bo);
   if (error) {
      errno = -error;
   } else {
      address = vgpu_bo_mmap(bo, length, protection, flags);
   }
   pthread_mutex_unlock(&device->lock);
   return address;
}

static int device_munmap(struct asahi_kernel *kernel, void *address, size_t length)
{
   struct vgpu_device *device = (struct vgpu_device *)kernel;
   pthread_mutex_lock(&device->lock);
   int result = vgpu_heap_munmap(&device->heap, address, length);
   pthread_mutex_unlock(&device->lock);
   return result;
}

static void release_fd(struct vgpu_fd *entry)
{
   switch (entry->kind) {
   case VGPU_FD_FILE:
      break; /* close_file() */
   case VGPU_FD_SYNC_FILE:
      vgpu_fence_unref(entry->fence);
      break;
   case VGPU_FD_SYNCOBJ:
      vgpu_syncobj_unref(entry->syncobj);
      break;
   case VGPU_FD_BUFFER:
      vgpu_bo_unref(entry->bo);
      break;
   }
   free(entry);
}

/* Calls that sleep in the file are sent away with ENODEV: unlike a kernel's file, this one cannot outlive close(),
 * which also frees the device. */
static void close_file(struct vgpu_file *file)
{
   struct vgpu_device *device = file->device;
   file->closing = true;
   pthread_cond_broadcast(&device->changed);
   vgpu_file_cancel_jobs(file);
   while (file->users) {
      pthread_cond_wait(&device->changed, &device->lock);
   }
   vgpu_file_release(file);
   free(file);
   device->files--;
}

static void destroy_device(struct vgpu_device *device)
{
   uint32_t id = 0;
   for (struct vgpu_fd *entry; (entry = vgpu_ids_next(&device->fds, &id));) {
      release_fd(entry);
   }
   vgpu_ids_finish(&device->fds);
   vgpu_fence_unref(device->signaled);
   vgpu_heap_finish(&device->heap);
   vgpu_hierarchy_destroy(device->caches);
   vgpu_host_threads_destroy(device->host);
   vgpu_kept_destroy(device->kept);
   vgpu_spare_destroy(device->spare);
   vgpu_collection_destroy(device->collection);
   free(device->waiting);
   free(device->order);
   vgpu_jit_destroy(device->compiler);
   vgpu_profile_finish(&device->profile);
   vgpu_trace_finish(&device->trace);
   if (device->user_fd >= 0) {
      close(device->user_fd);
   }
   pthread_cond_destroy(&device->changed);
   pthread_mutex_destroy(&device->lock);
   vgpu_inject_finish(&device->options.inject);
   vgpu_programs_finish(&device->programs);
   vgpu_races_destroy(device->races);
   vgpu_pages_close(device->saved_pages);
   free(device);
}

static int device_close(struct asahi_kernel *kernel, int fd)
{
   struct vgpu_device *device = (struct vgpu_device *)kernel;
   pthread_mutex_lock(&device->lock);
   struct vgpu_fd *entry = vgpu_fd_find(device, fd);
   if (!entry) {
      pthread_mutex_unlock(&device->lock);
      errno = EBADF;
      return -1;
   }
   vgpu_fd_forget(device, fd);
   bool last = false;
   if (entry->kind == VGPU_FD_FILE) {
      close_file(entry->file);
      last = !device->files;
   }
   release_fd(entry);
   device->stop = last;
   pthread_cond_broadcast(&device->changed);
   pthread_mutex_unlock(&device->lock);
   if (last) {
      pthread_join(device->worker, NULL);
      destroy_device(device);
   }
   return 0;
}

/* Adds a device file. Its descriptor, or -ENOMEM. */
static int open_file(struct vgpu_device *device)
{
   struct vgpu_file *file = calloc(1, sizeof(*file));
   if (!file) {
      return -ENOMEM;
   }
   file->device = device;
   int fd = vgpu_fd_add(device, (struct vgpu_fd){.kind = VGPU_FD_FILE, .file = file});
   if (fd < 0) {
      free(file);
   } else {
      device->files++;
   }
   return fd;
}

static int device_reopen(struct asahi_kernel *kernel, int fd)
{
   struct vgpu_device *device = (struct vgpu_device *)kernel;
   pthread_mutex_lock(&device->lock);
   const struct vgpu_fd *entry = vgpu_fd_find(device, fd);
   int result = entry && entry->kind == VGPU_FD_FILE ? open_file(device) : -EBADF;
   pthread_mutex_unlock(&device->lock);
   if (result < 0) {
      errno = -result;
      return -1;
   }
   return result;
}

static int init_locks(struct vgpu_device *device)
{
   pthread_condattr_t attributes;
   int error = pthread_condattr_init(&attributes);
   if (error) {
      return -error;
   }
   /* DRM's deadlines are absolute times of this clock. */
   error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
   if (!error) {
      error = pthread_cond_init(&device->changed, &attributes);
   }
   pthread_condattr_destroy(&attributes);
   if (error) {
      return -error;
   }
   error = pthread_mutex_init(&device->lock, NULL);
   if (error) {
      pthread_cond_destroy(&device->changed);
   }
   return -error;
}

static int start(struct vgpu_device *device)
{
   int error = vgpu_heap_init(&device->heap);
   if (error) {
      return error;
   }
   error = vgpu_user_open(&device->user_fd);
   if (error) {
      return error;
   }
   if (device->options.timing && !device->options.cold_caches) {
      device->caches = vgpu_hierarchy_create(device->options.params.memory, device->chip->cores, device->chip->dies);
      if (!device->caches) {
         return -ENOMEM;
      }
   }
   device->host = vgpu_host_threads_create(device->options.threads);
   if (!device->host) {
      return -ENOMEM;
   }
   device->kept = vgpu_kept_create();
   device->spare = vgpu_spare_create();
   if (!device->kept || !device->spare) {
      return -ENOMEM;
   }
   device->collection = device->options.collect[0] ? vgpu_collection_create(device->options.collect) : NULL;
   if (device->options.collect[0] && !device->collection) {
      return -ENOMEM;
   }
   device->level = device->options.level;
   if (vgpu_jit_built() && device->options.jit != VGPU_JIT_OFF) {
      device->compiler = vgpu_jit_create(device->options.jit, device->level);
      if (!device->compiler) {
         return -ENOMEM;
      }
      vgpu_jit_keep(device->compiler);
   }
   device->signaled = vgpu_fence_create(vgpu_device_serial(device), 1);
   if (!device->signaled) {
      return -ENOMEM;
   }
   vgpu_fence_signal(device->signaled, 0);
   int fd = open_file(device);
   if (fd < 0) {
      return fd;
   }
   error = -pthread_create(&device->worker, NULL, vgpu_worker, device);
   if (error) {
      const struct vgpu_fd *entry = vgpu_fd_find(device, fd);
      free(entry->file);
      return error;
   }
   return fd;
}

static void append(char *text, size_t size, const char *what)
{
   util_append(text, size, "%s%s", *text ? ", " : "", what);
}

static void describe_disturbance(const struct vgpu_options *options, char *text, size_t size)
{
   char jitter[64] = "";
   if (options->clock.jitter_ns) {
      snprintf(jitter, sizeof(jitter), "timestamps late by %" PRIu64 " ns in the mean", options->clock.jitter_ns);
   } else if (options->clock.jitter_percent > 0) {
      snprintf(jitter, sizeof(jitter), "jitter of %g %%", options->clock.jitter_percent);
   }
   const struct {
      bool applies;
      const char *text;
   } parts[] = {
       {options->clock.wander, "the clock wanders"},
       {options->load.dvfs & VGPU_DVFS_CLOCK, "the clock follows the load"},
       {options->load.dvfs & VGPU_DVFS_POWER, "powers off"},
       {options->load.dvfs & VGPU_DVFS_COMMAND, VGPU_COMMANDS_COST},
       {options->load.compositor, "compositor"},
       {*jitter, jitter},
   };
   text[0] = '\0';
   for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
      if (parts[i].applies) {
         append(text, size, parts[i].text);
      }
   }
}

int vgpu_open(const char *spec, struct asahi_kernel **kernel, char *message, size_t message_size)
{
   struct vgpu_device *device = calloc(1, sizeof(*device));
   *kernel = NULL;
   if (!device) {
      snprintf(message, message_size, "out of memory");
      return -ENOMEM;
   }
   device->kernel = (struct asahi_kernel){device_ioctl, device_mmap, device_munmap, device_close, device_reopen};
   device->heap.fd = -1;
   device->user_fd = -1;
   int error = vgpu_options_parse(spec, &device->chip, &device->options, message, message_size);
   if (error) {
      vgpu_inject_finish(&device->options.inject);
      free(device);
      return error;
   }
   const struct vgpu_options *options = &device->options;
   vgpu_clock_init(&device->clock, device->chip->clock_hz, &options->clock, options->seed);
   vgpu_load_init(&device->load, device->chip, &options->params, &options->load, options->seed);
   bool steady = !options->clock.wander && !(options->load.dvfs & VGPU_DVFS_CLOCK) && !options->load.compositor;
   device->counters.clock_hz = steady ? device->chip->clock_hz : 0;
   device->counters.settle_ns = options->load.dvfs & VGPU_DVFS_CLOCK ? SETTLE_NS : 0;
   device->counters.timestamp_hz = options->load.dvfs & VGPU_DVFS_COUNTER ? VGPU_JOB_TIME_COUNTER_HZ : 0;
   for (uint32_t i = 0; device->counters.settle_ns && i < device->chip->point_count; i++) {
      device->counters.operating_points[i] = device->chip->points[i];
   }
   describe_disturbance(options, device->counters.disturbance, sizeof(device->counters.disturbance));
   error = init_locks(device);
   if (error) {
      snprintf(message, message_size, "the virtual device cannot make its lock: %s", strerror(-error));
      vgpu_inject_finish(&device->options.inject);
      free(device);
      return error;
   }
   int fd = start(device);
   if (fd < 0) {
      snprintf(message, message_size, "the virtual device cannot start: %s", strerror(-fd));
      destroy_device(device);
      return fd;
   }
   *kernel = &device->kernel;
   return fd;
}
