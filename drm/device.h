/* SPDX-License-Identifier: MIT
 *
 * What the files of this room share: the open device and its parts. Not for other rooms.
 */
#ifndef DRM_DEVICE_H
#define DRM_DEVICE_H

#include "drm/asahi.h"
#include "drm/uapi/asahi_drm.h"
#include "drm/uapi/kernel.h"
#include "drm/raw.h"
#include "drm/va.h"

/* A buffer object, its place in the GPU's address space and its mapping here. */
struct asahi_buffer {
   uint32_t handle;
   size_t asked, size;         /* bytes: as asked for; as allocated, whole pages and margins */
   size_t margin;              /* bytes in front of what was asked for, whole pages; as many behind its last page */
   bool internal;              /* not asahi_buffer_create()'s */
   struct asahi_va_heap *heap; /* NULL: not bound in the VM */
   uint64_t address;           /* behind the margin; likewise map */
   void *map;
   struct asahi_buffer *next; /* in the device's graveyard */
};

/* Flags of buffers that asahi_buffer_create() does not make. */
enum asahi_buffer_flag {
   ASAHI_BUFFER_WINDOW = 1, /* in the USC window: code and USC words */
   ASAHI_BUFFER_CACHED = 2, /* CPU-cached, for what the CPU reads; otherwise write-combined */
   ASAHI_BUFFER_OBJECT = 4, /* for GEM_BIND_OBJECT: not private to the VM, and not bound in it */
};

/* Memory for what is written anew for each submission, handed out round and round. Never grows or wraps onto
 * itself while a job is in flight: asahi_run() sees to it that none is when it starts. */
struct asahi_arena {
   struct asahi_buffer *buffer;
   size_t head;
   unsigned flags; /* enum asahi_buffer_flag */
};

struct asahi_device {
   struct asahi_kernel *kernel;
   int fd;
   struct drm_asahi_params_global params;
   struct asahi_device_info info;
   char error[512];
   struct asahi_watch watch; /* before_submit NULL: none */

   uint32_t vm_id; /* 0: none; likewise below */
   struct {
      uint32_t id;
      bool submitted; /* something has been, ever */
   } queues[ASAHI_QUEUES];
   uint32_t syncobjs[ASAHI_COMMANDS_MAX]; /* of the jobs in flight, in the order of their submission */
   uint64_t usc_base;
   struct asahi_va_heap usc_heap, own_heap, user_heap; /* own: what this client needs itself, far from the user's */

   struct asahi_buffer *timestamps;
   uint32_t timestamp_object;
   struct asahi_arena usc_words, data;

   struct asahi_program *helper;
   struct asahi_buffer *scratch;
   uint32_t scratch_dwords; /* per thread, that `scratch` is laid out for */

   uint64_t buffer_bytes; /* of all buffers that there are, those in the graveyard too */

   unsigned in_flight;             /* jobs; where they outlive our time limit, they may use all they were given */
   bool tells_groups;              /* a virtual device that checks bounds wants exact sizes of threadgroup memory */
   struct asahi_buffer *graveyard; /* destroyed while in_flight: freed when that job is done */
   uint64_t budget;                /* of asahi_device_set_budget() */
   struct asahi_interrupt interrupt;
};

/* A program in the USC window. Offsets count from usc_base. */
struct asahi_program {
   struct agx_program *facts; /* without code and constants */
   struct asahi_buffer *buffer;
   uint32_t main_offset, preamble_offset;
   uint64_t constants; /* GPU VA */
};

/* Opens the device behind kernel and fd, of which it takes charge also when it fails. path: for asahi_device_info. */
int asahi_device_start(struct asahi_kernel *kernel, int fd, const char *path, bool is_virtual,
                       struct asahi_device **out, char *why, size_t why_size);

/* What GPU is behind the device file, as far as GET_PARAMS tells; nothing is made on it. The errors are
 * asahi_device_open()'s. */
int asahi_device_identify(struct asahi_kernel *kernel, int fd, struct asahi_device_info *info, char *why,
                          size_t why_size);

/* The kernel as a struct asahi_kernel, for the open device file fd; NULL: out of memory. */
struct asahi_kernel *asahi_kernel_linux(int fd);

/* Set the device's error line and return -error. asahi_fail_errno adds the errno's text, name and remedy. */
int asahi_fail(struct asahi_device *device, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
int asahi_fail_errno(struct asahi_device *device, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 0 or -errno. */
int asahi_ioctl(struct asahi_device *device, unsigned long request, void *argument);
/* The last page of a buffer and the last 256 bytes of threadgroup memory are seldom full, and the uAPI knows no smaller
 * unit. kind: enum vgpu_range_kind. name: of a buffer, or NULL. Real devices are told nothing. */
void asahi_tell_range(struct asahi_device *device, uint32_t kind, uint64_t address, uint64_t bytes, const char *name);

/* align: a power of two. what: for messages, "the timestamp buffer". */
int asahi_buffer_allocate(struct asahi_device *device, size_t size, uint64_t align, unsigned flags, const char *what,
                          struct asahi_buffer **out);
/* Waits until the jobs in flight have ended, as asahi_raw_wait() does. 0: no job is in flight. -ETIME. */
int asahi_job_wait(struct asahi_device *device, uint64_t timeout_ns);

/* Makes the queue, and the first `count` of the device's sync objects, where they do not exist yet. 0 or -errno. */
int asahi_queue_ensure(struct asahi_device *device, enum asahi_queue which);
int asahi_syncobjs_ensure(struct asahi_device *device, size_t count);
void asahi_queues_destroy(struct asahi_device *device);
void asahi_syncobjs_destroy(struct asahi_device *device);

/* Frees what is in the graveyard. */
void asahi_buffer_bury(struct asahi_device *device);

/* A piece of the arena, good until the next one is taken. align: a power of two up to a page. */
struct asahi_piece {
   uint8_t *map;
   uint64_t address; /* GPU VA */
   size_t size;      /* bytes */
};
int asahi_arena_take(struct asahi_device *device, struct asahi_arena *arena, size_t size, size_t align,
                     struct asahi_piece *piece);

#endif
