/* SPDX-License-Identifier: MIT
 *
 * Waiting for jobs, with a limit. On hardware the limit is time. On a virtual device it is work: the client tells the
 * device how many instructions a job may execute, and the device ends it. Invariant: neither the host's speed nor its
 * other load ends a job of a virtual device.
 */
#include <errno.h>
#include <time.h>

#include "drm/raw.h"
#include "vgpu/vgpu.h"
#include "util/clock.h"

/* interval at which a virtual device is asked whether its job can end at all */
#define ASK_NS UINT64_C(1000000000)
#define ASK_MIN_NS UINT64_C(1000000)
#define ASK_CLIENT_NS UINT64_C(50000000) /* interval at which a client is asked whether it wants to stop */

uint64_t asahi_work_of(uint64_t timeout_ns)
{
   const unsigned __int128 work = (unsigned __int128)timeout_ns * VGPU_DEFAULT_BUDGET / ASAHI_DEFAULT_TIMEOUT_NS;

   return work == 0 ? 1 : work > UINT64_MAX ? UINT64_MAX : (uint64_t)work;
}

static int64_t deadline_after(uint64_t nanoseconds)
{
   int64_t deadline;
   if (nanoseconds > INT64_MAX || __builtin_add_overflow((int64_t)util_clock_ns(), (int64_t)nanoseconds, &deadline)) {
      return INT64_MAX;
   }
   return deadline;
}

static int wait_once(struct asahi_kernel *kernel, int fd, const uint32_t *syncobjs, uint32_t count, uint64_t timeout_ns)
{
   struct drm_syncobj_wait wait = {
       .handles = (uintptr_t)syncobjs,
       .count_handles = count,
       .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL,
       .timeout_nsec = deadline_after(timeout_ns),
   };
   return kernel->ioctl(kernel, fd, DRM_IOCTL_SYNCOBJ_WAIT, &wait) == -1 ? -errno : 0;
}

/* Whether the device waits for something that will never come: option inject=hang. */
static bool is_stuck(struct asahi_kernel *kernel, int fd)
{
   struct vgpu_counters counters = {0};

   return kernel->ioctl(kernel, fd, VGPU_IOCTL_COUNTERS, &counters) == -1 || counters.stuck != 0;
}

int asahi_raw_wait(struct asahi_kernel *kernel, int fd, bool is_virtual, const uint32_t *syncobjs, uint32_t count,
                   uint64_t timeout_ns, const struct asahi_interrupt *interrupt)
{
   const bool asks = interrupt != NULL && interrupt->requested != NULL;
   const uint64_t most = asks ? ASK_CLIENT_NS : ASK_NS;

   if (!is_virtual) {
      return wait_once(kernel, fd, syncobjs, count, timeout_ns);
   }
   for (uint64_t left = timeout_ns;;) {
      const uint64_t slice = left < ASK_MIN_NS ? ASK_MIN_NS : left < most ? left : most;
      const int error = wait_once(kernel, fd, syncobjs, count, slice);

      if (error != -ETIME) {
         return error;
      }
      if (asks && interrupt->requested(interrupt->data)) {
         (void)kernel->ioctl(kernel, fd, VGPU_IOCTL_ABANDON, NULL);
      }
      left = !is_stuck(kernel, fd) ? timeout_ns : left > slice ? left - slice : 0;
      if (left == 0) {
         return -ETIME;
      }
   }
}
