/* SPDX-License-Identifier: MIT
 *
 * The fake kernel's requests, one function each.
 */
#include "fake.h"

#include <errno.h>
#include <linux/sync_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "vgpu/vgpu.h"

#define PAGE ((uint64_t)DRM_ASAHI_PAGE_SIZE)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int complain(struct fake *fake, const char *what)
{
   if (fake->complaint[0] == 0) {
      snprintf(fake->complaint, sizeof(fake->complaint), "%s", what);
   }
   return -EINVAL;
}

/* GEM handles are indices + 1. */
static struct fake_object *find(struct fake *fake, uint32_t handle)
{
   if (handle == 0 || handle > FAKE_OBJECTS || !fake->objects[handle - 1].live) {
      complain(fake, "unknown GEM handle");
      return NULL;
   }
   return &fake->objects[handle - 1];
}

static int get_params(struct fake *fake, void *argument)
{
   struct drm_asahi_get_params *get = argument;
   if (get->param_group != 0 || get->pad != 0 || get->size != sizeof(fake->params)) {
      return complain(fake, "GET_PARAMS");
   }
   memcpy((void *)(uintptr_t)get->pointer, &fake->params, sizeof(fake->params));
   return 0;
}

static int vm_create(struct fake *fake, void *argument)
{
   struct drm_asahi_vm_create *create = argument;
   if (create->pad != 0 || create->kernel_start < fake->params.vm_start || create->kernel_end > fake->params.vm_end ||
       create->kernel_end < create->kernel_start + fake->params.vm_kernel_min_size ||
       (create->kernel_start | create->kernel_end) % PAGE != 0) {
      return complain(fake, "VM_CREATE");
   }
   create->vm_id = 1;
   fake->vms++;
   fake->vm = *create;
   return 0;
}

static int vm_destroy(struct fake *fake, void *argument)
{
   struct drm_asahi_vm_destroy *destroy = argument;
   if (destroy->vm_id != 1 || fake->vms != 1 || fake->queues != 0) {
      return complain(fake, "VM_DESTROY");
   }
   fake->vms--;
   return 0;
}

static int gem_create(struct fake *fake, void *argument)
{
   struct drm_asahi_gem_create *create = argument;
   bool private = (create->flags & DRM_ASAHI_GEM_VM_PRIVATE) != 0;
   if (create->pad != 0 || create->flags > 3 || create->size == 0 || create->vm_id != (private ? 1 : 0)) {
      return complain(fake, "GEM_CREATE");
   }
   for (uint32_t i = 0; i < FAKE_OBJECTS; i++) {
      struct fake_object *object = &fake->objects[i];
      if (!object->live) {
         uint64_t size = (create->size + PAGE - 1) & ~(PAGE - 1);
         uint8_t *memory = calloc(1, (size_t)size);
         if (memory == NULL) {
            return -ENOMEM;
         }
         *object = (struct fake_object){.live = true, .size = size, .flags = create->flags, .memory = memory};
         create->handle = i + 1;
         return 0;
      }
   }
   return complain(fake, "too many objects");
}

static int gem_close(struct fake *fake, void *argument)
{
   struct drm_gem_close *gem_close = argument;
   struct fake_object *object = find(fake, gem_close->handle);
   if (object == NULL) {
      return -EINVAL;
   }
   if (object->maps != 0) {
      complain(fake, "GEM_CLOSE of a mapped object");
   }
   free(object->memory);
   *object = (struct fake_object){0};
   return 0;
}

static int gem_mmap_offset(struct fake *fake, void *argument)
{
   struct drm_asahi_gem_mmap_offset *where = argument;
   if (find(fake, where->handle) == NULL || where->flags != 0) {
      return complain(fake, "GEM_MMAP_OFFSET");
   }
   where->offset = where->handle * UINT64_C(0x100000000);
   return 0;
}

static int vm_bind(struct fake *fake, void *argument)
{
   struct drm_asahi_vm_bind *bind = argument;
   struct drm_asahi_gem_bind_op *op = (void *)(uintptr_t)bind->userptr;
   if (bind->vm_id != 1 || bind->num_binds != 1 || bind->stride != sizeof(*op) || bind->pad != 0) {
      return complain(fake, "VM_BIND");
   }
   struct fake_object *object = find(fake, op->handle);
   if (object == NULL || (op->addr | op->range) % PAGE != 0 || op->range != object->size || op->offset != 0 ||
       op->flags != (DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE) || op->addr < UINT64_C(1) << 36 ||
       op->addr + op->range > fake->vm.kernel_start) {
      return complain(fake, "VM_BIND operation");
   }
   for (size_t i = 0; i < FAKE_OBJECTS; i++) {
      const struct fake_object *other = &fake->objects[i];
      bool apart = other->address + other->size + PAGE <= op->addr || op->addr + op->range + PAGE <= other->address;
      if (other->live && other->address != 0 && !apart) {
         return complain(fake, "VM_BIND without a guard page to its neighbour");
      }
   }
   object->address = op->addr;
   return 0;
}

static int bind_object(struct fake *fake, void *argument)
{
   struct drm_asahi_gem_bind_object *bind = argument;
   if (bind->op == DRM_ASAHI_BIND_OBJECT_OP_UNBIND) {
      if (fake->bound_objects != 1 || bind->object_handle != 1 || bind->flags != 0 || bind->handle != 0 ||
          bind->range != 0) {
         return complain(fake, "GEM_BIND_OBJECT, unbind");
      }
      fake->bound_objects--;
      return 0;
   }
   struct fake_object *object = find(fake, bind->handle);
   if (object == NULL || bind->pad != 0 || bind->vm_id != 0 || bind->flags != DRM_ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS ||
       (object->flags & DRM_ASAHI_GEM_VM_PRIVATE) != 0 || bind->offset != 0 || bind->range > object->size) {
      return complain(fake, "GEM_BIND_OBJECT");
   }
   bind->object_handle = 1;
   fake->bound_objects++;
   return 0;
}

static int queue_create(struct fake *fake, void *argument)
{
   struct drm_asahi_queue_create *create = argument;
   if (create->flags != 0 || create->vm_id != 1 || create->priority > 1 ||
       create->usc_exec_base % UINT64_C(0x100000000) != 0 || fake->queues == FAKE_QUEUES) {
      return complain(fake, "QUEUE_CREATE");
   }
   fake->priorities[fake->queues] = create->priority;
   create->queue_id = ++fake->queues;
   fake->queue = *create;
   return 0;
}

static int queue_destroy(struct fake *fake, void *argument)
{
   struct drm_asahi_queue_destroy *destroy = argument;
   if (destroy->queue_id == 0 || destroy->queue_id > FAKE_QUEUES || fake->queues == 0) {
      return complain(fake, "QUEUE_DESTROY");
   }
   fake->queues--;
   fake->queue_waits = fake->waits;
   return 0;
}

static int syncobj_create(struct fake *fake, void *argument)
{
   ((struct drm_syncobj_create *)argument)->handle = ++fake->syncobjs;
   return 0;
}

static int syncobj_destroy(struct fake *fake, void *argument)
{
   if (((struct drm_syncobj_destroy *)argument)->handle == 0 || fake->syncobjs == 0) {
      return complain(fake, "SYNCOBJ_DESTROY");
   }
   fake->syncobjs--;
   return 0;
}

static int syncobj_wait(struct fake *fake, void *argument)
{
   struct drm_syncobj_wait *wait = argument;
   const uint32_t *handles = (const uint32_t *)(uintptr_t)wait->handles;
   if (wait->count_handles == 0 || wait->count_handles > fake->syncobjs || fake->submits < wait->count_handles ||
       wait->flags != DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL) {
      return complain(fake, "SYNCOBJ_WAIT");
   }
   for (uint32_t i = 0; i < wait->count_handles; i++) {
      if (handles[i] != i + 1) {
         return complain(fake, "SYNCOBJ_WAIT's handles");
      }
   }
   fake->waited = wait->count_handles;
   fake->waits++;
   fake->wait_deadline = wait->timeout_nsec;
   return fake->busy ? -ETIME : 0;
}

static int syncobj_export(struct fake *fake, void *argument)
{
   struct drm_syncobj_handle *export = argument;
   if (export->handle == 0 || export->handle > fake->syncobjs ||
       export->flags != DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE) {
      return complain(fake, "SYNCOBJ_HANDLE_TO_FD");
   }
   export->fd = FAKE_SYNC_FILE;
   fake->sync_files++;
   return 0;
}

static int file_info(struct fake *fake, void *argument)
{
   struct sync_file_info *info = argument;
   if (info->flags != 0 || info->pad != 0 || info->num_fences != 0 || fake->sync_files != 1) {
      return complain(fake, "SYNC_IOC_FILE_INFO");
   }
   info->status = fake->fence_status;
   return 0;
}

static int get_time(struct fake *fake, void *argument)
{
   struct drm_asahi_get_time *get = argument;
   get->gpu_timestamp = fake->end_ns;
   return get->flags == 0 ? 0 : complain(fake, "GET_TIME");
}

static void write_timestamps(struct fake *fake)
{
   for (size_t i = 0; i < FAKE_OBJECTS; i++) {
      struct fake_object *object = &fake->objects[i];
      for (size_t k = 0; k < fake->commands; k++) {
         const uint64_t start = fake->start_ns + 1000 * k, end = fake->end_ns + 1000 * k;
         if (!fake->silent && object->live && (object->flags & DRM_ASAHI_GEM_VM_PRIVATE) == 0) {
            memcpy(object->memory + fake->computes[k].ts.start.offset, &start, 8);
            memcpy(object->memory + fake->computes[k].ts.end.offset, &end, 8);
         }
      }
   }
}

/* Command k is a compute command that starts after all before it. */
static const char *bad_command(struct fake *fake, uint32_t queue, size_t k)
{
   const struct drm_asahi_cmd_header *header = &fake->headers[k];
   const struct drm_asahi_cmd_compute *compute = &fake->computes[k];
   const uint16_t barrier = k == 0 && fake->queue_submits[queue - 1] == 0 ? 0xFFFF : (uint16_t)k;
   size_t left;
   uint64_t length = compute->cdm_ctrl_stream_end - compute->cdm_ctrl_stream_base;

   if (header->cmd_type != DRM_ASAHI_CMD_COMPUTE || header->size != 64 || header->vdm_barrier != 0xFFFF ||
       header->cdm_barrier != barrier || compute->flags != 0 || compute->ts.start.handle != 1 ||
       compute->ts.end.handle != 1 || compute->ts.end.offset + 8 > PAGE || compute->cdm_ctrl_stream_base % 256 != 0) {
      return "SUBMIT's command";
   }
   for (size_t i = 0; i < k; i++) {
      const struct drm_asahi_cmd_compute *other = &fake->computes[i];
      if (compute->ts.start.offset < other->ts.end.offset + 8 ||
          compute->cdm_ctrl_stream_base < other->cdm_ctrl_stream_end) {
         return "two commands share timestamps or streams";
      }
   }
   return fake_memory(fake, compute->cdm_ctrl_stream_base, &left) == NULL || left < length || length < 44
              ? "the stream is not in GPU memory"
              : NULL;
}

static int submit(struct fake *fake, void *argument)
{
   struct drm_asahi_submit *request = argument;
   const struct drm_asahi_sync *sync = (void *)(uintptr_t)request->syncs;
   const uint8_t *commands = (void *)(uintptr_t)request->cmdbuf;
   if (request->flags != 0 || request->pad != 0 || request->queue_id == 0 || request->queue_id > fake->queues ||
       request->in_sync_count != 0 || request->out_sync_count != 1 || request->cmdbuf_size == 0 ||
       request->cmdbuf_size > 64 * 72 || request->cmdbuf_size % 72 != 0 || sync->sync_type != DRM_ASAHI_SYNC_SYNCOBJ ||
       sync->handle == 0 || sync->handle > fake->syncobjs || sync->timeline_value != 0) {
      return complain(fake, "SUBMIT");
   }
   fake->commands = request->cmdbuf_size / 72;
   for (size_t k = 0; k < fake->commands; k++) {
      memcpy(&fake->headers[k], commands + 72 * k, 8);
      memcpy(&fake->computes[k], commands + 72 * k + 8, 64);
      const char *wrong = bad_command(fake, request->queue_id, k);
      if (wrong != NULL) {
         return complain(fake, wrong);
      }
   }
   fake->compute = fake->computes[fake->commands - 1];
   fake->submits++;
   fake->queue_submits[request->queue_id - 1]++;
   write_timestamps(fake);
   return 0;
}

static int counters(struct fake *fake, void *argument)
{
   *(struct vgpu_counters *)argument =
       (struct vgpu_counters){.clock_hz = 1234, .stuck = fake->busy, .last_fault = "unit, address"};
   return 0;
}

static int budget(struct fake *fake, void *argument)
{
   return *(const uint64_t *)argument > 0 ? 0 : complain(fake, "VGPU_IOCTL_WORK");
}

static const struct {
   unsigned long request;
   int fd;
   int (*answer)(struct fake *fake, void *argument);
} requests[] = {
    {DRM_IOCTL_ASAHI_GET_PARAMS, FAKE_FD, get_params},
    {DRM_IOCTL_ASAHI_GET_TIME, FAKE_FD, get_time},
    {DRM_IOCTL_ASAHI_VM_CREATE, FAKE_FD, vm_create},
    {DRM_IOCTL_ASAHI_VM_DESTROY, FAKE_FD, vm_destroy},
    {DRM_IOCTL_ASAHI_VM_BIND, FAKE_FD, vm_bind},
    {DRM_IOCTL_ASAHI_GEM_CREATE, FAKE_FD, gem_create},
    {DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, FAKE_FD, gem_mmap_offset},
    {DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, FAKE_FD, bind_object},
    {DRM_IOCTL_ASAHI_QUEUE_CREATE, FAKE_FD, queue_create},
    {DRM_IOCTL_ASAHI_QUEUE_DESTROY, FAKE_FD, queue_destroy},
    {DRM_IOCTL_ASAHI_SUBMIT, FAKE_FD, submit},
    {DRM_IOCTL_GEM_CLOSE, FAKE_FD, gem_close},
    {DRM_IOCTL_SYNCOBJ_CREATE, FAKE_FD, syncobj_create},
    {DRM_IOCTL_SYNCOBJ_DESTROY, FAKE_FD, syncobj_destroy},
    {DRM_IOCTL_SYNCOBJ_WAIT, FAKE_FD, syncobj_wait},
    {DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, FAKE_FD, syncobj_export},
    {SYNC_IOC_FILE_INFO, FAKE_SYNC_FILE, file_info},
    {VGPU_IOCTL_COUNTERS, FAKE_FD, counters},
    {VGPU_IOCTL_WORK, FAKE_FD, budget},
};

static bool must_fail(struct fake *fake)
{
   fake->calls++;
   if (!fake->open) {
      complain(fake, "a call after close");
   }
   return fake->calls == fake->fail_at;
}

/* What undoes something cannot fail in a way that leaves it undone: the books would be wrong. */
static bool undoes(unsigned long request, const void *argument)
{
   const struct drm_asahi_gem_bind_object *bind = argument;
   return request == DRM_IOCTL_GEM_CLOSE || request == DRM_IOCTL_ASAHI_VM_DESTROY ||
          request == DRM_IOCTL_ASAHI_QUEUE_DESTROY || request == DRM_IOCTL_SYNCOBJ_DESTROY ||
          (request == DRM_IOCTL_ASAHI_GEM_BIND_OBJECT && bind->op == DRM_ASAHI_BIND_OBJECT_OP_UNBIND);
}

static int fake_ioctl(struct asahi_kernel *kernel, int fd, unsigned long request, void *argument)
{
   struct fake *fake = (struct fake *)kernel;
   if (request == VGPU_IOCTL_RANGE) { /* a device that does not check bounds: the client asks, and goes on */
      errno = ENOTTY;
      return -1;
   }
   if (!undoes(request, argument) && must_fail(fake)) {
      errno = fake->fail_with;
      return -1;
   }
   for (size_t i = 0; i < COUNT(requests); i++) {
      if (requests[i].request == request && requests[i].fd == fd) {
         int error = requests[i].answer(fake, argument);
         errno = -error;
         return error == 0 ? 0 : -1;
      }
   }
   complain(fake, "unknown request");
   errno = ENOTTY;
   return -1;
}

static void *fake_mmap(struct asahi_kernel *kernel, size_t length, int protection, int flags, int fd, uint64_t offset)
{
   struct fake *fake = (struct fake *)kernel;
   if (must_fail(fake)) {
      errno = fake->fail_with;
      return MAP_FAILED;
   }
   struct fake_object *object = find(fake, (uint32_t)(offset >> 32));
   if (object == NULL || fd != FAKE_FD || length != object->size || flags != MAP_SHARED ||
       protection != (PROT_READ | PROT_WRITE)) {
      complain(fake, "mmap");
      errno = EINVAL;
      return MAP_FAILED;
   }
   object->maps++;
   return object->memory;
}

static int fake_munmap(struct asahi_kernel *kernel, void *address, size_t length)
{
   struct fake *fake = (struct fake *)kernel;
   for (size_t i = 0; i < FAKE_OBJECTS; i++) {
      struct fake_object *object = &fake->objects[i];
      if (object->live && object->memory == address && object->size == length && object->maps == 1) {
         object->maps = 0;
         return 0;
      }
   }
   complain(fake, "munmap");
   errno = EINVAL;
   return -1;
}

static int fake_close(struct asahi_kernel *kernel, int fd)
{
   struct fake *fake = (struct fake *)kernel;
   if (fd == FAKE_SYNC_FILE && fake->sync_files == 1) {
      fake->sync_files--;
   } else if (fd == FAKE_FD && fake->open) {
      fake->open = false;
   } else {
      complain(fake, "close");
   }
   return 0;
}

void fake_init(struct fake *fake)
{
   *fake = (struct fake){
       .base = {.ioctl = fake_ioctl, .mmap = fake_mmap, .munmap = fake_munmap, .close = fake_close},
       .params = {.features = DRM_ASAHI_FEATURE_SOFT_FAULTS,
                  .gpu_generation = 13,
                  .gpu_variant = 'G',
                  .gpu_revision = 0x11,
                  .chip_id = 0x8103,
                  .num_dies = 1,
                  .num_clusters_total = 1,
                  .num_cores_per_cluster = 8,
                  .max_frequency_khz = 1000000,
                  .core_masks = {0xFF},
                  .vm_start = 0x4000,
                  .vm_end = 0x7FFFFF8000,
                  .vm_kernel_min_size = 0x20000000,
                  .max_commands_per_submission = 64,
                  .max_attachments = 16,
                  .command_timestamp_frequency_hz = 1000000000},
       .open = true,
       .fence_status = 1,
       .start_ns = 5000,
       .end_ns = 7500,
   };
}

const char *fake_end(struct fake *fake)
{
   const char *wrong = NULL;
   for (size_t i = 0; i < FAKE_OBJECTS; i++) {
      if (fake->objects[i].live) {
         wrong = "a buffer object is left";
         free(fake->objects[i].memory);
      }
   }
   wrong = fake->vms != 0 ? "the VM is left" : wrong;
   wrong = fake->queues != 0 ? "the queue is left" : wrong;
   wrong = fake->syncobjs != 0 ? "the syncobj is left" : wrong;
   wrong = fake->bound_objects != 0 ? "the timestamp object is left" : wrong;
   wrong = fake->sync_files != 0 ? "a sync_file is left" : wrong;
   wrong = fake->open ? "the device file is left open" : wrong;
   return fake->complaint[0] != 0 ? fake->complaint : wrong;
}

uint8_t *fake_memory(struct fake *fake, uint64_t address, size_t *left)
{
   for (size_t i = 0; i < FAKE_OBJECTS; i++) {
      struct fake_object *object = &fake->objects[i];
      if (object->live && object->address != 0 && address >= object->address &&
          address - object->address < object->size) {
         *left = (size_t)(object->size - (address - object->address));
         return object->memory + (address - object->address);
      }
   }
   return NULL;
}
