/* SPDX-License-Identifier: MIT
 *
 * The device that a subtest gets, and the requests that most of them need.
 */
#include <linux/sync_file.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "util/clock.h"

#include "uapi/test.h"

#define NS_PER_S INT64_C(1000000000)

int uapi_fd_ioctl(struct uapi *u, int fd, unsigned long request, void *argument)
{
   if (request == DRM_IOCTL_ASAHI_SUBMIT && u->watch) {
      u->watch->before_submit(u->watch->data);
   }
   return u->raw.kernel->ioctl(u->raw.kernel, fd, request, argument) ? errno : 0;
}

int uapi_ioctl(struct uapi *u, unsigned long request, void *argument)
{
   return uapi_fd_ioctl(u, u->raw.fd, request, argument);
}

static bool need(struct uapi *u, unsigned long request, void *argument, const char *what)
{
   return uapi_expect(u, uapi_ioctl(u, request, argument), OK, "%s", what);
}

uint32_t uapi_vm(struct uapi *u)
{
   struct drm_asahi_vm_create args = {.kernel_start = u->kernel_start, .kernel_end = u->kernel_end};
   return need(u, DRM_IOCTL_ASAHI_VM_CREATE, &args, "VM_CREATE") ? args.vm_id : 0;
}

int uapi_vm_destroy(struct uapi *u, uint32_t vm)
{
   struct drm_asahi_vm_destroy args = {.vm_id = vm};
   return uapi_ioctl(u, DRM_IOCTL_ASAHI_VM_DESTROY, &args);
}

uint32_t uapi_bo(struct uapi *u, uint64_t size, uint32_t flags, uint32_t vm)
{
   struct drm_asahi_gem_create args = {.size = size, .flags = flags, .vm_id = vm};
   return need(u, DRM_IOCTL_ASAHI_GEM_CREATE, &args, "GEM_CREATE") ? args.handle : 0;
}

int uapi_bo_close(struct uapi *u, uint32_t bo)
{
   struct drm_gem_close args = {.handle = bo};
   return uapi_ioctl(u, DRM_IOCTL_GEM_CLOSE, &args);
}

int uapi_mmap(struct uapi *u, int fd, uint64_t offset, size_t size, int flags, void **out)
{
   for (size_t i = 0; i < UAPI_MAPS; i++) {
      if (u->maps[i].address) {
         continue;
      }
      void *address = u->raw.kernel->mmap(u->raw.kernel, size, PROT_READ | PROT_WRITE, flags, fd, offset);
      if (address == MAP_FAILED) {
         return errno;
      }
      u->maps[i].address = *out = address;
      u->maps[i].size = size;
      return 0;
   }
   return ENOMEM;
}

void *uapi_map(struct uapi *u, uint32_t bo, size_t size)
{
   struct drm_asahi_gem_mmap_offset args = {.handle = bo};
   void *address = NULL;
   if (need(u, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &args, "GEM_MMAP_OFFSET")) {
      uapi_expect(u, uapi_mmap(u, u->raw.fd, args.offset, size, MAP_SHARED, &address), OK, "mmap of a buffer");
   }
   return address;
}

void uapi_unmap(struct uapi *u, void *address)
{
   for (size_t i = 0; i < UAPI_MAPS; i++) {
      if (address && u->maps[i].address == address) {
         uapi_expect(u, u->raw.kernel->munmap(u->raw.kernel, address, u->maps[i].size) ? errno : 0, OK, "munmap");
         u->maps[i].address = NULL;
      }
   }
}

int uapi_bind(struct uapi *u, uint32_t vm, struct drm_asahi_gem_bind_op op)
{
   struct drm_asahi_vm_bind args = {.vm_id = vm, .num_binds = 1, .stride = sizeof(op), .userptr = (uintptr_t)&op};
   return uapi_ioctl(u, DRM_IOCTL_ASAHI_VM_BIND, &args);
}

bool uapi_bind_at(struct uapi *u, uint32_t bo, uint64_t offset, uint64_t range, uint64_t address)
{
   struct drm_asahi_gem_bind_op op = {.flags = DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE,
                                      .handle = bo,
                                      .offset = offset,
                                      .range = range,
                                      .addr = address};
   return uapi_expect(u, uapi_bind(u, u->vm, op), OK, "VM_BIND at 0x%llx", (unsigned long long)address);
}

bool uapi_unbind(struct uapi *u, uint64_t address, uint64_t range)
{
   struct drm_asahi_gem_bind_op op = {.flags = DRM_ASAHI_BIND_UNBIND, .range = range, .addr = address};
   return uapi_expect(u, uapi_bind(u, u->vm, op), OK, "unbind at 0x%llx", (unsigned long long)address);
}

uint32_t uapi_queue(struct uapi *u, uint32_t vm, uint32_t priority)
{
   struct drm_asahi_queue_create args = {.vm_id = vm, .priority = priority, .usc_exec_base = UAPI_USC};
   return need(u, DRM_IOCTL_ASAHI_QUEUE_CREATE, &args, "QUEUE_CREATE") ? args.queue_id : 0;
}

int uapi_queue_destroy(struct uapi *u, uint32_t queue)
{
   struct drm_asahi_queue_destroy args = {.queue_id = queue};
   return uapi_ioctl(u, DRM_IOCTL_ASAHI_QUEUE_DESTROY, &args);
}

uint32_t uapi_object(struct uapi *u, uint32_t bo, uint64_t offset, uint64_t range)
{
   struct drm_asahi_gem_bind_object args = {.op = DRM_ASAHI_BIND_OBJECT_OP_BIND,
                                            .flags = DRM_ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS,
                                            .handle = bo,
                                            .offset = offset,
                                            .range = range};
   return need(u, DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, &args, "GEM_BIND_OBJECT") ? args.object_handle : 0;
}

int uapi_object_unbind(struct uapi *u, uint32_t object)
{
   struct drm_asahi_gem_bind_object args = {.op = DRM_ASAHI_BIND_OBJECT_OP_UNBIND, .object_handle = object};
   return uapi_ioctl(u, DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, &args);
}

uint32_t uapi_syncobj(struct uapi *u, uint32_t flags)
{
   struct drm_syncobj_create args = {.flags = flags};
   return need(u, DRM_IOCTL_SYNCOBJ_CREATE, &args, "SYNCOBJ_CREATE") ? args.handle : 0;
}

uint64_t uapi_time(struct uapi *u)
{
   struct drm_asahi_get_time args = {0};
   return need(u, DRM_IOCTL_ASAHI_GET_TIME, &args, "GET_TIME") ? args.gpu_timestamp : 0;
}

int64_t uapi_after(int milliseconds)
{
   return (int64_t)util_clock_ns() + (int64_t)milliseconds * (NS_PER_S / 1000);
}

int uapi_wait(struct uapi *u, uint32_t syncobj, int milliseconds)
{
   /* A job that must end may take as long as it needs on a virtual device, whose host may be busy. */
   if (milliseconds == UAPI_PATIENCE && u->raw.is_virtual) {
      return -asahi_raw_wait(u->raw.kernel, u->raw.fd, true, &syncobj, 1, (uint64_t)milliseconds * (NS_PER_S / 1000),
                             NULL);
   }
   struct drm_syncobj_wait args = {
       .handles = (uintptr_t)&syncobj, .count_handles = 1, .timeout_nsec = uapi_after(milliseconds)};
   return uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_WAIT, &args);
}

int uapi_wait_point(struct uapi *u, uint32_t syncobj, uint64_t point, uint32_t flags, int milliseconds)
{
   struct drm_syncobj_timeline_wait args = {.handles = (uintptr_t)&syncobj,
                                            .points = (uintptr_t)&point,
                                            .count_handles = 1,
                                            .flags = flags,
                                            .timeout_nsec = uapi_after(milliseconds)};
   return uapi_ioctl(u, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

uint64_t uapi_query(struct uapi *u, uint32_t syncobj)
{
   uint64_t point = UINT64_MAX;
   struct drm_syncobj_timeline_array args = {
       .handles = (uintptr_t)&syncobj, .points = (uintptr_t)&point, .count_handles = 1};
   need(u, DRM_IOCTL_SYNCOBJ_QUERY, &args, "SYNCOBJ_QUERY");
   return point;
}

int uapi_fence_status(struct uapi *u, uint32_t syncobj)
{
   struct drm_syncobj_handle args = {
       .handle = syncobj, .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE, .fd = -1};
   struct sync_file_info info = {.num_fences = 0};
   if (!need(u, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args, "export of a sync_file")) {
      return -EBADF;
   }
   uapi_expect(u, uapi_fd_ioctl(u, args.fd, SYNC_IOC_FILE_INFO, &info), OK, "SYNC_IOC_FILE_INFO");
   u->raw.kernel->close(u->raw.kernel, args.fd);
   return info.status;
}

bool uapi_done(struct uapi *u, uint32_t syncobj)
{
   char name[24];
   if (!uapi_expect(u, uapi_wait(u, syncobj, UAPI_PATIENCE), OK, "waiting for a job")) {
      return false;
   }
   int status = uapi_fence_status(u, syncobj);
   return uapi_true(u, status == 1, "a job's fence: expected success, seen %s",
                    status ? uapi_answer_name(-status, name) : "pending");
}

/* ---- Opening and closing ---- */

static bool fill_params(struct uapi *u)
{
   char why[160];
   struct drm_asahi_get_params args = {.pointer = (uintptr_t)&u->params, .size = sizeof(u->params)};
   if (!need(u, DRM_IOCTL_ASAHI_GET_PARAMS, &args, "GET_PARAMS")) {
      return false;
   }
   u->kernel_end = u->params.vm_end;
   u->kernel_start = u->kernel_end - UAPI_KERNEL_SIZE;
   return uapi_true(u, !asahi_info_fill(&u->params, &u->info, why, sizeof(why)), "GET_PARAMS: %s", why);
}

static bool make_memory(struct uapi *u)
{
   u->vm = uapi_vm(u);
   u->exec_bo = u->vm ? uapi_bo(u, UAPI_EXEC_SIZE, DRM_ASAHI_GEM_VM_PRIVATE, u->vm) : 0;
   u->data_bo = u->exec_bo ? uapi_bo(u, UAPI_DATA_SIZE, DRM_ASAHI_GEM_WRITEBACK, 0) : 0;
   if (!u->data_bo || !uapi_bind_at(u, u->exec_bo, 0, UAPI_EXEC_SIZE, UAPI_EXEC) ||
       !uapi_bind_at(u, u->data_bo, 0, UAPI_DATA_SIZE, UAPI_DATA)) {
      return false;
   }
   u->exec = uapi_map(u, u->exec_bo, UAPI_EXEC_SIZE);
   u->data = uapi_map(u, u->data_bo, UAPI_DATA_SIZE);
   if (!u->exec || !u->data) {
      return false;
   }
   uapi_load_programs(u);
   u->queue = uapi_queue(u, u->vm, DRM_ASAHI_PRIORITY_MEDIUM);
   return u->queue != 0;
}

bool uapi_open(struct uapi *u, const char *spec, const struct asahi_watch *watch, struct uapi_result *result)
{
   char why[256];
   *u = (struct uapi){.spec = spec, .watch = watch, .result = result, .raw = {.fd = -1}};
   *result = (struct uapi_result){.status = UAPI_PASS};
   if (asahi_raw_open(spec, &u->raw, why, sizeof(why))) {
      u->raw.fd = -1;
      uapi_fail(u, "%s", why);
      return false;
   }
   return fill_params(u) && make_memory(u);
}

bool uapi_second(const struct uapi *u, struct uapi *second)
{
   *second = (struct uapi){.spec = u->spec,
                           .watch = u->watch,
                           .result = u->result,
                           .raw = u->raw,
                           .params = u->params,
                           .info = u->info,
                           .kernel_start = u->kernel_start,
                           .kernel_end = u->kernel_end};
   return make_memory(second);
}

bool uapi_reopen(const struct uapi *u, struct uapi *other)
{
   *other = (struct uapi){.spec = u->spec, .watch = u->watch, .result = u->result, .raw = u->raw};
   other->raw.fd = u->raw.kernel->reopen(u->raw.kernel, u->raw.fd);
   if (other->raw.fd < 0) {
      other->raw.fd = -1;
      return uapi_expect(other, errno, OK, "opening the device once more");
   }
   return fill_params(other);
}

void uapi_unmap_all(struct uapi *u)
{
   for (size_t i = 0; i < UAPI_MAPS; i++) {
      uapi_unmap(u, u->maps[i].address);
   }
}

void uapi_close(struct uapi *u)
{
   if (u->raw.fd < 0) {
      return;
   }
   uapi_unmap_all(u);
   uapi_expect(u, u->raw.kernel->close(u->raw.kernel, u->raw.fd) ? errno : 0, OK, "close");
   u->raw.fd = -1;
}
