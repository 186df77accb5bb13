/* SPDX-License-Identifier: MIT
 *
 * Address spaces, buffers, bindings and exports: spec/uapi.md 1.5 to 1.10 and section 2. The order of the checks is
 * the kernel's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/driver/ioctl.h"
#include "vgpu/driver/queue.h"
#include "vgpu/refuse.h"

#define PAGE_MASK ((uint64_t)(VGPU_PAGE - 1))
/* The kernel's own allocations in its range come in pages of this size: 1.5. */
#define KERNEL_PAGE UINT64_C(0x8000)

int vgpu_ioctl_vm_create(struct vgpu_file *file, void *data)
{
   struct drm_asahi_vm_create *args = data;
   uint64_t start = args->kernel_start, end = args->kernel_end;
   if (vgpu_refuse(start < VGPU_VM_START) || vgpu_refuse(end > VGPU_VM_END) || vgpu_refuse(start >= end) ||
       vgpu_refuse(end - start < VGPU_VM_KERNEL_MIN_SIZE) || vgpu_refuse(start & PAGE_MASK) ||
       vgpu_refuse(end & PAGE_MASK) || vgpu_refuse(file->device->options.strict && args->pad)) {
      return -EINVAL;
   }
   struct vgpu_vm *vm;
   int error = vgpu_vm_create(vgpu_device_serial(file->device), (start + KERNEL_PAGE - 1) & ~(KERNEL_PAGE - 1),
                              end & ~(KERNEL_PAGE - 1), &vm);
   if (!error) {
      error = vgpu_ids_add(&file->vms, vm, &args->vm_id);
      if (error) {
         vgpu_vm_unref(vm);
      }
   }
   return error;
}

int vgpu_ioctl_vm_destroy(struct vgpu_file *file, void *data)
{
   const struct drm_asahi_vm_destroy *args = data;
   if (vgpu_refuse(file->device->options.strict && args->pad)) {
      return -EINVAL;
   }
   struct vgpu_vm *vm = vgpu_ids_remove(&file->vms, args->vm_id);
   if (vgpu_refuse(!vm)) {
      return -ENOENT;
   }
   vgpu_vm_unbind_all(vm); /* at once, even if jobs still use it */
   vgpu_vm_unref(vm);
   return 0;
}

static bool outside_user_range(uint64_t start, uint64_t end)
{
   return start < VGPU_VM_START || end > VGPU_VM_END;
}

static bool overlaps_kernel(const struct vgpu_vm *vm, uint64_t start, uint64_t end)
{
   return start < vm->kernel_end && end > vm->kernel_start;
}

/* 1.7, bind, a to j. An empty range is refused with the misaligned ones: what the kernel makes of it is not known. */
static int bind(struct vgpu_file *file, uint32_t vm_id, const struct drm_asahi_gem_bind_op *op)
{
   const uint32_t known = DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE | DRM_ASAHI_BIND_SINGLE_PAGE;
   bool single_page = op->flags & DRM_ASAHI_BIND_SINGLE_PAGE;
   uint64_t end, bo_end;
   if (vgpu_refuse(op->addr & PAGE_MASK) || vgpu_refuse(op->range & PAGE_MASK) || vgpu_refuse(op->offset & PAGE_MASK) ||
       vgpu_refuse(!op->range) || vgpu_refuse(op->flags & ~known)) {
      return -EINVAL;
   }
   struct vgpu_bo *bo = vgpu_ids_get(&file->bos, op->handle);
   if (vgpu_refuse(!bo)) {
      return -ENOENT;
   }
   if (vgpu_refuse(__builtin_add_overflow(op->addr, op->range, &end)) ||
       vgpu_refuse(__builtin_add_overflow(op->offset, single_page ? PAGE_MASK : op->range, &bo_end)) ||
       vgpu_refuse(bo_end > bo->size) || vgpu_refuse(outside_user_range(op->addr, end)) ||
       vgpu_refuse(!(op->flags & (DRM_ASAHI_BIND_READ | DRM_ASAHI_BIND_WRITE)))) {
      return -EINVAL;
   }
   struct vgpu_vm *vm = vgpu_ids_get(&file->vms, vm_id);
   if (vgpu_refuse(!vm)) {
      return -ENOENT;
   }
   /* A private buffer in a VM not its own: today's kernel has no check (section 2, rule 10), its promise does. */
   if (vgpu_refuse(overlaps_kernel(vm, op->addr, end)) || vgpu_refuse(bo->owner && bo->owner != vm->serial)) {
      return -EINVAL;
   }
   struct vgpu_mapping mapping = {
       .start = op->addr,
       .end = end,
       .bo = bo,
       .offset = op->offset,
       .single_page = single_page,
       .access =
           (op->flags & DRM_ASAHI_BIND_READ ? VGPU_READ : 0u) | (op->flags & DRM_ASAHI_BIND_WRITE ? VGPU_WRITE : 0u),
   };
   return vgpu_vm_bind(vm, &mapping);
}

static int unbind(struct vgpu_file *file, uint32_t vm_id, const struct drm_asahi_gem_bind_op *op)
{
   uint64_t end;
   if (vgpu_refuse(op->offset) || vgpu_refuse(op->flags != DRM_ASAHI_BIND_UNBIND) || vgpu_refuse(op->handle) ||
       vgpu_refuse(op->addr & PAGE_MASK) || vgpu_refuse(op->range & PAGE_MASK) || vgpu_refuse(!op->range) ||
       vgpu_refuse(__builtin_add_overflow(op->addr, op->range, &end)) ||
       vgpu_refuse(outside_user_range(op->addr, end))) {
      return -EINVAL;
   }
   struct vgpu_vm *vm = vgpu_ids_get(&file->vms, vm_id);
   if (vgpu_refuse(!vm)) {
      return -ENOENT;
   }
   if (vgpu_refuse(overlaps_kernel(vm, op->addr, end))) {
      return -EINVAL;
   }
   return vgpu_vm_unbind(vm, op->addr, end);
}

/* Reads one op of an array with that stride. The end of a short op reads as zero; bytes of a long op beyond our struct
 * must be zero. (Today's kernel misreads all long ops but the first: 1.7.) */
static int read_op(const uint8_t *bytes, uint32_t stride, struct drm_asahi_gem_bind_op *op)
{
   *op = (struct drm_asahi_gem_bind_op){0};
   memcpy(op, bytes, stride < sizeof(*op) ? stride : sizeof(*op));
   for (uint32_t i = sizeof(*op); i < stride; i++) {
      if (vgpu_refuse(bytes[i])) {
         return -EINVAL;
      }
   }
   return 0;
}

int vgpu_ioctl_vm_bind(struct vgpu_file *file, void *data)
{
   const struct drm_asahi_vm_bind *args = data;
   uint32_t size;
   if (vgpu_refuse(!args->stride) || vgpu_refuse(args->pad) ||
       vgpu_refuse(__builtin_mul_overflow(args->stride, args->num_binds, &size))) {
      return -EINVAL;
   }
   if (!args->num_binds) {
      return 0;
   }
   uint8_t *ops = malloc(size);
   if (!ops) {
      return -ENOMEM;
   }
   int error = vgpu_copy_in(file->device, ops, args->userptr, size);
   for (uint32_t i = 0; i < args->num_binds && !vgpu_refuse(error); i++) {
      struct drm_asahi_gem_bind_op op;
      error = read_op(ops + (size_t)i * args->stride, args->stride, &op);
      if (!error) {
         error = op.flags & DRM_ASAHI_BIND_UNBIND ? unbind(file, args->vm_id, &op) : bind(file, args->vm_id, &op);
      }
   }
   free(ops);
   return error;
}

int vgpu_ioctl_gem_create(struct vgpu_file *file, void *data)
{
   struct drm_asahi_gem_create *args = data;
   bool private = args->flags & DRM_ASAHI_GEM_VM_PRIVATE;
   if (vgpu_refuse(args->flags & ~(DRM_ASAHI_GEM_WRITEBACK | DRM_ASAHI_GEM_VM_PRIVATE)) ||
       vgpu_refuse(args->vm_id && !private) || vgpu_refuse(file->device->options.strict && args->pad)) {
      return -EINVAL;
   }
   const struct vgpu_vm *vm = private ? vgpu_ids_get(&file->vms, args->vm_id) : NULL;
   if (vgpu_refuse(private && !vm)) {
      return -ENOENT;
   }
   struct vgpu_bo *bo;
   int error = vgpu_bo_create(&file->device->heap, args->size, vm ? vm->serial : 0, &bo);
   if (!error) {
      error = vgpu_ids_add(&file->bos, bo, &args->handle);
      if (error) {
         vgpu_bo_unref(bo);
      }
   }
   return error;
}

int vgpu_ioctl_gem_mmap_offset(struct vgpu_file *file, void *data)
{
   struct drm_asahi_gem_mmap_offset *args = data;
   if (vgpu_refuse(args->flags)) {
      return -EINVAL;
   }
   const struct vgpu_bo *bo = vgpu_ids_get(&file->bos, args->handle);
   if (vgpu_refuse(!bo)) {
      return -ENOENT;
   }
   args->offset = bo->offset;
   return 0;
}

static int bind_object(struct vgpu_file *file, struct drm_asahi_gem_bind_object *args)
{
   uint64_t end;
   if (vgpu_refuse(args->range & PAGE_MASK) || vgpu_refuse(args->offset & PAGE_MASK) ||
       vgpu_refuse(args->flags != DRM_ASAHI_BIND_OBJECT_USAGE_TIMESTAMPS) ||
       vgpu_refuse(__builtin_add_overflow(args->offset, args->range, &end))) {
      return -EINVAL;
   }
   struct vgpu_bo *bo = vgpu_ids_get(&file->bos, args->handle);
   if (vgpu_refuse(!bo)) {
      return -ENOENT;
   }
   if (vgpu_refuse(end > bo->size) || vgpu_refuse(bo->owner)) {
      return -EINVAL;
   }
   struct vgpu_object *object;
   int error = vgpu_object_create(file->device, bo, args->offset, args->range, &object);
   if (!error) {
      error = vgpu_ids_add(&file->objects, object, &args->object_handle);
      if (error) {
         vgpu_object_unref(object);
      }
   }
   return error;
}

static int unbind_object(struct vgpu_file *file, const struct drm_asahi_gem_bind_object *args)
{
   if (vgpu_refuse(args->range) || vgpu_refuse(args->offset) || vgpu_refuse(args->flags) || vgpu_refuse(args->handle)) {
      return -EINVAL;
   }
   struct vgpu_object *object = vgpu_ids_remove(&file->objects, args->object_handle);
   if (vgpu_refuse(!object)) {
      return -ENOENT;
   }
   vgpu_object_unref(object);
   return 0;
}

int vgpu_ioctl_gem_bind_object(struct vgpu_file *file, void *data)
{
   struct drm_asahi_gem_bind_object *args = data;
   if (vgpu_refuse(args->pad) || vgpu_refuse(args->vm_id)) {
      return -EINVAL;
   }
   if (vgpu_refuse(args->op > DRM_ASAHI_BIND_OBJECT_OP_UNBIND)) {
      return -EINVAL;
   }
   return args->op == DRM_ASAHI_BIND_OBJECT_OP_BIND ? bind_object(file, args) : unbind_object(file, args);
}

/* DRM core, but the driver drops the buffer from all of the file's VMs: section 2, rule 9. */
int vgpu_ioctl_gem_close(struct vgpu_file *file, void *data)
{
   const struct drm_gem_close *args = data;
   struct vgpu_bo *bo = vgpu_ids_remove(&file->bos, args->handle);
   if (vgpu_refuse(!bo)) {
      return -EINVAL;
   }
   uint32_t id = 0;
   for (struct vgpu_vm *vm; (vm = vgpu_ids_next(&file->vms, &id));) {
      vgpu_vm_unbind_bo(vm, bo);
   }
   vgpu_bo_unref(bo);
   return 0;
}

int vgpu_ioctl_prime_handle_to_fd(struct vgpu_file *file, void *data)
{
   struct drm_prime_handle *args = data;
   if (vgpu_refuse(args->flags & ~(uint32_t)(DRM_CLOEXEC | DRM_RDWR))) {
      return -EINVAL;
   }
   struct vgpu_bo *bo = vgpu_ids_get(&file->bos, args->handle);
   if (vgpu_refuse(!bo)) {
      return -ENOENT;
   }
   if (vgpu_refuse(bo->owner)) {
      return -EINVAL;
   }
   int fd = vgpu_fd_add(file->device, (struct vgpu_fd){.kind = VGPU_FD_BUFFER, .bo = vgpu_bo_ref(bo)});
   if (fd < 0) {
      vgpu_bo_unref(bo);
      return fd;
   }
   args->fd = fd;
   return 0;
}

/* A buffer that the file has already keeps its one handle. */
int vgpu_ioctl_prime_fd_to_handle(struct vgpu_file *file, void *data)
{
   struct drm_prime_handle *args = data;
   struct vgpu_fd entry;
   int error = vgpu_fd_get(file->device, args->fd, VGPU_FD_BUFFER, &entry);
   if (error) {
      return error;
   }
   uint32_t handle = 0;
   for (struct vgpu_bo *bo; (bo = vgpu_ids_next(&file->bos, &handle));) {
      if (bo == entry.bo) {
         args->handle = handle;
         return 0;
      }
   }
   error = vgpu_ids_add(&file->bos, vgpu_bo_ref(entry.bo), &args->handle);
   if (error) {
      vgpu_bo_unref(entry.bo);
   }
   return error;
}
