/* SPDX-License-Identifier: MIT
 *
 * The device's queues and the sync objects of its jobs. Both are created when they are first needed, and live as long
 * as the device. Invariant: a queue that is not in the table of device.h does not exist in the kernel either.
 */
#include "drm/device.h"

static const uint32_t priorities[ASAHI_QUEUES] = {
    [ASAHI_QUEUE_MAIN] = DRM_ASAHI_PRIORITY_MEDIUM,
    [ASAHI_QUEUE_SECOND] = DRM_ASAHI_PRIORITY_MEDIUM,
    [ASAHI_QUEUE_LOW] = DRM_ASAHI_PRIORITY_LOW,
};

int asahi_queue_ensure(struct asahi_device *device, enum asahi_queue which)
{
   struct drm_asahi_queue_create create = {
       .vm_id = device->vm_id,
       .priority = priorities[which],
       .usc_exec_base = device->usc_base,
   };

   if (device->queues[which].id != 0) {
      return 0;
   }
   const int error = asahi_ioctl(device, DRM_IOCTL_ASAHI_QUEUE_CREATE, &create);
   if (error != 0) {
      return asahi_fail_errno(device, -error, "QUEUE_CREATE");
   }
   device->queues[which].id = create.queue_id;
   return 0;
}

int asahi_syncobjs_ensure(struct asahi_device *device, size_t count)
{
   for (size_t i = 0; i < count; i++) {
      struct drm_syncobj_create create = {0};
      const int error = device->syncobjs[i] != 0 ? 0 : asahi_ioctl(device, DRM_IOCTL_SYNCOBJ_CREATE, &create);

      if (error != 0) {
         return asahi_fail_errno(device, -error, "SYNCOBJ_CREATE");
      }
      device->syncobjs[i] = device->syncobjs[i] != 0 ? device->syncobjs[i] : create.handle;
   }
   return 0;
}

void asahi_queues_destroy(struct asahi_device *device)
{
   for (unsigned i = 0; i < ASAHI_QUEUES; i++) {
      struct drm_asahi_queue_destroy destroy = {.queue_id = device->queues[i].id};

      if (destroy.queue_id != 0) {
         asahi_ioctl(device, DRM_IOCTL_ASAHI_QUEUE_DESTROY, &destroy);
      }
   }
   device->in_flight = 0; /* from here on a job that still runs loses its memory and faults */
}

void asahi_syncobjs_destroy(struct asahi_device *device)
{
   for (unsigned i = 0; i < ASAHI_COMMANDS_MAX; i++) {
      struct drm_syncobj_destroy destroy = {.handle = device->syncobjs[i]};

      if (destroy.handle != 0) {
         asahi_ioctl(device, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy);
      }
   }
}
