/* SPDX-License-Identifier: MIT
 *
 * Follows the requests that make, map and destroy objects (upstream's uAPI). Invariant: a request is noted after the
 * device has accepted it, so its arguments are good; memory that runs out here makes the address space uncertain or
 * the object unknown, never the client's request fail.
 */
#include "vgpu/recorder/requests.h"

#include <drm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/shim/next.h"
#include "util/array.h"

#define PAGE ((uint64_t)DRM_ASAHI_PAGE_SIZE)

/* A buffer that the client knows by `handle` now. */
static void add_buffer(struct recorder_client *client, uint32_t handle, uint64_t size)
{
   struct recorder_buffer *buffer = calloc(1, sizeof(*buffer));
   if (buffer) {
      *buffer = (struct recorder_buffer){.refs = 1, .size = (size + PAGE - 1) & ~(PAGE - 1)};
      if (!recorder_add(&client->buffers, handle, buffer)) {
         free(buffer);
      }
   }
}

/* The buffer with its memory mapped here, where it can be. NULL: unknown. */
static struct recorder_buffer *map_buffer(struct recorder_client *client, int fd, uint32_t handle)
{
   struct recorder_buffer *buffer = recorder_find(&client->buffers, handle);
   struct drm_asahi_gem_mmap_offset where = {.handle = handle};
   if (buffer && !buffer->bytes && !NEXT(ioctl)(fd, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &where)) {
      void *bytes = NEXT(mmap)(NULL, buffer->size, PROT_READ, MAP_SHARED, fd, (off_t)where.offset);
      buffer->bytes = bytes == MAP_FAILED ? NULL : bytes;
   }
   return buffer;
}

static void after_gem_create(struct recorder_client *client, int fd, const void *argument)
{
   const struct drm_asahi_gem_create *create = argument;
   (void)fd;
   add_buffer(client, create->handle, create->size);
}

static void after_gem_import(struct recorder_client *client, int fd, const void *argument)
{
   const struct drm_prime_handle *prime = argument;
   const off_t size = lseek(prime->fd, 0, SEEK_END);
   (void)fd;
   if (size > 0 && !recorder_find(&client->buffers, prime->handle)) {
      add_buffer(client, prime->handle, (uint64_t)size);
   }
}

static void after_gem_close(struct recorder_client *client, int fd, const void *argument)
{
   const struct drm_gem_close *close = argument;
   struct recorder_buffer *buffer = recorder_remove(&client->buffers, close->handle);
   (void)fd;
   for (size_t i = 0; buffer && i < client->vms.count; i++) {
      recorder_vm_unmap_buffer(client->vms.entries[i].object, buffer);
   }
   recorder_buffer_unref(buffer);
}

static void after_bind_object(struct recorder_client *client, int fd, const void *argument)
{
   const struct drm_asahi_gem_bind_object *bind = argument;
   if (bind->op == DRM_ASAHI_BIND_OBJECT_OP_UNBIND) {
      recorder_object_destroy(recorder_remove(&client->objects, bind->object_handle));
      return;
   }
   struct recorder_buffer *buffer = map_buffer(client, fd, bind->handle);
   struct recorder_object *object = buffer ? malloc(sizeof(*object)) : NULL;
   if (object) {
      *object = (struct recorder_object){.buffer = buffer, .offset = bind->offset};
      buffer->refs++;
      if (!recorder_add(&client->objects, bind->object_handle, object)) {
         recorder_object_destroy(object);
      }
   }
}

static void after_vm_create(struct recorder_client *client, int fd, const void *argument)
{
   const struct drm_asahi_vm_create *create = argument;
   struct recorder_vm *vm = calloc(1, sizeof(*vm));
   (void)fd;
   if (vm) {
      *vm = (struct recorder_vm){.refs = 1, .kernel_start = create->kernel_start, .kernel_end = create->kernel_end};
      if (!recorder_add(&client->vms, create->vm_id, vm)) {
         free(vm);
      }
   }
}

/* The kernel unmaps everything at once, and queues keep the empty address space. */
static void after_vm_destroy(struct recorder_client *client, int fd, const void *argument)
{
   const struct drm_asahi_vm_destroy *destroy = argument;
   struct recorder_vm *vm = recorder_remove(&client->vms, destroy->vm_id);
   (void)fd;
   if (vm) {
      recorder_vm_unmap_all(vm);
      recorder_vm_unref(vm);
   }
}

static void after_vm_bind(struct recorder_client *client, int fd, const void *argument)
{
   const struct drm_asahi_vm_bind *bind = argument;
   struct recorder_vm *vm = recorder_find(&client->vms, bind->vm_id);
   for (uint32_t i = 0; vm && i < bind->num_binds; i++) {
      struct drm_asahi_gem_bind_op op = {0};
      const uint8_t *from = (const uint8_t *)(uintptr_t)bind->userptr + (size_t)i * bind->stride;
      memcpy(&op, from, bind->stride < sizeof(op) ? bind->stride : sizeof(op));
      struct recorder_mapping mapping = {
          .start = op.addr, .end = op.addr + op.range, .offset = op.offset, .flags = op.flags};
      if (!(op.flags & DRM_ASAHI_BIND_UNBIND)) {
         mapping.buffer = map_buffer(client, fd, op.handle);
         vm->uncertain |= !mapping.buffer;
      }
      recorder_vm_map(vm, mapping);
   }
}

static void after_queue_create(struct recorder_client *client, int fd, const void *argument)
{
   const struct drm_asahi_queue_create *create = argument;
   struct recorder_vm *vm = recorder_find(&client->vms, create->vm_id);
   struct recorder_queue *queue = vm ? malloc(sizeof(*queue)) : NULL;
   (void)fd;
   if (queue) {
      *queue = (struct recorder_queue){.vm = vm, .usc_exec_base = create->usc_exec_base, .priority = create->priority};
      vm->refs++;
      if (!recorder_add(&client->queues, create->queue_id, queue)) {
         recorder_queue_destroy(queue);
      }
   }
}

static void after_queue_destroy(struct recorder_client *client, int fd, const void *argument)
{
   const struct drm_asahi_queue_destroy *destroy = argument;
   (void)fd;
   recorder_queue_destroy(recorder_remove(&client->queues, destroy->queue_id));
}

static const struct {
   unsigned long request;
   void (*after)(struct recorder_client *client, int fd, const void *argument); /* NULL: recorder_submit() */
} followed[] = {
    {DRM_IOCTL_ASAHI_GEM_CREATE, after_gem_create},
    {DRM_IOCTL_PRIME_FD_TO_HANDLE, after_gem_import},
    {DRM_IOCTL_GEM_CLOSE, after_gem_close},
    {DRM_IOCTL_ASAHI_GEM_BIND_OBJECT, after_bind_object},
    {DRM_IOCTL_ASAHI_VM_CREATE, after_vm_create},
    {DRM_IOCTL_ASAHI_VM_DESTROY, after_vm_destroy},
    {DRM_IOCTL_ASAHI_VM_BIND, after_vm_bind},
    {DRM_IOCTL_ASAHI_QUEUE_CREATE, after_queue_create},
    {DRM_IOCTL_ASAHI_QUEUE_DESTROY, after_queue_destroy},
    {DRM_IOCTL_ASAHI_SUBMIT, NULL},
};

static size_t find_request(unsigned long request)
{
   size_t i = 0;
   while (i < ARRAY_COUNT(followed) && (uint32_t)followed[i].request != (uint32_t)request) {
      i++;
   }
   return i;
}

bool recorder_follows(unsigned long request)
{
   return find_request(request) < ARRAY_COUNT(followed);
}

int recorder_request(struct recorder_client *client, int fd, unsigned long request, void *argument)
{
   const size_t index = find_request(request);
   if (!followed[index].after) {
      return recorder_submit(client, fd, argument);
   }
   const int result = NEXT(ioctl)(fd, request, argument), error = errno;
   if (!result) {
      followed[index].after(client, fd, argument);
   } else if ((uint32_t)request == (uint32_t)DRM_IOCTL_ASAHI_VM_BIND && error != EFAULT) {
      /* The binds before the one that was refused hold. Which one that is, the answer does not say. */
      const struct drm_asahi_vm_bind *bind = argument;
      struct recorder_vm *vm = bind->num_binds > 1 ? recorder_find(&client->vms, bind->vm_id) : NULL;
      if (vm) {
         vm->uncertain = true;
      }
   }
   errno = error;
   return result;
}
