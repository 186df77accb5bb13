/* SPDX-License-Identifier: MIT
 *
 * The device's error line.
 */
#include "drm/device.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/array.h"

/* The errnos of the Asahi uAPI and of what stands around it (spec/uapi.md 3.10 and 7). */
static const struct {
   int error;
   const char *name, *remedy;
} errnos[] = {
    {EACCES, "EACCES", "open a render node, /dev/dri/renderD*, and be in group render"},
    {EAGAIN, "EAGAIN", NULL},
    {EBADF, "EBADF", NULL},
    {EBUSY, "EBUSY", NULL},
    {ECANCELED, "ECANCELED", NULL},
    {EFAULT, "EFAULT", NULL},
    {EINTR, "EINTR", NULL},
    {EINVAL, "EINVAL", "dmesg may say why, and agx-runner run 'uapi/*' where this kernel and agx-runner differ"},
    {EIO, "EIO", NULL},
    {EMFILE, "EMFILE", "raise the limit with ulimit -n"},
    {ENFILE, "ENFILE", NULL},
    {ENODATA, "ENODATA", NULL},
    {ENODEV, "ENODEV", "the GPU or its firmware is gone: see dmesg; a reboot brings it back"},
    {ENOENT, "ENOENT", NULL},
    {ENOMEM, "ENOMEM", NULL},
    {ENOSPC, "ENOSPC", "the firmware's window for timestamp buffers, one for all processes, is full: end other users"},
    {ENOTSUP, "ENOTSUP", NULL},
    {ENOTTY, "ENOTTY", NULL},
    {ENXIO, "ENXIO", NULL},
    {EPERM, "EPERM", NULL},
    {ERANGE, "ERANGE", NULL},
    {ETIME, "ETIME", NULL},
    {ETIMEDOUT, "ETIMEDOUT", NULL},
};

#define ERRNO_COUNT ARRAY_COUNT(errnos)

const char *asahi_errno_name(int error)
{
   for (size_t i = 0; i < ERRNO_COUNT; i++) {
      if (errnos[i].error == error) {
         return errnos[i].name;
      }
   }
   return "";
}

static const char *remedy(int error)
{
   for (size_t i = 0; i < ERRNO_COUNT; i++) {
      if (errnos[i].error == error) {
         return errnos[i].remedy;
      }
   }
   return NULL;
}

int asahi_fail(struct asahi_device *device, int error, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(device->error, sizeof(device->error), format, arguments);
   va_end(arguments);
   return -error;
}

int asahi_fail_errno(struct asahi_device *device, int error, const char *format, ...)
{
   char what[256];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(what, sizeof(what), format, arguments);
   va_end(arguments);

   /* remedies for the kernel's errors do not apply to a virtual GPU */
   const char *name = asahi_errno_name(error), *advice = device->info.is_virtual ? NULL : remedy(error);
   snprintf(device->error, sizeof(device->error), "%s: %s%s%s%s%s%s", what, strerror(error), name[0] != 0 ? " (" : "",
            name, name[0] != 0 ? ")" : "", advice != NULL ? "; " : "", advice != NULL ? advice : "");
   return -error;
}
