/* SPDX-License-Identifier: MIT
 *
 * Runs a saved job through the uAPI itself: the client's own layout of memory (drm/) would change what is replayed.
 * Not yet run on hardware.
 */
#include "agx_runner/replay/submit.h"

#include <errno.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "vgpu/vgpu.h"

#define PAGE ((uint64_t)DRM_ASAHI_PAGE_SIZE)
/* most bytes of all buffers: each page is examined, which takes time */
#define VIRTUAL_BYTES_MAX (UINT64_C(64) << 30)

static bool request(struct replay *replay, unsigned long number, void *argument, const char *what)
{
   if (replay->raw.kernel->ioctl(replay->raw.kernel, replay->raw.fd, number, argument) != -1) {
      return true;
   }
   snprintf(replay->why, sizeof(replay->why), "%s: %s", what, strerror(errno));
   return false;
}

static bool fail(struct replay *replay, const char *why)
{
   snprintf(replay->why, sizeof(replay->why), "%s", why);
   return false;
}

static bool check_size(struct replay *replay)
{
   uint64_t sum = 0;
   for (size_t i = 0; i < replay->job->buffer_count; i++) {
      sum += replay->job->buffers[i].size;
   }
   /* on a virtual device only the pages that the job uses take memory; a kernel pins all of them */
   const uint64_t limit = replay->raw.is_virtual ? VIRTUAL_BYTES_MAX : asahi_memory_limit();
   if (sum <= limit) {
      return true;
   }
   snprintf(replay->why, sizeof(replay->why), "its buffers take %.0f MiB; at most %.0f MiB are used",
            (double)sum / 0x1p20, (double)limit / 0x1p20);
   return false;
}

static bool make_buffer(struct replay *replay, size_t index)
{
   const uint64_t size = replay->job->buffers[index].size;
   struct drm_asahi_gem_create create = {.size = size, .flags = DRM_ASAHI_GEM_WRITEBACK};
   if (!request(replay, DRM_IOCTL_ASAHI_GEM_CREATE, &create, "GEM_CREATE")) {
      return false;
   }
   replay->buffers[index].handle = create.handle;
   struct drm_asahi_gem_mmap_offset offset = {.handle = create.handle};
   if (!request(replay, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &offset, "GEM_MMAP_OFFSET")) {
      return false;
   }
   void *bytes = replay->raw.kernel->mmap(replay->raw.kernel, size, PROT_READ | PROT_WRITE, MAP_SHARED, replay->raw.fd,
                                          offset.offset);
   if (bytes == MAP_FAILED) {
      snprintf(replay->why, sizeof(replay->why), "mapping a buffer of %llu bytes: %s", (unsigned long long)size,
               strerror(errno));
      return false;
   }
   replay->buffers[index].bytes = bytes;
   return true;
}

static bool make_buffers(struct replay *replay)
{
   const struct saved_job *job = replay->job;
   replay->buffers = calloc(job->buffer_count ? job->buffer_count : 1, sizeof(*replay->buffers));
   if (replay->buffers == NULL) {
      return fail(replay, "out of memory");
   }
   for (size_t i = 0; i < job->buffer_count; i++) {
      if (!make_buffer(replay, i)) {
         return false;
      }
   }
   for (size_t i = 0; i < job->before_count; i++) {
      const struct saved_piece *piece = &job->before[i];
      memcpy(replay->buffers[piece->buffer].bytes + piece->offset, piece->bytes, piece->size);
   }
   return true;
}

static bool bind(struct replay *replay)
{
   const struct saved_job *job = replay->job;
   struct drm_asahi_gem_bind_op *ops = calloc(job->mapping_count ? job->mapping_count : 1, sizeof(*ops));
   if (ops == NULL) {
      return fail(replay, "out of memory");
   }
   for (size_t i = 0; i < job->mapping_count; i++) {
      const struct saved_mapping *mapping = &job->mappings[i];
      ops[i] = (struct drm_asahi_gem_bind_op){.flags = mapping->flags,
                                              .handle = replay->buffers[mapping->buffer].handle,
                                              .offset = mapping->offset,
                                              .range = mapping->range,
                                              .addr = mapping->address};
   }
   struct drm_asahi_vm_bind arguments = {.vm_id = replay->vm,
                                         .num_binds = (uint32_t)job->mapping_count,
                                         .stride = sizeof(*ops),
                                         .userptr = (uintptr_t)ops};
   const bool bound = job->mapping_count == 0 || request(replay, DRM_IOCTL_ASAHI_VM_BIND, &arguments, "VM_BIND");
   free(ops);
   return bound;
}

static bool prepare(struct replay *replay, const struct saved_job *job)
{
   struct drm_asahi_vm_create vm = {.kernel_start = job->queue.kernel_start, .kernel_end = job->queue.kernel_end};
   if (!check_size(replay) || !request(replay, DRM_IOCTL_ASAHI_VM_CREATE, &vm, "VM_CREATE")) {
      return false;
   }
   replay->vm = vm.vm_id;
   struct drm_asahi_queue_create queue = {
       .vm_id = vm.vm_id, .priority = job->queue.priority, .usc_exec_base = job->queue.usc_exec_base};
   struct drm_syncobj_create syncobj = {0};
   if (!make_buffers(replay) || !bind(replay) ||
       !request(replay, DRM_IOCTL_ASAHI_QUEUE_CREATE, &queue, "QUEUE_CREATE") ||
       !request(replay, DRM_IOCTL_SYNCOBJ_CREATE, &syncobj, "SYNCOBJ_CREATE")) {
      return false;
   }
   replay->queue = queue.queue_id;
   replay->syncobj = syncobj.handle;
   return true;
}

bool replay_open(struct replay *replay, const char *device, const struct saved_job *job)
{
   *replay = (struct replay){.job = job, .raw = {.fd = -1}};
   if (asahi_raw_open(device, &replay->raw, replay->why, sizeof(replay->why)) != 0) {
      replay->raw.fd = -1;
      return false;
   }
   return prepare(replay, job);
}

bool replay_open_on(struct replay *replay, struct asahi_device *device, const struct saved_job *job)
{
   *replay = (struct replay){.job = job, .raw = asahi_device_raw(device), .borrowed = true};
   return prepare(replay, job);
}

/* Binds the page that contains it for timestamps. */
static bool bind_stamp(struct replay *replay, const struct saved_stamp *stamp, struct drm_asahi_timestamp *to)
{
   if (stamp->buffer == SAVED_NO_BUFFER) {
      return true;
   }
   struct drm_asahi_gem_bind_object object = {.op = DRM_ASAHI_BIND_OBJECT_OP_BIND,
                                              .flags = DRM_ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS,
                                              .handle = replay->buffers[stamp->buffer].handle,
                                              .offset = stamp->offset & ~(PAGE - 1),
                                              .range = PAGE};
   if (!request(replay, DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, &object, "GEM_BIND_OBJECT")) {
      return false;
   }
   *to = (struct drm_asahi_timestamp){.handle = object.object_handle, .offset = (uint32_t)(stamp->offset & (PAGE - 1))};
   return true;
}

/* Reads the fence's error, 0 or a negative errno, into replay->error. */
static bool ask_fence(struct replay *replay)
{
   struct drm_syncobj_handle export = {
       .handle = replay->syncobj, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, .fd = -1};
   if (!request(replay, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export, "exporting the job's fence")) {
      return false;
   }
   struct sync_file_info info = {0};
   struct asahi_kernel *kernel = replay->raw.kernel;
   const bool asked = kernel->ioctl(kernel, export.fd, SYNC_IOC_FILE_INFO, &info) != -1;
   const int error = errno;
   kernel->close(kernel, export.fd);
   if (!asked) {
      snprintf(replay->why, sizeof(replay->why), "SYNC_IOC_FILE_INFO: %s", strerror(error));
      return false;
   }
   replay->error = info.status < 0 ? info.status : 0;
   struct vgpu_counters counters = {0};
   if (replay->raw.is_virtual && kernel->ioctl(kernel, replay->raw.fd, VGPU_IOCTL_COUNTERS, &counters) != -1) {
      replay->compiled = counters.compiled_instructions;
      if (replay->error != 0) {
         snprintf(replay->fault, sizeof(replay->fault), "%.*s", (int)sizeof(replay->fault) - 1, counters.last_fault);
         (void)kernel->ioctl(kernel, replay->raw.fd, VGPU_IOCTL_POSTMORTEM, &replay->postmortem);
      }
   }
   return true;
}

/* On a virtual device the limit counts work, as for any submission (drm/asahi.h). */
static bool wait_for_job(struct replay *replay, uint64_t timeout_ns)
{
   const int error = asahi_raw_wait(replay->raw.kernel, replay->raw.fd, replay->raw.is_virtual, &replay->syncobj, 1,
                                    timeout_ns, NULL);

   if (error != 0) {
      snprintf(replay->why, sizeof(replay->why), "waiting for the job: %s", strerror(-error));
   }
   return error == 0;
}

struct submission {
   uint8_t bytes[SAVED_COMMANDS_MAX * (sizeof(struct drm_asahi_cmd_header) + sizeof(struct drm_asahi_cmd_render))];
   uint32_t size;
};

/* Adds the command, whose timestamps are bound, to those of the submission. */
static bool add_command(struct replay *replay, const struct saved_either *from, struct submission *to)
{
   struct saved_either command = *from;
   const bool is_render = from->kind == SAVED_RENDER;
   struct drm_asahi_timestamps *first = is_render ? &command.render.ts_vtx : &command.compute.ts;
   const uint16_t size = is_render ? sizeof(command.render) : sizeof(command.compute);
   const struct drm_asahi_cmd_header header = {.cmd_type = is_render ? DRM_ASAHI_CMD_RENDER : DRM_ASAHI_CMD_COMPUTE,
                                               .size = size,
                                               .vdm_barrier = (uint16_t)from->barriers[0],
                                               .cdm_barrier = (uint16_t)from->barriers[1]};
   if (!bind_stamp(replay, &from->stamps[0], &first->start) || !bind_stamp(replay, &from->stamps[1], &first->end) ||
       (is_render && (!bind_stamp(replay, &from->stamps[2], &command.render.ts_frag.start) ||
                      !bind_stamp(replay, &from->stamps[3], &command.render.ts_frag.end)))) {
      return false;
   }
   memcpy(to->bytes + to->size, &header, sizeof(header));
   memcpy(to->bytes + to->size + sizeof(header), &command.render, size);
   to->size += (uint32_t)sizeof(header) + size;
   return true;
}

bool replay_submit(struct replay *replay, double seconds)
{
   struct submission commands = {.size = 0};
   const struct saved_job *job = replay->job;
   for (size_t i = 0; i < job->command_count; i++) {
      if (!add_command(replay, &job->commands[i], &commands)) {
         return false;
      }
   }
   struct drm_asahi_sync out = {.sync_type = DRM_ASAHI_SYNC_SYNCOBJ, .handle = replay->syncobj};
   struct drm_asahi_submit submit = {.syncs = (uintptr_t)&out,
                                     .cmdbuf = (uintptr_t)commands.bytes,
                                     .queue_id = replay->queue,
                                     .out_sync_count = 1,
                                     .cmdbuf_size = commands.size};
   const uint64_t timeout_ns = (uint64_t)(seconds * 1e9);
   uint64_t budget = asahi_work_of(timeout_ns);
   return (!replay->raw.is_virtual || request(replay, VGPU_IOCTL_WORK, &budget, "the virtual device's budget")) &&
          request(replay, DRM_IOCTL_ASAHI_SUBMIT, &submit, "SUBMIT") && wait_for_job(replay, timeout_ns) &&
          ask_fence(replay);
}

void replay_release(const struct replay *replay, size_t buffer, uint64_t offset, uint64_t size)
{
   if (replay->raw.is_virtual) {
      madvise(replay->buffers[buffer].bytes + offset, size, MADV_REMOVE); /* on failure the memory stays allocated */
   }
}

void replay_close(struct replay *replay)
{
   struct asahi_kernel *kernel = replay->raw.kernel;
   for (size_t i = 0; replay->buffers != NULL && i < replay->job->buffer_count; i++) {
      if (replay->buffers[i].bytes != NULL) {
         kernel->munmap(kernel, replay->buffers[i].bytes, replay->job->buffers[i].size);
      }
   }
   free(replay->buffers);
   if (replay->raw.fd >= 0 && !replay->borrowed) {
      kernel->close(kernel, replay->raw.fd);
   }
   *replay = (struct replay){.raw = {.fd = -1}};
}
