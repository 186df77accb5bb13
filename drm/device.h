/* SPDX-License-Identifier: MIT
 *
 * Internals of this room: the open device and its parts.
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
   size_t asked, size; /* bytes requested; bytes allocated, which are whole pages and include the margins */
   /* bytes before the requested ones, whole pages; there are as many behind its last page */
   size_t margin;
   bool internal;              /* not created by asahi_buffer_create() */
   struct asahi_va_heap *heap; /* NULL: not bound in the VM */
   uint64_t address;           /* GPU address behind the margin; map likewise */
   void *map;
   struct asahi_buffer *next; /* next in the device's graveyard */
};

/* Flags of the client's own buffers. */
enum asahi_buffer_flag {
   ASAHI_BUFFER_WINDOW = 1, /* in the USC window: code and USC words */
   ASAHI_BUFFER_CACHED = 2, /* CPU-cached, for what the CPU reads; otherwise write-combined */
   ASAHI_BUFFER_OBJECT = 4, /* for GEM_BIND_OBJECT: not private to the VM, and not bound in it */
};

/* A ring of memory for data that each submission writes anew. It never grows or wraps while a job is in flight:
 * asahi_run() ensures that none is when it starts. */
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

   uint32_t vm_id; /* 0: there is none; likewise below */
   struct {
      uint32_t id;
      bool submitted; /* at least one job has been submitted */
   } queues[ASAHI_QUEUES];
   uint32_t syncobjs[ASAHI_COMMANDS_MAX]; /* sync objects of the jobs in flight, in the order of submission */
   uint64_t usc_base;
   /* own: what the client itself needs, far from the user's buffers */
   struct asahi_va_heap usc_heap, own_heap, user_heap;

   struct asahi_buffer *timestamps;
   uint32_t timestamp_object;
   struct asahi_arena usc_words, data;

   struct asahi_program *helper;
   struct asahi_buffer *scratch;
   uint32_t scratch_dwords; /* stack words of each thread for which `scratch` is laid out */

   uint64_t buffer_bytes; /* bytes of all buffers, including those in the graveyard */

   /* jobs in flight; if they outlive the client's time limit, they may still use all their memory */
   unsigned in_flight;
   bool tells_groups; /* a virtual device that checks bounds needs exact sizes of threadgroup memory */
   /* buffers that were destroyed while jobs were in flight; freed when those are done */
   struct asahi_buffer *graveyard;
   uint64_t budget; /* value of asahi_device_set_budget() */
   struct asahi_interrupt interrupt;
};

/* A program in the USC window. Offsets are relative to usc_base. */
struct asahi_program {
   struct agx_program *facts; /* the program without code and constants */
   struct asahi_buffer *buffer;
   uint32_t main_offset, preamble_offset;
   uint64_t constants; /* GPU VA */
};

/* Opens the device behind kernel and fd, and takes ownership of it even on failure. path: for asahi_device_info. */
int asahi_device_start(struct asahi_kernel *kernel, int fd, const char *path, bool is_virtual,
                       struct asahi_device **out, char *why, size_t why_size);

/* Identifies the GPU behind the device file with GET_PARAMS; creates nothing on it. Errors are those of
 * asahi_device_open(). */
int asahi_device_identify(struct asahi_kernel *kernel, int fd, struct asahi_device_info *info, char *why,
                          size_t why_size);

/* Returns a struct asahi_kernel for the open device file fd; NULL: out of memory. */
struct asahi_kernel *asahi_kernel_linux(int fd);

/* Set the device's error line and return -error. asahi_fail_errno() adds the errno's text, its name and a remedy. */
int asahi_fail(struct asahi_device *device, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
int asahi_fail_errno(struct asahi_device *device, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 0 or -errno. */
int asahi_ioctl(struct asahi_device *device, unsigned long request, void *argument);
/* Tells a virtual device the exact size of a range, because the last page of a buffer and the last 256 bytes of
 * threadgroup memory are seldom full, and the uAPI has no smaller unit. kind: enum vgpu_range_kind. name: of a buffer,
 * or NULL. Does nothing on a real device. */
void asahi_tell_range(struct asahi_device *device, uint32_t kind, uint64_t address, uint64_t bytes, const char *name);

/* align: a power of two. what: name in messages, "the timestamp buffer". */
int asahi_buffer_allocate(struct asahi_device *device, size_t size, uint64_t align, unsigned flags, const char *what,
                          struct asahi_buffer **out);
/* Waits until the jobs in flight have ended, as asahi_raw_wait() does. Returns 0 when no job is in flight, or
 * -ETIME. */
int asahi_job_wait(struct asahi_device *device, uint64_t timeout_ns);

/* Creates the queue and the first `count` sync objects of the device, unless they exist. Returns 0 or -errno. */
int asahi_queue_ensure(struct asahi_device *device, enum asahi_queue which);
int asahi_syncobjs_ensure(struct asahi_device *device, size_t count);
void asahi_queues_destroy(struct asahi_device *device);
void asahi_syncobjs_destroy(struct asahi_device *device);

/* Frees the buffers in the graveyard. */
void asahi_buffer_bury(struct asahi_device *device);

/* A piece of the arena, valid until the next one is taken. align: a power of two up to a page. */
struct asahi_piece {
   uint8_t *map;
   uint64_t address; /* GPU VA */
   size_t size;      /* bytes */
};
int asahi_arena_take(struct asahi_device *device, struct asahi_arena *arena, size_t size, size_t align,
                     struct asahi_piece *piece);

#endif
