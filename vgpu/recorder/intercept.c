/* SPDX-License-Identifier: MIT
 *
 * libagx-record.so, preloaded: the C library's functions that make requests, and that copy and close descriptors.
 * Invariant: every call goes on to the C library, or to the next preloaded library, as it came; for SUBMIT of a job
 * that is saved, with one more fence. Files are found by what they answer to DRM_IOCTL_VERSION.
 */
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/recorder/requests.h"
#include "vgpu/shim/duplicate.h"
#include "vgpu/shim/next.h"

#define MAX_FDS 65536u /* numbers above that are not followed */

static _Atomic(struct recorder_client *) table[MAX_FDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `table` and all clients */

static pid_t owner; /* whose memory this is */

static void before_fork(void)
{
   pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
   pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
   owner = getpid();
   pthread_mutex_init(&lock, NULL);
}

static __attribute__((constructor)) void begin(void)
{
   owner = getpid();
   if (pthread_atfork(before_fork, after_fork, in_child)) {
      fprintf(stderr, "agx-record: out of memory: children are not recorded\n");
   }
}

/* After vfork() the child shares the parent's memory, but not its descriptors. */
static bool is_other_process(void)
{
   return getpid() != owner;
}

/* The device in words, or false: another driver's. */
static bool ask_device(int fd, char *info, size_t size)
{
   char name[16] = "";
   struct drm_version version = {.name = name, .name_len = sizeof(name) - 1};
   if (NEXT(ioctl)(fd, DRM_IOCTL_VERSION, &version) || strcmp(name, "asahi")) {
      return false;
   }
   struct drm_asahi_params_global params = {0};
   struct drm_asahi_get_params get = {.pointer = (uintptr_t)&params, .size = sizeof(params)};
   if (NEXT(ioctl)(fd, DRM_IOCTL_ASAHI_GET_PARAMS, &get)) {
      snprintf(info, size, "a device of kernel driver asahi");
   } else {
      snprintf(info, size, "a device of kernel driver asahi, G%u%c %X", params.gpu_generation, (char)params.gpu_variant,
               params.gpu_revision + 0xA0u);
   }
   return true;
}

/* The caller holds the lock. NULL: not a file of this driver. */
static struct recorder_client *get_client(int fd)
{
   if (fd < 0 || (unsigned)fd >= MAX_FDS) {
      return NULL;
   }
   struct recorder_client *client = atomic_load(&table[fd]);
   char info[96];
   if (client || !ask_device(fd, info, sizeof(info))) {
      return client;
   }
   client = calloc(1, sizeof(*client));
   if (client) {
      client->refs = 1;
      memcpy(client->info, info, sizeof(info));
      atomic_store(&table[fd], client);
   }
   return client;
}

SHIM_EXPORT int ioctl(int fd, unsigned long request, ...)
{
   va_list arguments;
   va_start(arguments, request);
   void *argument = va_arg(arguments, void *);
   va_end(arguments);
   if (_IOC_TYPE(request) != DRM_IOCTL_BASE || !recorder_follows(request)) {
      return NEXT(ioctl)(fd, request, argument);
   }
   pthread_mutex_lock(&lock);
   struct recorder_client *client = get_client(fd);
   const int result = client ? recorder_request(client, fd, request, argument) : NEXT(ioctl)(fd, request, argument);
   const int error = errno;
   pthread_mutex_unlock(&lock);
   errno = error;
   return result;
}

/* The number stands for `client` from now on, or for nothing that is followed. */
static void set(int fd, struct recorder_client *client)
{
   struct recorder_client *old = atomic_exchange(&table[fd], client);
   if (client) {
      client->refs++;
   }
   if (old && !--old->refs) {
      recorder_client_destroy(old);
   }
}

static void forget(unsigned first, unsigned last)
{
   for (unsigned fd = first; fd < MAX_FDS && fd <= last; fd++) {
      if (atomic_load(&table[fd])) {
         const int error = errno;
         pthread_mutex_lock(&lock);
         set((int)fd, NULL);
         pthread_mutex_unlock(&lock);
         errno = error;
      }
   }
}

/* `to` was made from `from`. */
static int share(int from, int to)
{
   if (to >= 0 && from >= 0 && to != from && !is_other_process() && (unsigned)to < MAX_FDS &&
       (unsigned)from < MAX_FDS && (atomic_load(&table[from]) || atomic_load(&table[to]))) {
      pthread_mutex_lock(&lock);
      set(to, atomic_load(&table[from]));
      pthread_mutex_unlock(&lock);
   }
   return to;
}

static int share_over(int from, int to)
{
   return share(from, to);
}

SHIM_EXPORT int close(int fd)
{
   if (fd >= 0 && !is_other_process()) {
      forget((unsigned)fd, (unsigned)fd);
   }
   return NEXT(close)(fd);
}

SHIM_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
   const int result = NEXT(close_range)(first, last, flags);
   if (!result && !((unsigned)flags & CLOSE_RANGE_CLOEXEC) && !is_other_process()) {
      forget(first, last);
   }
   return result;
}

SHIM_EXPORT void closefrom(int first)
{
   if (!is_other_process()) {
      forget(first > 0 ? (unsigned)first : 0, UINT32_MAX);
   }
   NEXT(closefrom)(first);
}
