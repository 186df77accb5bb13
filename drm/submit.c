/* SPDX-License-Identifier: MIT
 *
 * Submission: the dispatches of each command become one command stream. The commands become one job, or a job each.
 * The client waits for the jobs and reads the result of each from its fence.
 *
 * All jobs of one call are in flight at the same time. If one exceeds the caller's time limit, its memory stays
 * allocated until it has ended: buffers that are destroyed meanwhile go to the graveyard, and the next call first
 * waits for the job.
 */
#include <errno.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <string.h>

#include "drm/dispatch.h"
#include "drm/scratch.h"
#include "vgpu/vgpu.h"
#include "util/array.h"

/* Meanings of the fence's errors: spec/uapi.md 3.10. */
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

int asahi_job_wait(struct asahi_device *device, uint64_t timeout_ns)
{
   if (device->in_flight == 0) {
      return 0;
   }
   const int error = asahi_raw_wait(device->kernel, device->fd, device->info.is_virtual, device->syncobjs,
                                    device->in_flight, timeout_ns, &device->interrupt);
   if (error == 0) {
      device->in_flight = 0;
      asahi_buffer_bury(device);
   }
   return error;
}

/* Sets the instruction budget of the submission's jobs on a virtual device. */
static int limit_work(struct asahi_device *device, uint64_t timeout_ns)
{
   uint64_t budget = device->budget != 0 ? device->budget : asahi_work_of(timeout_ns);
   const int error = device->info.is_virtual ? asahi_ioctl(device, VGPU_IOCTL_WORK, &budget) : 0;

   return error == 0 ? 0 : asahi_fail_errno(device, -error, "the virtual device's budget");
}

static const char *fence_meaning(const struct asahi_device *device, int error)
{
   /* On this chip class the firmware ends work that it cannot preempt within about 50 ms (spec/hardware-audit.md,
    * Wrong, 3). */
   if (error == ETIMEDOUT && device->info.chip_class == ASAHI_G14X) {
      return "too long for one command: the firmware of M2 Pro, Max and Ultra ends those that take some 50 ms; divide "
             "the work";
   }
   for (size_t i = 0; i < ARRAY_COUNT(fence_errors); i++) {
      if (fence_errors[i].error == error) {
         return fence_errors[i].meaning;
      }
   }
   return "the job failed";
}

/* Whether the message of a virtual device is about the instructions that the client's time limit stands for. */
static bool is_limit(const struct asahi_device *device, const char *details, uint64_t timeout_ns)
{
   char count[40];

   snprintf(count, sizeof(count), "within %llu sim", (unsigned long long)asahi_work_of(timeout_ns));
   return device->info.is_virtual && device->budget == 0 && strstr(details, count) != NULL;
}

/* A wait succeeds for a failed job, too; only its fence has the error. Returns 0 or that error. */
static int fence_status(struct asahi_device *device, uint32_t syncobj, uint64_t timeout_ns)
{
   struct drm_syncobj_handle export = {
       .handle = syncobj,
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

   if (info.status == -ECANCELED && device->info.is_virtual && device->interrupt.requested != NULL &&
       device->interrupt.requested(device->interrupt.data)) {
      return asahi_fail(device, EINTR, "the job was given up: interrupted");
   }
   const char *meaning = fence_meaning(device, -info.status);
   struct vgpu_counters counters = {0};
   const bool recovers = info.status == -EIO || info.status == -ETIMEDOUT;
   const char *details = recovers ? "dmesg has the details; the GPU's recovery may have ended other programs' jobs"
                                  : "dmesg has the details";
   if (device->info.is_virtual && asahi_ioctl(device, VGPU_IOCTL_COUNTERS, &counters) == 0) {
      counters.last_fault[sizeof(counters.last_fault) - 1] = 0;
      details = counters.last_fault;
   }
   const char *limit =
       info.status == -ETIMEDOUT && is_limit(device, details, timeout_ns) ? "; our time limit counts as that" : "";
   return asahi_fail(device, -info.status, "%s (%s): %s%s", meaning, asahi_errno_name(-info.status), details, limit);
}

/* Adds the sizes that a submission needs in the arenas. Returns false on overflow. */
static bool add_sizes(const struct asahi_command *command, size_t *usc_size, size_t *data_size)
{
   size_t stream_size;
   bool overflow = __builtin_mul_overflow(command->count, ASAHI_CDM_LAUNCH_SIZE, &stream_size);

   overflow |= __builtin_add_overflow(stream_size, ASAHI_CDM_TERMINATE_SIZE + ASAHI_STREAM_ALIGN, &stream_size);
   overflow |= __builtin_add_overflow(*data_size, ASAHI_STREAM_ALIGN - 1 + stream_size, data_size);
   for (size_t i = 0; i < command->count; i++) {
      overflow |= __builtin_add_overflow(*usc_size, asahi_dispatch_usc_size(&command->dispatches[i]), usc_size);
      overflow |= __builtin_add_overflow(*data_size, asahi_dispatch_data_size(&command->dispatches[i]), data_size);
   }
   return !overflow;
}

/* Takes the rest of the piece at that alignment; -EOVERFLOW with a reason if it is too small. */
static int take_stream(struct asahi_device *device, struct asahi_piece *data, size_t launches,
                       struct asahi_stream *stream, uint64_t *start)
{
   const size_t skip = (size_t)(-data->address & (ASAHI_STREAM_ALIGN - 1));
   const size_t size = (launches * ASAHI_CDM_LAUNCH_SIZE + ASAHI_CDM_TERMINATE_SIZE + ASAHI_STREAM_ALIGN - 1) &
                       ~(size_t)(ASAHI_STREAM_ALIGN - 1);

   if (data->size < skip || data->size - skip < size) {
      return asahi_fail(device, EOVERFLOW, "the submission's memory is too small for its command streams");
   }
   *stream = (struct asahi_stream){.data = data->map + skip, .size = size};
   *start = data->address + skip;
   data->map += skip + size;
   data->address += skip + size;
   data->size -= skip + size;
   return 0;
}

/* Writes the launches of one command into the pieces. *start and *end: GPU addresses of the CDM stream. */
static int write_command(struct asahi_device *device, const struct asahi_command *command, struct asahi_piece *usc,
                         struct asahi_piece *data, uint64_t *start, uint64_t *end)
{
   const struct asahi_cdm_options *cdm = command->cdm != NULL ? command->cdm : &asahi_cdm_defaults;
   struct asahi_stream stream;
   int error = take_stream(device, data, command->count, &stream, start);

   for (size_t i = 0; error == 0 && i < command->count; i++) {
      struct asahi_launch launch;
      error = asahi_dispatch_write(device, &command->dispatches[i], usc, data, &launch);
      launch.texture_field = cdm->texture_field;
      if (error == 0) {
         asahi_cdm_launch(&stream, device->info.chip_class, &launch);
         asahi_cdm_barrier(&stream, cdm->barrier);
      }
   }
   if (error != 0) {
      return error;
   }
   asahi_cdm_terminate(&stream);
   *end = *start + stream.used;
   return stream.overflow ? asahi_fail(device, EOVERFLOW, "a command stream of %zu launches is larger than its memory",
                                       command->count)
                          : 0;
}

static void add_helper(struct asahi_device *device, const struct asahi_command *command,
                       struct drm_asahi_helper_program *helper)
{
   uint32_t dwords = 0;
   bool preamble = false;
   for (size_t i = 0; i < command->count; i++) {
      uint32_t needed = asahi_dispatch_scratch(&command->dispatches[i]);
      dwords = needed > dwords ? needed : dwords;
      preamble |= command->dispatches[i].program->facts->preamble_scratch_bytes != 0;
   }
   if (dwords == 0) {
      return;
   }
   helper->binary = device->helper->main_offset | 1;
   helper->cfg = preamble ? 1u << 16 : 0;
   helper->data = device->scratch->address;
}

/* Provides stack memory for the dispatch that needs most: the commands share it, because they run one after the
 * other. */
static int ensure_scratch(struct asahi_device *device, const struct asahi_command *commands, size_t count)
{
   uint32_t dwords = 0;

   for (size_t i = 0; i < count; i++) {
      for (size_t k = 0; k < commands[i].count; k++) {
         uint32_t needed = asahi_dispatch_scratch(&commands[i].dispatches[k]);
         dwords = needed > dwords ? needed : dwords;
      }
   }
   return dwords == 0 ? 0 : asahi_scratch_ensure(device, dwords);
}

/* An entry of the uAPI's command buffer: header, then payload. */
struct request {
   struct drm_asahi_cmd_header header;
   struct drm_asahi_cmd_compute compute;
};
_Static_assert(sizeof(struct request) == 72, "no padding between header and payload");

/* Start and end of one command, as the GPU writes them. */
struct stamps {
   uint64_t start, end;
};
_Static_assert(ASAHI_COMMANDS_MAX * sizeof(struct stamps) <= DRM_ASAHI_PAGE_SIZE, "they fit the timestamp buffer");

static struct drm_asahi_timestamp stamp_at(const struct asahi_device *device, size_t offset)
{
   return (struct drm_asahi_timestamp){device->timestamp_object, (uint32_t)offset};
}

/* Fills in the command buffers. queues NULL: the commands are one job. */
static int write_requests(struct asahi_device *device, const struct asahi_command *commands,
                          const enum asahi_queue *queues, size_t count, struct request *requests)
{
   size_t usc_size = 0, data_size = 0;
   struct asahi_piece usc, data;

   for (size_t i = 0; i < count; i++) {
      if (!add_sizes(&commands[i], &usc_size, &data_size)) {
         return asahi_fail(device, ENOMEM, "out of memory for %zu commands", count);
      }
   }
   int error = asahi_arena_take(device, &device->usc_words, usc_size, ASAHI_USC_ALIGN, &usc);
   if (error == 0) {
      error = asahi_arena_take(device, &device->data, data_size, ASAHI_STREAM_ALIGN, &data);
   }
   if (error == 0) {
      error = ensure_scratch(device, commands, count);
   }
   for (size_t i = 0; error == 0 && i < count; i++) {
      struct drm_asahi_cmd_compute *compute = &requests[i].compute;
      const uint16_t before = queues == NULL ? (uint16_t)i : 0;
      bool submitted = device->queues[queues == NULL ? ASAHI_QUEUE_MAIN : queues[i]].submitted;

      for (size_t k = 0; queues != NULL && k < i; k++) {
         submitted |= queues[k] == queues[i];
      }

      /* Barrier N waits for the first N compute commands of this submission, and for all earlier submissions to the
       * queue. Before the very first command there is nothing to wait for; Mesa uses the same value. */
      requests[i].header = (struct drm_asahi_cmd_header){
          .cmd_type = DRM_ASAHI_CMD_COMPUTE,
          .size = sizeof(*compute),
          .vdm_barrier = DRM_ASAHI_BARRIER_NONE,
          .cdm_barrier = before > 0 || submitted ? before : DRM_ASAHI_BARRIER_NONE,
      };
      compute->ts.start = stamp_at(device, i * sizeof(struct stamps) + offsetof(struct stamps, start));
      compute->ts.end = stamp_at(device, i * sizeof(struct stamps) + offsetof(struct stamps, end));
      error = write_command(device, &commands[i], &usc, &data, &compute->cdm_ctrl_stream_base,
                            &compute->cdm_ctrl_stream_end);
      if (error == 0) {
         add_helper(device, &commands[i], &compute->helper);
      }
   }
   return error;
}

/* Submits one job, which is in flight beside the earlier ones. */
static int submit(struct asahi_device *device, enum asahi_queue queue, const struct request *requests, size_t count)
{
   struct drm_asahi_sync out = {.sync_type = DRM_ASAHI_SYNC_SYNCOBJ, .handle = device->syncobjs[device->in_flight]};
   struct drm_asahi_submit request = {
       .syncs = (uintptr_t)&out,
       .cmdbuf = (uintptr_t)requests,
       .queue_id = device->queues[queue].id,
       .out_sync_count = 1,
       .cmdbuf_size = (uint32_t)(count * sizeof(*requests)),
   };
   if (device->watch.before_submit != NULL) {
      device->watch.before_submit(device->watch.data);
   }
   int error = asahi_ioctl(device, DRM_IOCTL_ASAHI_SUBMIT, &request);
   if (error != 0) {
      return asahi_fail_errno(device, -error, "SUBMIT");
   }
   device->queues[queue].submitted = true;
   device->in_flight++;
   return 0;
}

static int read_timings(struct asahi_device *device, struct asahi_timing *timings, size_t count)
{
   const volatile struct stamps *stamps = device->timestamps->map;

   for (size_t i = 0; i < count; i++) {
      struct asahi_timing *timing = &timings[i];

      timing->start_ns = stamps[i].start;
      timing->end_ns = stamps[i].end;
      if (timing->start_ns == 0 || timing->end_ns < timing->start_ns) {
         return asahi_fail(device, ENODATA, "the job is done, but its timestamps (%llu, %llu) are not those of a job",
                           (unsigned long long)timing->start_ns, (unsigned long long)timing->end_ns);
      }
      /* it is nanoseconds in every kernel so far, but the uAPI allows other units */
      if (device->info.timestamp_hz != 1000000000) {
         double scale = 1e9 / (double)device->info.timestamp_hz;
         timing->start_ns = (uint64_t)((double)timing->start_ns * scale);
         timing->end_ns = (uint64_t)((double)timing->end_ns * scale);
      }
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

static int check_commands(struct asahi_device *device, const struct asahi_command *commands, size_t count)
{
   if (count == 0 || count > device->info.commands_max) {
      return asahi_fail(device, EINVAL, "%zu commands: a submission takes 1 to %u", count, device->info.commands_max);
   }
   for (size_t i = 0; i < count; i++) {
      if (commands[i].count == 0) {
         return asahi_fail(device, EINVAL, "nothing to dispatch");
      }
      for (size_t k = 0; k < commands[i].count; k++) {
         int error = asahi_dispatch_check(device, &commands[i].dispatches[k]);
         if (error != 0) {
            return error;
         }
      }
   }
   return 0;
}

/* queues: a queue for each command, or NULL: all are one job of the main queue. */
static int submit_all(struct asahi_device *device, const struct asahi_command *commands, const enum asahi_queue *queues,
                      size_t count, uint64_t timeout_ns, struct asahi_timing *timings)
{
   struct request requests[ASAHI_COMMANDS_MAX] = {0};
   const size_t jobs = queues == NULL ? 1 : count, each = count / jobs;
   int error = asahi_job_wait(device, timeout_ns);

   if (error != 0) {
      return explain_wait(device, error, timeout_ns, "an earlier job still runs");
   }
   error = asahi_syncobjs_ensure(device, jobs);
   for (size_t i = 0; error == 0 && queues != NULL && i < count; i++) {
      error = asahi_queue_ensure(device, queues[i]);
   }
   error = error != 0 ? error : write_requests(device, commands, queues, count, requests);
   if (error != 0) {
      return error;
   }
   error = limit_work(device, timeout_ns);
   memset(device->timestamps->map, 0, count * sizeof(struct stamps));
   for (size_t i = 0; error == 0 && i < jobs; i++) {
      error = submit(device, queues == NULL ? ASAHI_QUEUE_MAIN : queues[i], &requests[i * each], each);
   }
   if (error != 0) {
      return error;
   }
   error = asahi_job_wait(device, timeout_ns);
   if (error != 0) {
      return explain_wait(device, error, timeout_ns, "the job still runs");
   }
   for (size_t i = 0; error == 0 && i < jobs; i++) {
      error = fence_status(device, device->syncobjs[i], timeout_ns);
   }
   return error != 0 || timings == NULL ? error : read_timings(device, timings, count);
}

int asahi_submit(struct asahi_device *device, const struct asahi_command *commands, size_t count, uint64_t timeout_ns,
                 struct asahi_timing *timings)
{
   const int error = check_commands(device, commands, count);

   return error != 0 ? error : submit_all(device, commands, NULL, count, timeout_ns, timings);
}

int asahi_submit_apart(struct asahi_device *device, const struct asahi_command *commands,
                       const enum asahi_queue *queues, size_t count, uint64_t timeout_ns, struct asahi_timing *timings)
{
   const int error = check_commands(device, commands, count);

   if (error != 0) {
      return error;
   }
   for (size_t i = 0; i < count; i++) {
      for (size_t k = 0; k < commands[i].count; k++) {
         if (asahi_dispatch_scratch(&commands[i].dispatches[k]) != 0) {
            return asahi_fail(device, EINVAL, "command %zu uses stack memory, which jobs side by side would share", i);
         }
      }
   }
   return submit_all(device, commands, queues, count, timeout_ns, timings);
}

int asahi_run(struct asahi_device *device, const struct asahi_dispatch *dispatches, size_t count, uint64_t timeout_ns,
              struct asahi_timing *timing)
{
   const struct asahi_command command = {.dispatches = dispatches, .count = count};

   return asahi_submit(device, &command, 1, timeout_ns, timing);
}
