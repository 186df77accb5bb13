/* SPDX-License-Identifier: MIT
 *
 * Exported buffers as descriptors of the system: see buffers.h for the invariant.
 */
#include "vgpu/shim/buffers.h"

#include <errno.h>
#include <fcntl.h>

#include "vgpu/driver/device.h"
#include "vgpu/shim/next.h"

int shim_buffer_open(struct vgpu_device *device, int virtual_fd, bool close_on_exec)
{
   struct vgpu_fd found;
   pthread_mutex_lock(&device->lock);
   int file = vgpu_fd_get(device, virtual_fd, VGPU_FD_BUFFER, &found);
   while (!file && found.bo->file < 0 && device->heap.busy) {
      pthread_cond_wait(&device->changed, &device->lock);
   }
   file = file ? file : vgpu_bo_share(found.bo);
   const int fd = file < 0 ? -1 : NEXT(fcntl)(file, close_on_exec ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
   pthread_mutex_unlock(&device->lock);
   errno = file < 0 ? -file : errno;
   return fd;
}

int shim_buffer_import(struct vgpu_device *device, int fd)
{
   struct vgpu_bo *bo;
   pthread_mutex_lock(&device->lock);
   int virtual_fd = vgpu_bo_import(&device->heap, fd, &bo);
   if (!virtual_fd) {
      virtual_fd = vgpu_fd_add(device, (struct vgpu_fd){.kind = VGPU_FD_BUFFER, .bo = bo});
      if (virtual_fd < 0) {
         vgpu_bo_unref(bo);
      }
   }
   pthread_mutex_unlock(&device->lock);
   return virtual_fd < 0 ? -1 : virtual_fd;
}
