/* SPDX-License-Identifier: MIT
 *
 * The table of descriptors, and requests whose structs name descriptors: those are translated between the numbers of
 * the system, which the client knows, and the virtual device's own.
 */
#include "vgpu/shim/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drm/uapi/asahi_drm.h"
#include "vgpu/driver/device.h"
#include "vgpu/driver/unstable/unstable.h"
#include "vgpu/driver/user.h"
#include "vgpu/shim/buffers.h"
#include "vgpu/shim/next.h"
#include "vgpu/shim/report.h"
#include "vgpu/shim/watch.h"
#include "vgpu/vgpu.h"
#include "util/array.h"

#define MAX_FDS 65536u /* numbers above that are not given to files of ours */
#define PREFIX "virtual:"

enum dialect { DIALECT_UNKNOWN, DIALECT_UPSTREAM, DIALECT_UNSTABLE /* vgpu/driver/unstable */ };

struct shim_file {
   unsigned refs; /* numbers that stand for it, calls inside */
   enum vgpu_fd_kind kind;
   int virtual_fd;
   bool inherited;     /* from before fork(): its device is in the other process */
   atomic_int dialect; /* enum dialect: by its client's first request to the driver */
};

static _Atomic(struct shim_file *) table[MAX_FDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards references, `table` and `process` */
static struct {
   struct asahi_kernel *kernel; /* NULL: not opened yet */
   int root;                    /* the device file that keeps it open */
   int user_fd;                 /* vgpu/driver/user.h, for this file */
   pid_t pid;
   bool prepared;
} process;

/* ---- fork ---- */

static void before_fork(void)
{
   pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
   pthread_mutex_unlock(&lock);
}

/* The device's threads and jobs stay with the parent. What the child inherits answers ENODEV; a new open gives it a
 * device of its own. */
static void in_child(void)
{
   for (unsigned i = 0; i < MAX_FDS; i++) {
      struct shim_file *file = atomic_load_explicit(&table[i], memory_order_relaxed);
      if (file) {
         file->inherited = true;
      }
   }
   process.kernel = NULL;
   process.pid = getpid();
   shim_watch_forked();
   shim_report_forked();
   pthread_mutex_init(&lock, NULL);
}

/* ---- The device ---- */

static const char *device_spec(void)
{
   const char *spec = getenv("AGX_VGPU");
   if (!spec || !*spec) {
      return "m1";
   }
   return strncmp(spec, PREFIX, strlen(PREFIX)) ? spec : spec + strlen(PREFIX);
}

/* The caller holds the lock. 0 or an errno. */
static int open_device(void)
{
   char why[320] = "";
   if (!process.prepared) {
      int error = pthread_atfork(before_fork, after_fork, in_child);
      if (error) {
         return error;
      }
      process.prepared = true;
   }
   int error = vgpu_user_open(&process.user_fd);
   if (error) {
      return -error;
   }
   process.root = vgpu_open(device_spec(), &process.kernel, why, sizeof(why));
   if (process.root < 0) {
      fprintf(stderr, "libagx-vgpu: AGX_VGPU=%s: %s\n", device_spec(), why);
      NEXT(close)(process.user_fd);
      process.kernel = NULL;
      return ENODEV;
   }
   process.pid = getpid();
   shim_report_open((struct vgpu_device *)process.kernel);
   return 0;
}

/* ---- The table ---- */

struct shim_file *shim_file_get(int fd)
{
   if (fd < 0 || (unsigned)fd >= MAX_FDS || !atomic_load_explicit(&table[fd], memory_order_acquire)) {
      return NULL;
   }
   pthread_mutex_lock(&lock);
   struct shim_file *file = atomic_load_explicit(&table[fd], memory_order_relaxed);
   if (file) {
      file->refs++;
   }
   pthread_mutex_unlock(&lock);
   return file;
}

void shim_file_put(struct shim_file *file)
{
   if (!file) {
      return;
   }
   pthread_mutex_lock(&lock);
   bool last = !--file->refs;
   struct asahi_kernel *kernel = process.kernel;
   pthread_mutex_unlock(&lock);
   if (last) {
      if (!file->inherited) {
         int saved = errno;
         kernel->close(kernel, file->virtual_fd);
         errno = saved;
      }
      free(file);
   }
}

bool shim_file_is_node(const struct shim_file *file)
{
   return file->kind == VGPU_FD_FILE;
}

/* After vfork() the child shares the parent's memory, but not its descriptors. */
static bool is_other_process(void)
{
   return getpid() != process.pid;
}

static void set(int fd, struct shim_file *file)
{
   pthread_mutex_lock(&lock);
   struct shim_file *old = atomic_exchange(&table[fd], file);
   if (file) {
      file->refs++;
   }
   pthread_mutex_unlock(&lock);
   shim_file_put(old);
}

void shim_fd_forget(int fd)
{
   if (fd >= 0 && (unsigned)fd < MAX_FDS && atomic_load(&table[fd]) && !is_other_process()) {
      set(fd, NULL);
   }
}

void shim_fds_forget(unsigned first, unsigned last)
{
   for (unsigned fd = first; fd < MAX_FDS && fd <= last; fd++) {
      shim_fd_forget((int)fd);
   }
}

int shim_file_share(struct shim_file *file, int to)
{
   if ((unsigned)to >= MAX_FDS) {
      NEXT(close)(to);
      errno = EMFILE;
      return -1;
   }
   if (!is_other_process()) {
      set(to, file);
   }
   return to;
}

/* A descriptor of the system for a new one of the device's, which is closed on failure. */
static int publish(enum vgpu_fd_kind kind, int virtual_fd, bool close_on_exec)
{
   struct asahi_kernel *kernel = process.kernel;
   struct shim_file *file = malloc(sizeof(*file));
   int fd = -1;
   if (file && kind == VGPU_FD_SYNC_FILE) {
      fd = shim_watch_open((struct vgpu_device *)kernel, virtual_fd);
   } else if (file && kind == VGPU_FD_BUFFER) {
      fd = shim_buffer_open((struct vgpu_device *)kernel, virtual_fd, close_on_exec);
   } else if (file) {
      fd = eventfd(0, (close_on_exec ? EFD_CLOEXEC : 0) | EFD_NONBLOCK);
   }
   if (fd < 0 || (unsigned)fd >= MAX_FDS) {
      int error = fd < 0 ? errno : EMFILE;
      if (fd >= 0) {
         NEXT(close)(fd);
      }
      kernel->close(kernel, virtual_fd);
      free(file);
      errno = error;
      return -1;
   }
   *file = (struct shim_file){.kind = kind, .virtual_fd = virtual_fd};
   set(fd, file);
   return fd;
}

int shim_node_open(int flags)
{
   if (flags & O_DIRECTORY) {
      errno = ENOTDIR;
      return -1;
   }
   pthread_mutex_lock(&lock);
   int error = process.kernel ? 0 : open_device();
   struct asahi_kernel *kernel = process.kernel;
   int root = process.root;
   pthread_mutex_unlock(&lock);
   if (error) {
      errno = error;
      return -1;
   }
   int virtual_fd = kernel->reopen(kernel, root);
   return virtual_fd < 0 ? -1 : publish(VGPU_FD_FILE, virtual_fd, flags & O_CLOEXEC);
}

/* ---- The client's structs ---- */

union fd_argument {
   struct drm_prime_handle prime;
   struct drm_syncobj_handle syncobj;
   struct dma_buf_import_sync_file sync_file; /* and dma_buf_export_sync_file */
};

static int copy_user(union fd_argument *data, void *argument, size_t size, bool out)
{
   pthread_mutex_lock(&lock);
   int error = out ? vgpu_user_write(process.user_fd, (uintptr_t)argument, data, size)
                   : vgpu_user_read(process.user_fd, data, (uintptr_t)argument, size);
   pthread_mutex_unlock(&lock);
   if (error) {
      errno = -error;
      return -1;
   }
   return 0;
}

/* ---- Buffers of other processes ---- */

struct shim_file *shim_buffer_get(int fd)
{
   struct shim_file *known = shim_file_get(fd);
   struct vgpu_device *device = (struct vgpu_device *)process.kernel;
   if (known || !device || (unsigned)fd >= MAX_FDS) {
      return known;
   }
   const int virtual_fd = shim_buffer_import(device, fd);
   struct shim_file *file = virtual_fd < 0 ? NULL : malloc(sizeof(*file));
   if (!file) {
      if (virtual_fd >= 0) {
         process.kernel->close(process.kernel, virtual_fd);
      }
      return NULL;
   }
   *file = (struct shim_file){.kind = VGPU_FD_BUFFER, .virtual_fd = virtual_fd};
   set(fd, file);
   return shim_file_get(fd);
}

/* A sync file of a fence that is signalled. */
static int open_signaled(void)
{
   struct asahi_kernel *kernel = process.kernel;
   struct drm_syncobj_create create = {.flags = DRM_SYNCOBJ_CREATE_SIGNALED};
   if (kernel->ioctl(kernel, process.root, DRM_IOCTL_SYNCOBJ_CREATE, &create)) {
      return -1;
   }
   struct drm_syncobj_handle export = {.handle = create.handle,
                                       .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE};
   struct drm_syncobj_destroy destroy = {.handle = create.handle};
   const int failed = kernel->ioctl(kernel, process.root, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &export);
   (void)kernel->ioctl(kernel, process.root, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy);
   return failed ? -1 : publish(VGPU_FD_SYNC_FILE, export.fd, true);
}

/* What other processes do to a buffer is over when they say so: so its fences are all signalled, and a fence that it
 * gets is waited for here. */
static int wait_for_sync_file(int fd)
{
   struct pollfd set = {.fd = fd, .events = POLLIN};
   int ready;
   while ((ready = poll(&set, 1, -1)) < 0 && errno == EINTR) {
   }
   errno = EINVAL;
   return ready == 1 && set.revents & POLLIN ? 0 : -1;
}

static int buffer_ioctl(unsigned long request, void *argument)
{
   union fd_argument data;
   const size_t size = sizeof(data.sync_file);
   switch (request) {
   case DMA_BUF_IOCTL_SYNC: /* host caches: there is nothing to do */
      return 0;
   case DMA_BUF_IOCTL_IMPORT_SYNC_FILE:
      return copy_user(&data, argument, size, false) ? -1 : wait_for_sync_file(data.sync_file.fd);
   case DMA_BUF_IOCTL_EXPORT_SYNC_FILE:
      if (copy_user(&data, argument, size, false) || (data.sync_file.fd = open_signaled()) < 0) {
         return -1;
      }
      return copy_user(&data, argument, size, true);
   default:
      errno = ENOTTY;
      return -1;
   }
}

/* ---- Requests ---- */

/* The device's number for a descriptor of the client: -1 for one that is not open, the device file itself for one that
 * is open but has nothing to do with the device, so that the device finds the wrong kind. */
static int to_virtual(int fd)
{
   struct shim_file *file = shim_file_get(fd);
   int found = file && !file->inherited ? file->virtual_fd : NEXT(fcntl)(fd, F_GETFD) < 0 ? -1 : process.root;
   shim_file_put(file);
   return found;
}

/* Requests whose struct holds a descriptor. */
enum direction { FD_IN, FD_OUT };

static int translate(struct shim_file *file, unsigned long request, union fd_argument *data, bool prime,
                     enum direction direction)
{
   struct asahi_kernel *kernel = process.kernel;
   int *fd = prime ? &data->prime.fd : &data->syncobj.fd;
   if (direction == FD_IN) {
      int client_fd = *fd;
      if (prime) {
         shim_file_put(shim_buffer_get(client_fd));
      }
      *fd = to_virtual(client_fd);
      int result = kernel->ioctl(kernel, file->virtual_fd, request, data);
      *fd = client_fd;
      return result;
   }
   if (kernel->ioctl(kernel, file->virtual_fd, request, data)) {
      return -1;
   }
   enum vgpu_fd_kind kind = prime ? VGPU_FD_BUFFER : data->syncobj.flags ? VGPU_FD_SYNC_FILE : VGPU_FD_SYNCOBJ;
   *fd = publish(kind, *fd, prime ? data->prime.flags & DRM_CLOEXEC : true);
   return *fd < 0 ? -1 : 0;
}

static const struct {
   unsigned long request;
   enum direction direction;
   bool prime;
} fd_requests[] = {
    {DRM_IOCTL_PRIME_HANDLE_TO_FD, FD_OUT, true},
    {DRM_IOCTL_PRIME_FD_TO_HANDLE, FD_IN, true},
    {DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, FD_OUT, false},
    {DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, FD_IN, false},
};

int shim_file_ioctl(struct shim_file *file, unsigned long request, void *argument)
{
   struct asahi_kernel *kernel = process.kernel;
   if (file->inherited) {
      errno = ENODEV;
      return -1;
   }
   if (file->kind == VGPU_FD_BUFFER) {
      return buffer_ioctl(request, argument);
   }
   for (size_t i = 0; file->kind == VGPU_FD_FILE && i < ARRAY_COUNT(fd_requests); i++) {
      unsigned long known = fd_requests[i].request;
      if (_IOC_TYPE(known) != _IOC_TYPE(request) || _IOC_NR(known) != _IOC_NR(request)) {
         continue;
      }
      union fd_argument data;
      size_t size = _IOC_SIZE(request) < _IOC_SIZE(known) ? _IOC_SIZE(request) : _IOC_SIZE(known);
      memset(&data, 0, sizeof(data));
      if (copy_user(&data, argument, size, false)) {
         return -1;
      }
      int result = translate(file, known, &data, fd_requests[i].prime, fd_requests[i].direction), error = errno;
      if (copy_user(&data, argument, size, true)) {
         return -1;
      }
      errno = error;
      return result;
   }
   if (file->kind == VGPU_FD_FILE && vgpu_unstable_is_driver_request(request)) {
      int unknown = DIALECT_UNKNOWN;
      atomic_compare_exchange_strong(&file->dialect, &unknown,
                                     vgpu_unstable_begins(request) ? DIALECT_UNSTABLE : DIALECT_UPSTREAM);
   }
   return (file->dialect == DIALECT_UNSTABLE ? vgpu_unstable_ioctl : kernel->ioctl)(kernel, file->virtual_fd, request,
                                                                                    argument);
}

void *shim_file_mmap(struct shim_file *file, size_t length, int protection, int flags, uint64_t offset)
{
   struct asahi_kernel *kernel = process.kernel;
   if (file->inherited) {
      errno = ENODEV;
      return MAP_FAILED;
   }
   return kernel->mmap(kernel, length, protection, flags, file->virtual_fd, offset);
}

int shim_munmap(void *address, size_t length)
{
   struct asahi_kernel *kernel = process.kernel;
   return kernel && !is_other_process() ? kernel->munmap(kernel, address, length) : NEXT(munmap)(address, length);
}
