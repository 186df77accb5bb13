/* SPDX-License-Identifier: MIT
 *
 * The requests of the unstable uAPI but SUBMIT. Each handler makes upstream's struct of what it is given and lets
 * upstream's handler check and do it, so that both fronts refuse the same.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/driver/queue.h"
#include "vgpu/driver/unstable/abi.h"
#include "vgpu/driver/unstable/unstable.h"
#include "util/array.h"

/* A number without an upper limit of ours. */
#define MANY 64u

static int get_params(struct vgpu_file *file, void *data)
{
   struct unstable_get_params *args = data;
   struct vgpu_device *device = file->device;
   const struct vgpu_chip *chip = device->chip;
   if (args->extensions || args->param_group || args->pad) {
      return -EINVAL;
   }
   if (device->dead) {
      return -ENODEV;
   }
   struct unstable_params params = {
       .version = UNSTABLE_VERSION,
       .features = (device->options.strict ? 0 : UNSTABLE_FEATURE_SOFT_FAULTS) | UNSTABLE_FEATURE_GET_TIME |
                   UNSTABLE_FEATURE_TIMESTAMPS,
       .gpu_generation = chip->generation,
       .gpu_variant = (uint32_t)chip->variant,
       .gpu_revision = chip->revision,
       .chip_id = chip->chip_id,
       .num_dies = chip->dies,
       .num_clusters_total = chip->clusters,
       .num_cores_per_cluster = chip->cores_per_cluster,
       .num_frags_per_cluster = chip->cores_per_cluster,
       .num_gps_per_cluster = 1,
       .vm_page_size = DRM_ASAHI_PAGE_SIZE,
       .vm_user_start = VGPU_VM_START,
       .vm_user_end = VGPU_VM_END,
       .vm_kernel_min_size = VGPU_VM_KERNEL_MIN_SIZE,
       .max_syncs_per_submission = MANY,
       .max_commands_per_submission = VGPU_MAX_COMMANDS,
       .max_commands_in_flight = MANY,
       .max_attachments = VGPU_MAX_ATTACHMENTS,
       .timer_frequency_hz = UNSTABLE_TIMER_HZ,
       .max_frequency_khz = (uint32_t)(chip->clock_hz / 1000),
       .user_timestamp_frequency_hz = UINT64_C(1000000000),
   };
   for (uint32_t i = 0; i < UNSTABLE_MAX_CLUSTERS; i++) {
      params.core_masks[i] = vgpu_chip_core_mask(chip, i);
      params.num_cores_total_active += (uint32_t)__builtin_popcountll(params.core_masks[i]);
   }
   args->size = args->size < sizeof(params) ? args->size : sizeof(params);
   return vgpu_copy_out(device, args->pointer, &params, args->size);
}

static int get_time(struct vgpu_file *file, void *data)
{
   struct unstable_get_time *args = data;
   if (args->extensions || args->flags) {
      return -EINVAL;
   }
   args->gpu_timestamp = vgpu_device_clock(file->device) * 3 / 125; /* 24 MHz of 1 GHz */
   return 0;
}

static int vm_create(struct vgpu_file *file, void *data)
{
   struct unstable_vm_create *args = data;
   struct drm_asahi_vm_create create = {.kernel_start = args->kernel_start, .kernel_end = args->kernel_end};
   if (args->extensions || args->pad) {
      return -EINVAL;
   }
   int error = vgpu_ioctl_vm_create(file, &create);
   args->vm_id = create.vm_id;
   return error;
}

static int vm_destroy(struct vgpu_file *file, void *data)
{
   const struct unstable_destroy *args = data;
   struct drm_asahi_vm_destroy destroy = {.vm_id = args->id};
   return args->extensions || args->pad ? -EINVAL : vgpu_ioctl_vm_destroy(file, &destroy);
}

static int gem_create(struct vgpu_file *file, void *data)
{
   struct unstable_gem_create *args = data;
   struct drm_asahi_gem_create create = {.size = args->size, .flags = args->flags, .vm_id = args->vm_id};
   if (args->extensions || args->pad) {
      return -EINVAL;
   }
   int error = vgpu_ioctl_gem_create(file, &create);
   args->handle = create.handle;
   return error;
}

static int gem_mmap_offset(struct vgpu_file *file, void *data)
{
   struct unstable_gem_mmap_offset *args = data;
   struct drm_asahi_gem_mmap_offset offset = {.handle = args->handle, .flags = args->flags};
   if (args->extensions) {
      return -EINVAL;
   }
   int error = vgpu_ioctl_gem_mmap_offset(file, &offset);
   args->offset = offset.offset;
   return error;
}

static int unbind_all(struct vgpu_file *file, const struct unstable_gem_bind *args)
{
   struct vgpu_vm *vm = vgpu_ids_get(&file->vms, args->vm_id);
   const struct vgpu_bo *bo = vgpu_ids_get(&file->bos, args->handle);
   if (args->flags || args->offset || args->range || args->addr) {
      return -EINVAL;
   }
   if (!vm || !bo) {
      return -ENOENT;
   }
   vgpu_vm_unbind_bo(vm, bo);
   return 0;
}

/* Upstream's takes an array, and names nothing to unbind but a range. */
static int gem_bind(struct vgpu_file *file, void *data)
{
   const struct unstable_gem_bind *args = data;
   struct drm_asahi_gem_bind_op op = {.range = args->range, .addr = args->addr};
   struct drm_asahi_vm_bind bind = {
       .vm_id = args->vm_id, .num_binds = 1, .stride = sizeof(op), .userptr = (uintptr_t)&op};
   if (args->extensions || args->op > UNSTABLE_OP_UNBIND_ALL ||
       args->flags & ~(UNSTABLE_BIND_READ | UNSTABLE_BIND_WRITE)) {
      return -EINVAL;
   }
   if (args->op == UNSTABLE_OP_UNBIND_ALL) {
      return unbind_all(file, args);
   }
   if (args->op == UNSTABLE_OP_UNBIND) {
      op.flags = DRM_ASAHI_BIND_UNBIND;
   } else {
      op.flags = (args->flags & UNSTABLE_BIND_READ ? DRM_ASAHI_BIND_READ : 0) |
                 (args->flags & UNSTABLE_BIND_WRITE ? DRM_ASAHI_BIND_WRITE : 0);
      op.handle = args->handle;
      op.offset = args->offset;
   }
   return vgpu_ioctl_vm_bind(file, &bind);
}

static int gem_bind_object(struct vgpu_file *file, void *data)
{
   struct unstable_gem_bind_object *args = data;
   struct drm_asahi_gem_bind_object bind = {.op = args->op,
                                            .flags = args->flags,
                                            .handle = args->handle,
                                            .vm_id = args->vm_id,
                                            .offset = args->offset,
                                            .range = args->range,
                                            .object_handle = args->object_handle,
                                            .pad = args->pad};
   if (args->extensions) {
      return -EINVAL;
   }
   int error = vgpu_ioctl_gem_bind_object(file, &bind);
   args->object_handle = bind.object_handle;
   return error;
}

/* The window of programs comes with each command: vgpu_unstable_submit(). */
static int queue_create(struct vgpu_file *file, void *data)
{
   struct unstable_queue_create *args = data;
   const uint32_t known = 1u << UNSTABLE_CMD_RENDER | 1u << UNSTABLE_CMD_BLIT | 1u << UNSTABLE_CMD_COMPUTE;
   struct drm_asahi_queue_create create = {
       .flags = args->flags,
       .vm_id = args->vm_id,
       /* Both front ends count from low to realtime, of which upstream grants the lower two. */
       .priority = args->priority > DRM_ASAHI_PRIORITY_MEDIUM ? DRM_ASAHI_PRIORITY_MEDIUM : args->priority,
   };
   if (args->extensions || args->pad || !args->capabilities || args->capabilities & ~known || args->priority > 3) {
      return -EINVAL;
   }
   bool strict = file->device->options.strict;
   file->device->options.strict = false; /* of upstream's checks: that of the window, which is not known yet */
   int error = vgpu_ioctl_queue_create(file, &create);
   file->device->options.strict = strict;
   args->queue_id = create.queue_id;
   return error;
}

static int queue_destroy(struct vgpu_file *file, void *data)
{
   const struct unstable_destroy *args = data;
   struct drm_asahi_queue_destroy destroy = {.queue_id = args->id};
   return args->extensions || args->pad ? -EINVAL : vgpu_ioctl_queue_destroy(file, &destroy);
}

static const struct vgpu_ioctl_row rows[] = {
    {UNSTABLE_GET_PARAMS, get_params, DRM_IOCTL_ASAHI_GET_PARAMS},
    {UNSTABLE_VM_CREATE, vm_create, DRM_IOCTL_ASAHI_VM_CREATE},
    {UNSTABLE_VM_DESTROY, vm_destroy, DRM_IOCTL_ASAHI_VM_DESTROY},
    {UNSTABLE_GEM_CREATE, gem_create, DRM_IOCTL_ASAHI_GEM_CREATE},
    {UNSTABLE_GEM_MMAP_OFFSET, gem_mmap_offset, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET},
    {UNSTABLE_GEM_BIND, gem_bind, DRM_IOCTL_ASAHI_VM_BIND},
    {UNSTABLE_QUEUE_CREATE, queue_create, DRM_IOCTL_ASAHI_QUEUE_CREATE},
    {UNSTABLE_QUEUE_DESTROY, queue_destroy, DRM_IOCTL_ASAHI_QUEUE_DESTROY},
    {UNSTABLE_SUBMIT, vgpu_unstable_submit, DRM_IOCTL_ASAHI_SUBMIT},
    {UNSTABLE_GET_TIME, get_time, DRM_IOCTL_ASAHI_GET_TIME},
    {UNSTABLE_GEM_BIND_OBJECT, gem_bind_object, DRM_IOCTL_ASAHI_GEM_BIND_OBJECT},
};

bool vgpu_unstable_begins(unsigned long request)
{
   return request == UNSTABLE_GET_PARAMS;
}

bool vgpu_unstable_is_driver_request(unsigned long request)
{
   return _IOC_TYPE(request) == DRM_IOCTL_BASE && _IOC_NR(request) >= DRM_COMMAND_BASE &&
          _IOC_NR(request) < DRM_COMMAND_END;
}

int vgpu_unstable_ioctl(struct asahi_kernel *kernel, int fd, unsigned long request, void *argument)
{
   struct vgpu_device *device = (struct vgpu_device *)kernel;
   struct vgpu_fd found;
   if (!vgpu_unstable_is_driver_request(request)) {
      return kernel->ioctl(kernel, fd, request, argument);
   }
   pthread_mutex_lock(&device->lock);
   int error = vgpu_fd_get(device, fd, VGPU_FD_FILE, &found);
   if (!error) {
      found.file->users++;
      error = vgpu_file_ioctl_rows(found.file, rows, ARRAY_COUNT(rows), request, (uintptr_t)argument);
      found.file->users--;
      if (found.file->closing) {
         pthread_cond_broadcast(&device->changed);
      }
   }
   pthread_mutex_unlock(&device->lock);
   if (error) {
      errno = -error;
      return -1;
   }
   return 0;
}
