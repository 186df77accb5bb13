/* SPDX-License-Identifier: MIT
 *
 * Buffer objects: created, placed in the GPU's address space, mapped, and freed when no job uses them any more.
 */
#include "drm/device.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgpu/vgpu.h"

#define MIB (UINT64_C(1) << 20)

/* The kernel pins buffers, and the OOM killer does not see them: a client that uses all memory crashes the machine. */
uint64_t asahi_memory_limit(void)
{
   const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);

   return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 2 : UINT64_MAX;
}

/* Virtual GPUs use ordinary memory, whose allocation the system can refuse. */
static int check_limit(struct asahi_device *device, const struct asahi_buffer *buffer, const char *what)
{
   const uint64_t limit = asahi_memory_limit(), used = device->buffer_bytes;

   if (device->info.is_virtual || (used <= limit && buffer->size <= limit - used)) {
      return 0;
   }
   return asahi_fail(device, ENOMEM,
                     "cannot create %s of %zu bytes: GPU buffers take %llu MiB already, and may take %llu MiB, half of "
                     "this machine's memory: they are pinned",
                     what, buffer->asked, (unsigned long long)(used / MIB), (unsigned long long)(limit / MIB));
}

static int create_object(struct asahi_device *device, struct asahi_buffer *buffer, unsigned flags, const char *what)
{
   struct drm_asahi_gem_create create = {.size = buffer->size};
   if ((flags & ASAHI_BUFFER_CACHED) != 0) {
      create.flags |= DRM_ASAHI_GEM_WRITEBACK;
   }
   if ((flags & ASAHI_BUFFER_OBJECT) == 0) {
      create.flags |= DRM_ASAHI_GEM_VM_PRIVATE;
      create.vm_id = device->vm_id;
   }
   int error = asahi_ioctl(device, DRM_IOCTL_ASAHI_GEM_CREATE, &create);
   if (error != 0) {
      return asahi_fail_errno(device, -error, "cannot create %s of %zu bytes", what, buffer->asked);
   }
   buffer->handle = create.handle;
   device->buffer_bytes += buffer->size;
   return 0;
}

static int map_object(struct asahi_device *device, struct asahi_buffer *buffer, const char *what)
{
   struct drm_asahi_gem_mmap_offset where = {.handle = buffer->handle};
   int error = asahi_ioctl(device, DRM_IOCTL_ASAHI_GEM_MMAP_OFFSET, &where);
   if (error != 0) {
      return asahi_fail_errno(device, -error, "cannot map %s of %zu bytes", what, buffer->asked);
   }
   void *map =
       device->kernel->mmap(device->kernel, buffer->size, PROT_READ | PROT_WRITE, MAP_SHARED, device->fd, where.offset);
   if (map == MAP_FAILED) {
      return asahi_fail_errno(device, errno, "cannot map %s of %zu bytes", what, buffer->asked);
   }
   buffer->map = (uint8_t *)map + buffer->margin;
   return 0;
}

static void tell_range(struct asahi_device *device, const struct asahi_buffer *buffer, uint64_t bytes, const char *name)
{
   asahi_tell_range(device, buffer->internal ? VGPU_RANGE_INTERNAL : VGPU_RANGE_BUFFER, buffer->address, bytes, name);
}

static int bind_object(struct asahi_device *device, struct asahi_buffer *buffer, struct asahi_va_heap *heap,
                       uint64_t align, const char *what)
{
   uint64_t address;
   int error = asahi_va_alloc(heap, buffer->size, align, &address);
   if (error != 0) {
      return asahi_fail(device, -error, "%s for %s of %zu bytes",
                        error == -ENOMEM ? "out of memory" : "no GPU addresses left", what, buffer->asked);
   }
   struct drm_asahi_gem_bind_op operation = {
       .flags = DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE,
       .handle = buffer->handle,
       .range = buffer->size,
       .addr = address,
   };
   struct drm_asahi_vm_bind bind = {
       .vm_id = device->vm_id,
       .num_binds = 1,
       .stride = sizeof(operation),
       .userptr = (uintptr_t)&operation,
   };
   error = asahi_ioctl(device, DRM_IOCTL_ASAHI_VM_BIND, &bind);
   if (error != 0) {
      asahi_va_free(heap, address, buffer->size);
      return asahi_fail_errno(device, -error, "cannot bind %s of %zu bytes at GPU address 0x%llx", what, buffer->asked,
                              (unsigned long long)address);
   }
   buffer->heap = heap;
   buffer->address = address + buffer->margin;
   tell_range(device, buffer, buffer->asked, NULL);
   return 0;
}

static void release(struct asahi_device *device, struct asahi_buffer *buffer)
{
   if (buffer->map != NULL) {
      device->kernel->munmap(device->kernel, (uint8_t *)buffer->map - buffer->margin, buffer->size);
   }
   if (buffer->handle != 0) {
      device->buffer_bytes -= buffer->size;
      if (buffer->heap != NULL) {
         tell_range(device, buffer, 0, NULL);
      }
      /* Closing the last handle also unmaps the object from every VM of the file: spec/uapi.md section 2, rule 9. If it
       * fails, the addresses remain in use, so they are never handed out again. */
      struct drm_gem_close gem_close = {.handle = buffer->handle};
      if (asahi_ioctl(device, DRM_IOCTL_GEM_CLOSE, &gem_close) == 0 && buffer->heap != NULL) {
         asahi_va_free(buffer->heap, buffer->address - buffer->margin, buffer->size);
      }
   }
   free(buffer);
}

/* In `wanted`, heap is the one to bind the buffer in; NULL: it is not bound. */
static int allocate(struct asahi_device *device, const struct asahi_buffer *wanted, uint64_t align, unsigned flags,
                    const char *what, struct asahi_buffer **out)
{
   const size_t page = DRM_ASAHI_PAGE_SIZE;
   size_t size;
   *out = NULL;
   if (wanted->asked == 0) {
      return asahi_fail(device, EINVAL, "cannot create %s of 0 bytes", what);
   }
   if (__builtin_add_overflow(wanted->asked, page - 1 + 2 * wanted->margin, &size)) {
      return asahi_fail(device, ENOMEM, "cannot create %s of %zu bytes: out of memory", what, wanted->asked);
   }
   struct asahi_buffer *buffer = calloc(1, sizeof(*buffer));
   if (buffer == NULL) {
      return asahi_fail(device, ENOMEM, "out of memory for %s", what);
   }
   *buffer = *wanted;
   buffer->heap = NULL;
   buffer->size = size & ~(page - 1);

   int error = check_limit(device, buffer, what);
   if (error == 0) {
      error = create_object(device, buffer, flags, what);
   }
   if (error == 0) {
      error = map_object(device, buffer, what);
   }
   if (error == 0 && wanted->heap != NULL) {
      error = bind_object(device, buffer, wanted->heap, align > page ? align : page, what);
   }
   if (error != 0) {
      release(device, buffer);
      return error;
   }
   *out = buffer;
   return 0;
}

int asahi_buffer_allocate(struct asahi_device *device, size_t size, uint64_t align, unsigned flags, const char *what,
                          struct asahi_buffer **out)
{
   const struct asahi_buffer wanted = {.asked = size,
                                       .internal = true,
                                       .heap = (flags & ASAHI_BUFFER_OBJECT) != 0   ? NULL
                                               : (flags & ASAHI_BUFFER_WINDOW) != 0 ? &device->usc_heap
                                                                                    : &device->own_heap};
   return allocate(device, &wanted, align, flags, what, out);
}

int asahi_buffer_create_between(struct asahi_device *device, size_t size, size_t margin, struct asahi_buffer **out)
{
   const struct asahi_buffer wanted = {.asked = size, .margin = margin, .heap = &device->user_heap};
   return allocate(device, &wanted, DRM_ASAHI_PAGE_SIZE, ASAHI_BUFFER_CACHED, "a buffer", out);
}

int asahi_buffer_create(struct asahi_device *device, size_t size, struct asahi_buffer **out)
{
   return asahi_buffer_create_between(device, size, 0, out);
}

void asahi_buffer_name(struct asahi_device *device, const struct asahi_buffer *buffer, const char *name)
{
   tell_range(device, buffer, buffer->asked, name);
}

void asahi_buffer_destroy(struct asahi_device *device, struct asahi_buffer *buffer)
{
   if (buffer == NULL) {
      return;
   }
   if (device->in_flight) {
      buffer->next = device->graveyard;
      device->graveyard = buffer;
      return;
   }
   release(device, buffer);
}

void asahi_buffer_bury(struct asahi_device *device)
{
   while (device->graveyard != NULL) {
      struct asahi_buffer *buffer = device->graveyard;
      device->graveyard = buffer->next;
      release(device, buffer);
   }
}

void *asahi_buffer_map(struct asahi_buffer *buffer)
{
   return buffer->map;
}

uint64_t asahi_buffer_address(const struct asahi_buffer *buffer)
{
   return buffer->address;
}

size_t asahi_buffer_size(const struct asahi_buffer *buffer)
{
   return buffer->asked;
}

size_t asahi_buffer_before(const struct asahi_buffer *buffer)
{
   return buffer->margin;
}

size_t asahi_buffer_behind(const struct asahi_buffer *buffer)
{
   return buffer->size - buffer->margin - buffer->asked;
}
