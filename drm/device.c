/* SPDX-License-Identifier: MIT
 *
 * An open device: its identity, its address space, its main queue, and everything that each submission needs.
 */
#include "drm/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drm/operating_points.h"
#include "vgpu/vgpu.h"
#include "util/array.h"

/* Mesa's layout of the address space (agx_device.c; spec/uapi.md section 2). The low 2^36 bytes stay unmapped, so that
 * a null pointer plus a 32-bit index with the largest shift of a load accesses nothing. The block at 2^36 stays empty,
 * because Mesa's precompiled kernels expect the printf buffer there. Then follow the 4 GiB window of shaders and USC
 * words, the client's other buffers, the user's buffers, and the kernel's own range at the top. So a shader that leaves
 * the user's buffers reaches no memory of the client. */
#define WINDOW_START UINT64_C(0x1100000000)
#define WINDOW_SIZE UINT64_C(0x100000000)
#define OWN_SIZE (UINT64_C(16) << 30)
#define KERNEL_SIZE (UINT64_C(32) << 30)
/* The kernel's clock controller filters the load with time constants of 40 ms and 400 ms (spec/hardware-audit.md, 1):
 * after this time under load, both have settled. */
#define SETTLE_NS UINT64_C(1000000000)
/* Destroying a queue with a job in flight makes the kernel recover the GPU, which costs other clients their jobs. So
 * closing waits this long, which is less than the time that a process has to end (process/child/child.c). */
#define CLOSE_NS UINT64_C(5000000000)
#define COUNTER_HZ 24e6 /* spec/uapi.md 1.3: the reference clock of all eight chips */
/* Mesa does without this minimum of the user heap; with less, the layout makes no sense. */
#define USER_SIZE_MIN (UINT64_C(1) << 30)

int asahi_ioctl(struct asahi_device *device, unsigned long request, void *argument)
{
   return device->kernel->ioctl(device->kernel, device->fd, request, argument) == -1 ? -errno : 0;
}

void asahi_tell_range(struct asahi_device *device, uint32_t kind, uint64_t address, uint64_t bytes, const char *name)
{
   struct vgpu_range_request range = {.vm_id = device->vm_id, .kind = kind, .address = address, .bytes = bytes};
   const bool group = kind == VGPU_RANGE_THREADGROUP;
   if (!device->info.is_virtual || (group && !device->tells_groups)) {
      return;
   }
   snprintf(range.name, sizeof(range.name), "%s", name != NULL ? name : "");
   if (asahi_ioctl(device, VGPU_IOCTL_RANGE, &range) == -ENOTTY && group) {
      device->tells_groups = false;
   }
}

static int get_params(struct asahi_device *device)
{
   struct drm_asahi_get_params get = {
       .pointer = (uintptr_t)&device->params,
       .size = sizeof(device->params),
   };
   int error = asahi_ioctl(device, DRM_IOCTL_ASAHI_GET_PARAMS, &get);
   if (error == -EINVAL || error == -ENOTTY) {
      return asahi_fail(device, ENOTSUP,
                        "GET_PARAMS: %s: this kernel's asahi driver does not speak the upstream uAPI "
                        "(include/uapi/drm/asahi_drm.h): update the kernel, to one that Mesa later than 25.0 works on",
                        asahi_errno_name(-error));
   }
   if (error != 0) {
      return asahi_fail_errno(device, -error, "GET_PARAMS");
   }
   return asahi_info_fill(&device->params, &device->info, device->error, sizeof(device->error));
}

int asahi_device_identify(struct asahi_kernel *kernel, int fd, struct asahi_device_info *info, char *why,
                          size_t why_size)
{
   struct asahi_device device = {.kernel = kernel, .fd = fd};
   int error = get_params(&device);
   *info = device.info;
   if (error != 0) {
      snprintf(why, why_size, "%s", device.error);
   }
   return error;
}

static int create_vm(struct asahi_device *device)
{
   const struct drm_asahi_params_global *params = &device->params;
   uint64_t kernel_size = params->vm_kernel_min_size > KERNEL_SIZE ? params->vm_kernel_min_size : KERNEL_SIZE;
   uint64_t own_start = WINDOW_START + WINDOW_SIZE, user_start = own_start + OWN_SIZE;

   if (params->vm_start > WINDOW_START || params->vm_end < kernel_size ||
       params->vm_end - kernel_size < user_start + USER_SIZE_MIN) {
      return asahi_fail(device, ENOTSUP,
                        "the GPU's address space, 0x%llx to 0x%llx with 0x%llx for the kernel, has "
                        "no room for this client's layout",
                        (unsigned long long)params->vm_start, (unsigned long long)params->vm_end,
                        (unsigned long long)kernel_size);
   }
   struct drm_asahi_vm_create create = {
       .kernel_start = params->vm_end - kernel_size,
       .kernel_end = params->vm_end,
   };
   int error = asahi_ioctl(device, DRM_IOCTL_ASAHI_VM_CREATE, &create);
   if (error != 0) {
      return asahi_fail_errno(device, -error, "VM_CREATE");
   }
   device->vm_id = create.vm_id;
   device->usc_base = WINDOW_START;

   /* The window's first page stays empty, so that USC offset 0 faults. */
   error = asahi_va_init(&device->usc_heap, WINDOW_START + DRM_ASAHI_PAGE_SIZE, own_start);
   if (error == 0) {
      error = asahi_va_init(&device->own_heap, own_start, user_start);
   }
   if (error == 0) {
      error = asahi_va_init(&device->user_heap, user_start, create.kernel_start);
   }
   return error == 0 ? 0 : asahi_fail(device, -error, "out of memory for the address space");
}

static int create_queue(struct asahi_device *device)
{
   const int error = asahi_queue_ensure(device, ASAHI_QUEUE_MAIN);

   return error != 0 ? error : asahi_syncobjs_ensure(device, 1);
}

static int create_timestamps(struct asahi_device *device)
{
   int error =
       asahi_buffer_allocate(device, DRM_ASAHI_PAGE_SIZE, DRM_ASAHI_PAGE_SIZE,
                             ASAHI_BUFFER_OBJECT | ASAHI_BUFFER_CACHED, "the timestamp buffer", &device->timestamps);
   if (error != 0) {
      return error;
   }
   struct drm_asahi_gem_bind_object bind = {
       .op = DRM_ASAHI_BIND_OBJECT_OP_BIND,
       .flags = DRM_ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS,
       .handle = device->timestamps->handle,
       .range = device->timestamps->size,
   };
   error = asahi_ioctl(device, DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, &bind);
   if (error != 0) {
      return asahi_fail_errno(device, -error, "GEM_BIND_OBJECT of the timestamp buffer");
   }
   device->timestamp_object = bind.object_handle;
   return 0;
}

static int learn_model_clock(struct asahi_device *device)
{
   struct vgpu_counters counters;
   int error = asahi_device_counters(device, &counters);
   if (error == 0) {
      device->info.clock_hz = counters.clock_hz;
      device->info.settle_ns = counters.settle_ns;
      device->info.timestamp_step_ns = counters.timestamp_hz != 0 ? 1e9 / (double)counters.timestamp_hz : 1;
      for (size_t i = 0; i < VGPU_OPERATING_POINTS_MAX && counters.operating_points[i] != 0; i++) {
         device->info.operating_points[device->info.operating_point_count++] = counters.operating_points[i];
      }
      memcpy(device->info.disturbance, counters.disturbance, sizeof(device->info.disturbance));
   }
   return error;
}

static int start(struct asahi_device *device)
{
   int (*const steps[])(struct asahi_device *) = {get_params, create_vm, create_queue, create_timestamps};
   for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
      int error = steps[i](device);
      if (error != 0) {
         return error;
      }
   }
   device->usc_words.flags = ASAHI_BUFFER_WINDOW;
   device->info.settle_ns = SETTLE_NS;
   device->info.timestamp_step_ns = 1e9 / COUNTER_HZ;
   if (device->info.is_virtual) {
      return learn_model_clock(device);
   }
   device->info.operating_point_count = (uint32_t)asahi_operating_points(NULL, device->info.operating_points);
   return 0;
}

int asahi_device_start(struct asahi_kernel *kernel, int fd, const char *path, bool is_virtual,
                       struct asahi_device **out, char *why, size_t why_size)
{
   *out = NULL;
   struct asahi_device *device = calloc(1, sizeof(*device));
   if (device == NULL) {
      snprintf(why, why_size, "out of memory");
      kernel->close(kernel, fd);
      return -ENOMEM;
   }
   device->kernel = kernel;
   device->fd = fd;
   device->info.is_virtual = is_virtual;
   device->tells_groups = is_virtual;
   snprintf(device->info.path, sizeof(device->info.path), "%s", path);

   int error = start(device);
   if (error != 0) {
      snprintf(why, why_size, "%s: %s", path, device->error);
      asahi_device_close(device);
      return error;
   }
   *out = device;
   return 0;
}

/* Closing the device file undoes what fails here, so failures are not reported. */
void asahi_device_close(struct asahi_device *device)
{
   if (device == NULL) {
      return;
   }
   /* A virtual GPU has no other clients. */
   if (!device->info.is_virtual) {
      (void)asahi_job_wait(device, CLOSE_NS);
   }
   asahi_queues_destroy(device);
   if (device->timestamp_object != 0) {
      struct drm_asahi_gem_bind_object unbind = {
          .op = DRM_ASAHI_BIND_OBJECT_OP_UNBIND,
          .object_handle = device->timestamp_object,
      };
      asahi_ioctl(device, DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, &unbind);
   }
   asahi_program_destroy(device, device->helper);
   asahi_buffer_destroy(device, device->scratch);
   asahi_buffer_destroy(device, device->usc_words.buffer);
   asahi_buffer_destroy(device, device->data.buffer);
   asahi_buffer_destroy(device, device->timestamps);
   asahi_buffer_bury(device);
   asahi_syncobjs_destroy(device);
   if (device->vm_id != 0) {
      struct drm_asahi_vm_destroy destroy = {.vm_id = device->vm_id};
      asahi_ioctl(device, DRM_IOCTL_ASAHI_VM_DESTROY, &destroy);
   }
   asahi_va_finish(&device->usc_heap);
   asahi_va_finish(&device->own_heap);
   asahi_va_finish(&device->user_heap);
   device->kernel->close(device->kernel, device->fd);
   free(device);
}

const struct asahi_device_info *asahi_device_get_info(const struct asahi_device *device)
{
   return &device->info;
}

const char *asahi_device_error(const struct asahi_device *device)
{
   return device->error;
}

int asahi_device_time(struct asahi_device *device, uint64_t *nanoseconds)
{
   struct drm_asahi_get_time get = {0};
   int error = asahi_ioctl(device, DRM_IOCTL_ASAHI_GET_TIME, &get);
   if (error != 0) {
      return asahi_fail_errno(device, -error, "GET_TIME");
   }
   *nanoseconds = get.gpu_timestamp;
   return 0;
}

int asahi_device_counters(struct asahi_device *device, struct vgpu_counters *counters)
{
   if (!device->info.is_virtual) {
      return asahi_fail(device, ENOTTY, "only virtual devices count what they execute");
   }
   int error = asahi_ioctl(device, VGPU_IOCTL_COUNTERS, counters);
   return error == 0 ? 0 : asahi_fail_errno(device, -error, "the virtual device's counters");
}

int asahi_device_set_load(struct asahi_device *device, uint32_t load)
{
   int error = device->info.is_virtual ? asahi_ioctl(device, VGPU_IOCTL_LOAD, &load) : 0;
   return error == 0 ? 0 : asahi_fail_errno(device, -error, "the virtual device's load");
}

int asahi_device_check(struct asahi_device *device, uint32_t index, struct vgpu_check_report *report)
{
   *report = (struct vgpu_check_report){.index = index};
   if (!device->info.is_virtual) {
      return asahi_fail(device, ENOTTY, "only virtual devices check what they execute");
   }
   int error = asahi_ioctl(device, VGPU_IOCTL_CHECK, report);
   return error == 0 ? 0 : asahi_fail_errno(device, -error, "the virtual device's checks");
}

void asahi_device_interrupt(struct asahi_device *device, bool (*requested)(void *data), void *data)
{
   device->interrupt = (struct asahi_interrupt){requested, data};
}

int asahi_device_postmortem(struct asahi_device *device, struct vgpu_postmortem *postmortem)
{
   *postmortem = (struct vgpu_postmortem){.fault = VGPU_FAULT_NONE};
   if (!device->info.is_virtual) {
      return asahi_fail(device, ENOTTY, "only virtual devices know where a job stood");
   }
   int error = asahi_ioctl(device, VGPU_IOCTL_POSTMORTEM, postmortem);
   return error == 0 ? 0 : asahi_fail_errno(device, -error, "the virtual device's post-mortem");
}

struct asahi_raw asahi_device_raw(const struct asahi_device *device)
{
   return (struct asahi_raw){.kernel = device->kernel, .fd = device->fd, .is_virtual = device->info.is_virtual};
}

int asahi_device_profile(struct asahi_device *device, uint32_t index, struct vgpu_profile_request *request)
{
   *request = (struct vgpu_profile_request){.index = index};
   if (!device->info.is_virtual) {
      return asahi_fail(device, ENOTTY, "only virtual devices have a profile");
   }
   int error = asahi_ioctl(device, VGPU_IOCTL_PROFILE, request);
   return error == 0 ? 0 : asahi_fail_errno(device, -error, "the virtual device's profile");
}

int asahi_device_plan_profile(struct asahi_device *device, const struct vgpu_profile_plan *plan)
{
   struct vgpu_profile_plan_request request = {.plan = plan};
   if (!device->info.is_virtual) {
      return asahi_fail(device, ENOTTY, "only virtual devices have a profile");
   }
   int error = asahi_ioctl(device, VGPU_IOCTL_PROFILE_PLAN, &request);
   return error == 0 ? 0 : asahi_fail_errno(device, -error, "the plan of the virtual device's profile");
}

int asahi_device_trace(struct asahi_device *device, uint32_t index, struct vgpu_trace_request *request)
{
   *request = (struct vgpu_trace_request){.index = index};
   if (!device->info.is_virtual) {
      return asahi_fail(device, ENOTTY, "only virtual devices have a trace");
   }
   int error = asahi_ioctl(device, VGPU_IOCTL_TRACE, request);
   return error == 0 ? 0 : asahi_fail_errno(device, -error, "the virtual device's trace");
}

int asahi_device_set_budget(struct asahi_device *device, uint64_t instructions)
{
   if (!device->info.is_virtual) {
      return asahi_fail(device, ENOTTY, "only virtual devices have a budget of instructions");
   }
   device->budget = instructions;
   return 0;
}

int asahi_device_set_scope(struct asahi_device *device, const char *scope)
{
   struct vgpu_scope argument = {""};
   if (!device->info.is_virtual) {
      return asahi_fail(device, ENOTTY, "only virtual devices have a scope");
   }
   snprintf(argument.name, sizeof(argument.name), "%s", scope);
   int error = asahi_ioctl(device, VGPU_IOCTL_SCOPE, &argument);
   return error == 0 ? 0 : asahi_fail_errno(device, -error, "the virtual device's scope");
}
