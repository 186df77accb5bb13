/* SPDX-License-Identifier: MIT
 *
 * Submission: dispatches become one compute command, the command is waited for, and its fence is asked how it ended.
 *
 * One job is in flight at a time. When one outlives the caller's time limit, everything it was given stays as it is
 * until it has ended: buffers destroyed meanwhile go to the graveyard, and the next asahi_run() waits for it first.
 */
#include <errno.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "drm/dispatch.h"
#include "drm/scratch.h"
#include "vgpu/vgpu.h"

/* What the fence's error means: spec/uapi.md 3.10. */
static const struct {
   int error;
   const char *meaning;
} fence_errors[] = {
    {ETIMEDOUT, "the job ran so long that the GPU's firmware gave it up"},
    {EIO, "GPU fault"},
    {ECANCELED, "the job was killed while the GPU recovered from another one's fault: run it again"},
    {ENODEV, "the GPU's firmware is gone; a reboot brings it back"},
    {ENODATA, "the job failed for a reason that the kernel does not know"},
};

static int64_t deadline_after(uint64_t nanoseconds)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   int64_t deadline;
   if (nanoseconds > INT64_MAX ||
       __builtin_add_overflow((int64_t)now.tv_sec * 1000000000 + now.tv_nsec, (int64_t)nanoseconds, &deadline)) {
      return INT64_MAX;
   }
   return deadline;
}

/* 0 when the job has ended, well or not; -ETIME. */
static int wait_for_job(struct asahi_device *device, int64_t deadline)
{
   struct drm_syncobj_wait wait = {
       .handles = (uintptr_t)&device->syncobj,
       .count_handles = 1,
       .timeout_nsec = deadline,
   };
   int error = asahi_ioctl(device, DRM_IOCTL_SYNCOBJ_WAIT, &wait);
   if (error == 0) {
      device->in_flight = false;
      asahi_buffer_bury(device);
   }
   return error;
}

/* The wait succeeds for a failed job too; only its fence knows. 0, or the fence's error. */
static int fence_status(struct asahi_device *device)
{
   struct drm_syncobj_handle export = {
       .handle = device->syncobj,
       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
       .fd = -1,
   };
   int error = asahi_ioctl(device, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export);
   if (error != 0) {
      return asahi_fail_errno(device, -error, "exporting the job's fence");
   }
   struct sync_file_info info = {0};
   error = device->kernel->ioctl(device->kernel, export.fd, SYNC_IOC_FILE_INFO, &info) == -1 ? -errno : 0;
   device->kernel->close(device->kernel, export.fd);
   if (error != 0) {
      return asahi_fail_errno(device, -error, "SYNC_IOC_FILE_INFO of the job's fence");
   }
   if (info.status == 1) {
      return 0;
   }
   if (info.status == 0) {
      return asahi_fail(device, EPROTO, "the job's fence was waited for, and yet is pending");
   }

   const char *meaning = "the job failed";
   for (size_t i = 0; i < sizeof(fence_errors) / sizeof(fence_errors[0]); i++) {
      if (fence_errors[i].error == -info.status) {
         meaning = fence_errors[i].meaning;
      }
   }
   struct vgpu_counters counters = {0};
   const char *details = "dmesg has the details";
   if (device->info.is_virtual && asahi_ioctl(device, VGPU_IOCTL_COUNTERS, &counters) == 0) {
      counters.last_fault[sizeof(counters.last_fault) - 1] = 0;
      details = counters.last_fault;
   }
   return asahi_fail(device, -info.status, "%s (%s): %s", meaning, asahi_errno_name(-info.status), details);
}

/* Writes the dispatches into the arenas. *start and *end: of the CDM stream, GPU VAs. */
static int write_command(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count,
                         uint64_t *start, uint64_t *end)
{
   size_t usc_size = 0, data_size = 0, stream_size;
   bool overflow = __builtin_mul_overflow(count, ASAHI_CDM_LAUNCH_SIZE, &stream_size);
   overflow |= __builtin_add_overflow(stream_size, ASAHI_CDM_TERMINATE_SIZE + ASAHI_STREAM_ALIGN, &stream_size);
   stream_size &= ~(size_t)(ASAHI_STREAM_ALIGN - 1);
   for (size_t i = 0; i < count; i++) {
      overflow |= __builtin_add_overflow(usc_size, asahi_dispatch_usc_size(&dispatches[i]), &usc_size);
      overflow |= __builtin_add_overflow(data_size, asahi_dispatch_data_size(&dispatches[i]), &data_size);
   }
   overflow |= __builtin_add_overflow(data_size, stream_size, &data_size);
   if (overflow) {
      return asahi_fail(device, ENOMEM, "out of memory for %zu dispatches", count);
   }

   struct asahi_piece usc, data;
   int error = asahi_arena_take(device, &device->usc_words, usc_size, ASAHI_USC_ALIGN, &usc);
   if (error == 0) {
      error = asahi_arena_take(device, &device->data, data_size, ASAHI_STREAM_ALIGN, &data);
   }
   if (error != 0) {
      return error;
   }
   struct asahi_stream stream = {.data = data.map, .size = stream_size};
   *start = data.address;
   data.map += stream_size;
   data.address += stream_size;
   for (size_t i = 0; i < count; i++) {
      struct asahi_launch launch;
      asahi_dispatch_write(device, &dispatches[i], &usc, &data, &launch);
      asahi_cdm_launch(&stream, device->info.chip_class, &launch);
      asahi_cdm_barrier(&stream);
      size_t usc_step = asahi_dispatch_usc_size(&dispatches[i]), data_step = asahi_dispatch_data_size(&dispatches[i]);
      usc.map += usc_step;
      usc.address += usc_step;
      data.map += data_step;
      data.address += data_step;
   }
   asahi_cdm_terminate(&stream);
   *end = *start + stream.used;
   return 0;
}

static int add_helper(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count,
                      struct drm_asahi_helper_program *helper)
{
   uint32_t dwords = 0;
   bool preamble = false;
   for (size_t i = 0; i < count; i++) {
      uint32_t needed = asahi_dispatch_scratch(&dispatches[i]);
      dwords = needed > dwords ? needed : dwords;
      preamble |= dispatches[i].program->facts->preamble_scratch_bytes != 0;
   }
   if (dwords == 0) {
      return 0;
   }
   int error = asahi_scratch_ensure(device, dwords);
   if (error != 0) {
      return error;
   }
   helper->binary = device->helper->main_offset | 1;
   helper->cfg = preamble ? 1u << 16 : 0;
   helper->data = device->scratch->address;
   return 0;
}

/* In the command buffer as the uAPI has it: header, then payload. */
struct command {
   struct drm_asahi_cmd_header header;
   struct drm_asahi_cmd_compute compute;
};
_Static_assert(sizeof(struct command) == 72, "no padding between header and payload");

static int submit(struct asahi_device *device, const struct command *command)
{
   struct drm_asahi_sync out = {.sync_type = DRM_ASAHI_SYNC_SYNCOBJ, .handle = device->syncobj};
   struct drm_asahi_submit request = {
       .syncs = (uintptr_t)&out,
       .cmdbuf = (uintptr_t)command,
       .queue_id = device->queue_id,
       .out_sync_count = 1,
       .cmdbuf_size = sizeof(*command),
   };
   if (device->watch.before_submit != NULL) {
      device->watch.before_submit(device->watch.data);
   }
   int error = asahi_ioctl(device, DRM_IOCTL_ASAHI_SUBMIT, &request);
   if (error != 0) {
      return asahi_fail_errno(device, -error, "SUBMIT");
   }
   device->submitted = true;
   device->in_flight = true;
   return 0;
}

static int read_timing(struct asahi_device *device, struct asahi_timing *timing)
{
   const volatile uint64_t *stamps = device->timestamps->map;
   timing->start_ns = stamps[0];
   timing->end_ns = stamps[1];
   if (timing->start_ns == 0 || timing->end_ns < timing->start_ns) {
      return asahi_fail(device, ENODATA, "the job is done, but its timestamps (%llu, %llu) are not those of a job",
                        (unsigned long long)timing->start_ns, (unsigned long long)timing->end_ns);
   }
   /* Nanoseconds on every kernel so far; the uAPI leaves room for others. */
   if (device->info.timestamp_hz != 1000000000) {
      double scale = 1e9 / (double)device->info.timestamp_hz;
      timing->start_ns = (uint64_t)((double)timing->start_ns * scale);
      timing->end_ns = (uint64_t)((double)timing->end_ns * scale);
   }
   return 0;
}

static int explain_wait(struct asahi_device *device, int error, uint64_t timeout_ns, const char *what)
{
   if (error == -ETIME) {
      return asahi_fail(device, ETIME, "%s after our time limit of %.3f s", what, (double)timeout_ns / 1e9);
   }
   return asahi_fail_errno(device, -error, "waiting for the job");
}

void asahi_device_watch(struct asahi_device *device, const struct asahi_watch *watch)
{
   device->watch = watch != NULL ? *watch : (struct asahi_watch){0};
}

int asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count, uint64_t timeout_ns,
              struct asahi_timing *timing)
{
   int error;
   if (count == 0) {
      return asahi_fail(device, EINVAL, "nothing to dispatch");
   }
   for (size_t i = 0; i < count; i++) {
      error = asahi_dispatch_check(device, &dispatches[i]);
      if (error != 0) {
         return error;
      }
   }
   if (device->in_flight) {
      error = wait_for_job(device, deadline_after(timeout_ns));
      if (error != 0) {
         return explain_wait(device, error, timeout_ns, "an earlier job still runs");
      }
   }

   /* Barrier 0 waits for what was submitted before; the first command has nothing to wait for, and Mesa says so. */
   struct command command = {
       .header = {.cmd_type = DRM_ASAHI_CMD_COMPUTE,
                  .size = sizeof(command.compute),
                  .vdm_barrier = DRM_ASAHI_BARRIER_NONE,
                  .cdm_barrier = device->submitted ? 0 : DRM_ASAHI_BARRIER_NONE},
   };
   error = write_command(device, dispatches, count, &command.compute.cdm_ctrl_stream_base,
                         &command.compute.cdm_ctrl_stream_end);
   if (error == 0) {
      error = add_helper(device, dispatches, count, &command.compute.helper);
   }
   if (error != 0) {
      return error;
   }
   memset(device->timestamps->map, 0, 2 * sizeof(uint64_t));
   command.compute.ts.start = (struct drm_asahi_timestamp){device->timestamp_object, 0};
   command.compute.ts.end = (struct drm_asahi_timestamp){device->timestamp_object, sizeof(uint64_t)};

   error = submit(device, &command);
   if (error != 0) {
      return error;
   }
   error = wait_for_job(device, deadline_after(timeout_ns));
   if (error != 0) {
      return explain_wait(device, error, timeout_ns, "the job still runs");
   }
   error = fence_status(device);
   return error != 0 || timing == NULL ? error : read_timing(device, timing);
}
