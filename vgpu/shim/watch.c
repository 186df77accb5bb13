/* SPDX-License-Identifier: MIT
 *
 * One thread looks at all fences that descriptors wait for, whenever the device says that something has changed.
 * Invariant: a pending entry holds a reference to its fence and a descriptor of its own, so that the client may close
 * its own at any time. The device's lock guards the list.
 */
#include "vgpu/shim/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "vgpu/shim/next.h"

struct pending {
   struct pending *next;
   struct vgpu_fence *fence;
   int fd;
};

static struct pending *list;
static bool running;

static void signal_fd(int fd)
{
   eventfd_write(fd, 1); /* fails only when it is readable already */
}

/* Descriptors whose fence is signalled become readable, and leave the list. */
static void look(void)
{
   for (struct pending **link = &list; *link;) {
      struct pending *entry = *link;
      if (!vgpu_fence_signaled(entry->fence)) {
         link = &entry->next;
         continue;
      }
      signal_fd(entry->fd);
      NEXT(close)(entry->fd);
      vgpu_fence_unref(entry->fence);
      *link = entry->next;
      free(entry);
   }
}

static void *watch(void *argument)
{
   struct vgpu_device *device = argument;
   pthread_mutex_lock(&device->lock);
   for (;;) {
      look();
      pthread_cond_wait(&device->changed, &device->lock);
   }
   return NULL;
}

/* The caller holds the device's lock. */
static int add(struct vgpu_device *device, struct vgpu_fence *fence, int fd)
{
   struct pending *entry = calloc(1, sizeof(*entry));
   if (!entry) {
      return ENOMEM;
   }
   if (!running) {
      pthread_t thread;
      int error = pthread_create(&thread, NULL, watch, device);
      if (error) {
         free(entry);
         return error;
      }
      pthread_detach(thread);
      running = true;
   }
   *entry = (struct pending){list, vgpu_fence_ref(fence), NEXT(fcntl)(fd, F_DUPFD_CLOEXEC, 0)};
   if (entry->fd < 0) {
      int error = errno;
      vgpu_fence_unref(entry->fence);
      free(entry);
      return error;
   }
   list = entry;
   return 0;
}

int shim_watch_open(struct vgpu_device *device, int virtual_fd)
{
   int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), error = 0;
   if (fd < 0) {
      return -1;
   }
   pthread_mutex_lock(&device->lock);
   const struct vgpu_fd *entry = vgpu_fd_find(device, virtual_fd);
   if (!entry || entry->kind != VGPU_FD_SYNC_FILE) {
      error = EBADF;
   } else if (vgpu_fence_signaled(entry->fence)) {
      signal_fd(fd);
   } else {
      error = add(device, entry->fence, fd);
   }
   pthread_mutex_unlock(&device->lock);
   if (error) {
      NEXT(close)(fd);
      errno = error;
      return -1;
   }
   return fd;
}

void shim_watch_forked(void)
{
   list = NULL;
   running = false;
}
